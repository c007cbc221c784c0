#include "traces/replayer.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "device/machine.hpp"
#include "model/placement.hpp"
#include "traces/lanes.hpp"
#include "transports/router.hpp"
#include "transports/settings.hpp"

namespace shmemu::traces {
namespace {

class HeapMemory : public device::Memory {
 public:
  HeapMemory(uint64_t base, uint64_t bytes) : base_(base), bytes_(bytes) {
    void* wanted = reinterpret_cast<void*>(base);
    if (mmap(wanted, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE,
             -1, 0) != wanted)
      throw UserError(
          ExitCode::program_failed,
          fmt::format("cannot reserve the symmetric heaps of the trace at {:#x}: {}", base, std::strerror(errno)));
  }
  ~HeapMemory() override { munmap(reinterpret_cast<void*>(base_), bytes_); }
  std::byte* at(uint64_t address, uint64_t bytes) override {
    bool inside = address >= base_ && address - base_ < bytes_ && bytes <= bytes_ - (address - base_);
    return inside ? reinterpret_cast<std::byte*>(address) : nullptr;
  }

 private:
  uint64_t base_, bytes_;
};

// A kernel of the trace: each thread walks its list.
class TraceKernel : public device::KernelProgram {
 public:
  TraceKernel(LaneSource& source, device::Machine& machine, device::Memory& memory)
      : source_(source), machine_(machine), memory_(memory) {}
  void begin(device::Cta&) override {}
  void end(device::Cta& cta) override { source_.block_ends(cta); }
  bool run_block(device::Cta& cta, std::vector<device::Work>& warps) override { return source_.block_work(cta, warps); }
  void run(device::Lane& lane) override {
    for (;;) {
      const LaneEntry* e = source_.next(lane);
      if (!e) throw_missing(lane);
      lane.gap = e->gap;
      lane.work = e->work;
      if (is_posted(e->op.kind) && e->op.scope == Scope::thread) {
        Payload payload = packed(*e) ? whole(*e) : Payload(e->payload.data(), e->payload.size());
        if (machine_.may_post(e->op)) {
          machine_.post(lane, e->op, std::move(payload));
          continue;
        }
        lane.given = std::move(payload);
      }
      if (packed(*e))
        if (std::byte* from = memory_.at(e->op.local, e->op.bytes))
          std::memcpy(from + e->op.bytes - kTail, e->payload.data(), kTail);
      lane.stop = e->op;
      return;
    }
  }

 private:
  [[noreturn]] static void throw_missing(const device::Lane& lane) {
    const device::Cta& cta = *lane.warp->cta;
    throw UserError(ExitCode::usage,
                    fmt::format("the trace has no further operation for PE {} kernel {} ({}) block {} thread {}: it is "
                                "truncated, or the kernel was not recorded",
                                lane.pe.value, cta.grid->number, cta.grid->launch.name, cta.index, lane.thread));
  }
  // Of packed data the trace has the end.
  static bool packed(const LaneEntry& e) {
    return e.op.kind == OpKind::put && e.op.flags & Op::kPacked && e.payload.size() == kTail && e.op.bytes >= kTail;
  }
  static Payload whole(const LaneEntry& e) {
    std::vector<std::byte> bytes(e.op.bytes);
    std::memcpy(bytes.data() + bytes.size() - kTail, e.payload.data(), kTail);
    return {bytes.data(), bytes.size()};
  }
  LaneSource& source_;
  device::Machine& machine_;
  device::Memory& memory_;
};

struct TracePe {
  device::Host host;
  size_t next = 0;
  uint32_t launches = 0;
  std::map<int, std::unique_ptr<device::Stream>> streams;
  std::vector<device::CommandRef> commands;
};

class Player : public device::HostProgram {
 public:
  using Hosts = std::vector<std::vector<HostEntry>>;
  Player(const Header& header, const Hosts& hosts, LaneSource& source, const Platform& platform, RunReport& report,
         std::optional<int> pes_per_node)
      : hosts_(hosts),
        source_(source),
        report_(report),
        memory_(header.heap_base, header.heap_stride * static_cast<uint64_t>(header.pes)) {
    if (pes_per_node) placement_ = place(platform, header.pes, pes_per_node);
    for (int i = 0; i < header.pes; ++i) {
      auto pe = std::make_unique<TracePe>();
      pe->host.pe = {i};
      gpu_.push_back(placement_ ? placement_->gpu_of({i}) : GpuId{recorded_gpu(i)});
      pes_.push_back(std::move(pe));
    }
    int all = placement_ ? placement_->gpus() : gpus(header, platform);
    router_.emplace(
        queue_, platform, all, [this](PeId pe) { return gpu_[static_cast<size_t>(pe.value)]; }, nullptr, header.pes,
        read_settings([](const char* name) { return std::getenv(name); }));
    machine_.emplace(queue_, platform, *router_, memory_, all, device::Machine::Options{.observer = &report});
  }

  ReplayResult play() {
    for (auto& pe : pes_) machine_->add_host(pe->host, *this, {});
    machine_->run();
    const device::Counters& c = machine_->counters();
    ReplayResult result{c.transfers, c.observations, c.lane_runs, 0, {}, router_->explain(), {}};
    for (auto& pe : pes_) {
      auto& ended = result.commands.emplace_back();
      for (auto& command : pe->commands) ended.push_back(command->ended);
    }
    return result;
  }

 private:
  // Whole nodes with all GPUs that the trace uses.
  static int gpus(const Header& header, const Platform& platform) {
    int used = header.gpus;
    if (!platform.gpus_per_node) return used;
    if (auto have = platform.gpus(); *have < used)
      throw UserError(ExitCode::usage,
                      fmt::format("the trace uses {} GPUs, platform '{}' has {}", used, platform.name, *have));
    return (used + *platform.gpus_per_node - 1) / *platform.gpus_per_node * *platform.gpus_per_node;
  }
  // The GPU of the PE's last program kernel, else its number.
  int recorded_gpu(int pe) const {
    int gpu = pe;
    for (const HostEntry& e : hosts_[static_cast<size_t>(pe)])
      if (e.has_launch) gpu = e.gpu;
    return gpu;
  }

  void run(device::Host& host) override {
    TracePe& pe = *pes_[static_cast<size_t>(host.pe.value)];
    const auto& entries = hosts_[static_cast<size_t>(host.pe.value)];
    for (;;) {
      const HostEntry& e = entries[pe.next++];
      host.gap = e.since;
      if (e.submit) {
        submit(pe, e);
        continue;
      }
      host.stop = e.op;
      if (e.awaited >= 0) machine_->stop_until = pe.commands.at(static_cast<size_t>(e.awaited));
      if (e.op.kind == OpKind::exit) report_.pe_ended(host.pe, host.time + host.gap, 0);
      return;
    }
  }

  void submit(TracePe& pe, const HostEntry& e) {
    auto& stream = pe.streams[e.stream];
    if (!stream) {
      stream = std::make_unique<device::Stream>();
      stream->number = e.stream;
      stream->blocking = e.blocking;
    }
    auto command = std::make_shared<device::Command>();
    command->kind = e.kind;
    command->name = e.name;
    std::weak_ptr<device::Command> weak = command;
    command->start = [this, weak, &e, &pe] { start(weak.lock(), e, pe); };
    std::vector<device::Stream*> all;
    for (auto& [number, s] : pe.streams) all.push_back(s.get());
    std::vector<device::CommandRef> also;
    for (uint64_t number : e.also) also.push_back(pe.commands.at(number));
    pe.commands.push_back(command);
    machine_->submit(pe.host, *stream, all, command, e.latency, also);
  }

  void start(const device::CommandRef& command, const HostEntry& e, TracePe& pe) {
    if (e.has_launch) {
      auto grid = std::make_unique<device::Grid>();
      grid->launch = e.launch;
      grid->pe = pe.host.pe;
      grid->gpu = placement_ ? gpu_[static_cast<size_t>(pe.host.pe.value)] : GpuId{e.gpu};
      grid->number = e.kernel >= 0 ? static_cast<uint32_t>(e.kernel) : pe.launches++;
      grid->stream = e.stream;
      grid->program = std::make_shared<TraceKernel>(source_, *machine_, memory_);
      grid->on_end = [this, command] { machine_->finish(command); };
      machine_->start_grid(std::move(grid));
    } else if (e.has_duration) {
      queue_.at(queue_.now() + e.duration, Rank::memory, [this, command] { machine_->finish(command); });
    } else {
      machine_->finish(command);
    }
  }

  const Hosts& hosts_;
  LaneSource& source_;
  RunReport& report_;
  std::optional<Placement> placement_;
  EventQueue queue_;
  HeapMemory memory_;
  std::vector<GpuId> gpu_;
  std::vector<std::unique_ptr<TracePe>> pes_;
  std::optional<Router> router_;
  std::optional<device::Machine> machine_;
};

}  // namespace

ReplayResult replay(const Trace& trace, const Platform& platform, RunReport& report, const ReplayOptions& options) {
  MemoryLanes lanes(trace);
  return Player(trace.header, trace.hosts, lanes, platform, report, options.pes_per_node).play();
}

ReplayResult replay(std::unique_ptr<TraceReader> reader, const Platform& platform, RunReport& report,
                    const ReplayOptions& options) {
  Header header = reader->header();
  auto hosts = reader->hosts();
  StreamedLanes lanes(std::move(reader), options.progress);
  ReplayResult result;
  try {
    result = Player(header, hosts, lanes, platform, report, options.pes_per_node).play();
  } catch (const UserError& e) {
    std::string steering = lanes.steering();
    if (e.code() != ExitCode::deadlock || steering.empty()) throw;
    throw UserError(e.code(),
                    fmt::format("{}\n  the recorded program asked {}, whose answers depend on time: here they came in "
                                "another order, and the recorded way cannot be played on",
                                e.what(), steering));
  }
  lanes.finish();
  result.most_held = lanes.most_held();
  result.steering = lanes.steering();
  return result;
}

}  // namespace shmemu::traces
