#include "gpu/run.hpp"

#include <getopt.h>
#include <sched.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "gpu/admission.hpp"
#include "gpu/recording_endpoint.hpp"
#include "model/placement.hpp"
#include "transports/router.hpp"

namespace shmemu::gpu {
namespace {

constexpr uint64_t kTraceHeap = 0x1100'0000'0000;  // where traces of the CPU executor have the heaps, too
constexpr size_t kHostStack = 1 << 20;
constexpr uint64_t kLogMemory = 64 << 20;                  // pinned host memory of all rings
constexpr int kRings = 8;                                  // per PE
constexpr uint64_t kSpareStreams = 3, kLeastStreams = 32;  // per PE, of the run
constexpr int kTeams = 64, kPredefined = 6, kMembers = 1 << 20;
constexpr unsigned kHostMapped = 2;  // cudaHostAllocMapped

uint64_t asked_heap() {
  const char* text = std::getenv("NVSHMEM_SYMMETRIC_SIZE");
  if (!text) return 1ull << 30;  // NVSHMEM's default
  char* end = nullptr;
  double n = std::strtod(text, &end);
  uint64_t unit = 1;
  if (*end == 'k' || *end == 'K') unit = 1ull << 10;
  if (*end == 'm' || *end == 'M') unit = 1ull << 20;
  if (*end == 'g' || *end == 'G') unit = 1ull << 30;
  return static_cast<uint64_t>(n * static_cast<double>(unit));
}

std::string chosen_platform(const RunOptions& o) {
  return o.platform.empty() ? default_platform(o.platform_folder, o.pes) : o.platform;
}

template <class T>
T* pinned(const CudaLibrary& cuda, size_t count) {
  void* p = nullptr;
  check(cuda, cuda.cudaHostAlloc(&p, count * sizeof(T), kHostMapped), "cudaHostAlloc");
  std::memset(p, 0, count * sizeof(T));
  return static_cast<T*>(p);
}

}  // namespace

Current& current() {
  static thread_local Current now;  // the drain and CUDA have threads of their own
  return now;
}

GpuRun::GpuRun(RunOptions given)
    : options(std::move(given)),
      platform(load_platform(options.platform_folder, chosen_platform(options))),
      placement(place(platform, options.pes, options.pes_per_node)),
      stacks_(kHostStack, static_cast<size_t>(options.pes)),
      image_(options.program) {
  auto gpu_of = [this](PeId pe) { return placement.gpu_of(pe); };
  router_ = std::make_unique<Router>(queue_, platform, placement.gpus(), gpu_of, nullptr, options.pes,
                                     read_settings([](const char* name) -> const char* { return std::getenv(name); }));
  cluster = {placement, [this](PeId a, PeId b) { return router_->load_store(a, b); }, &platform.gpu,
             read_collective_settings([](const char* name) -> const char* { return std::getenv(name); })};
  log_.clock_ghz = cuda.clock_khz / 1e6;
  log_.pes.resize(static_cast<size_t>(options.pes));
  for (int i = 0; i < options.pes; ++i) {
    pes_.push_back(std::make_unique<Pe>());
    pe(i).id = i;
    Teams teams(kTeams);
    for (int other = 0; other < options.pes; ++other) {
      bool same_node = placement.node_of({i}) == placement.node_of({other});
      for (int t : {0, 5}) teams[static_cast<size_t>(t)].push_back(other);
      if (router_->load_store({i}, {other})) teams[1].push_back(other);
      if (same_node) teams[2].push_back(other);
      if (other % placement.pes_per_node == i % placement.pes_per_node) teams[3].push_back(other);
      if (other == i) teams[4].push_back(other);
    }
    log_.pes[static_cast<size_t>(i)].teams = std::make_shared<const Teams>(std::move(teams));
  }
  prepare_memory();
}

GpuRun::~GpuRun() {
  current() = {};
  drain_.reset();
}

void GpuRun::prepare_memory() {
  auto n = static_cast<uint64_t>(pes());
  own_ = create_stream();
  // three quarters of what is free for the heaps; the rest is the programs'
  constexpr uint64_t kStep = 2 << 20;
  uint64_t stride = std::min(asked_heap(), cuda.memory / 4 * 3 / n) / kStep * kStep;
  auto device = [&](size_t bytes) {
    void* p = nullptr;
    check(cuda, cuda.cudaMalloc(&p, bytes), fmt::format("cudaMalloc of {} B", bytes).c_str());
    check(cuda, cuda.cudaMemsetAsync(p, 0, bytes, own_), "cudaMemset");
    return static_cast<char*>(p);
  };
  heaps_ = device(stride * n);
  log_.heaps = reinterpret_cast<uint64_t>(heaps_);
  log_.stride = stride;
  log_.scratch = stride;
  log_.header.program = options.program.filename().string();
  log_.header.platform = options.platform.empty() ? platform.name : options.platform;
  log_.header.pes = pes();
  log_.header.gpus = placement.gpus();
  log_.header.heap_base = kTraceHeap;
  log_.header.heap_stride = std::bit_ceil(stride + CollectiveRecorder::scratch_bytes(pes(), cluster.settings));

  uint32_t capacity = static_cast<uint32_t>(
      std::clamp<uint64_t>(std::bit_floor(kLogMemory / (n * kRings * 16 * SHMEMU_RECORD_CHUNKS)), 64, 16384));
  if (const char* asked = std::getenv("SHMEMU_GPU_RING"))
    capacity = std::bit_ceil(static_cast<uint32_t>(std::max(4, std::atoi(asked))));
  uint64_t ring_bytes = static_cast<uint64_t>(capacity) * 16 * SHMEMU_RECORD_CHUNKS;
  slots_ = pinned<char>(cuda, ring_bytes * kRings * n);
  tails_ = pinned<unsigned long long>(cuda, kRings * n);
  stop_ = pinned<int>(cuda, 16);
  auto* numbers = pinned<uint32_t>(cuda, n * 1024);
  char* rings = device(sizeof(shmemu_log_ring) * kRings * n);
  auto* reach = device(n * n);
  peer_pointers_ = pinned<unsigned>(cuda, 16);
  teams_ = reinterpret_cast<shmemu_gpu_team*>(device(sizeof(shmemu_gpu_team) * kTeams * n));
  members_ = reinterpret_cast<int32_t*>(device(sizeof(int32_t) * kMembers));
  char* meetings = device(sizeof(shmemu_meeting) * 4096);
  launch_words_ = reinterpret_cast<uint32_t*>(device(sizeof(uint32_t) * n));
  contexts_.resize(n);
  std::vector<unsigned char> reachable(n * n);
  std::vector<RingReader> readers;
  for (uint64_t i = 0; i < n; ++i) {
    for (uint64_t k = 0; k < n; ++k)
      reachable[i * n + k] = router_->load_store({static_cast<int>(i)}, {static_cast<int>(k)});
    shmemu_gpu_context& c = contexts_[i];
    c.me = static_cast<int32_t>(i), c.pes = pes(), c.rings = kRings, c.teams = kTeams;
    c.heaps = log_.heaps, c.stride = stride, c.heap = log_.heaps + i * stride;
    c.capacity = capacity;
    c.launch = launch_words_ + i;
    c.ring = reinterpret_cast<shmemu_log_ring*>(rings) + i * kRings;
    c.slots = slots_ + i * kRings * ring_bytes;
    c.tail = tails_ + i * kRings;
    c.stop = stop_;
    c.reach = reinterpret_cast<unsigned char*>(reach) + i * n;
    c.peer_pointers = peer_pointers_;
    c.team = teams_ + i * kTeams;
    c.members = members_;
    c.meetings = reinterpret_cast<shmemu_meeting*>(meetings);
    pe(static_cast<int>(i)).launch_numbers = numbers + i * 1024;
    readers.emplace_back(c.slots, tails_ + i * kRings, kRings, capacity);
  }
  copy_now(reach, reachable.data(), n * n);
  upload_teams();
  load_add_kernel();
  // what CUDA sets up at first use, set up while no kernel runs
  for (uint64_t i = 0; i < std::max(kSpareStreams * n, kLeastStreams); ++i) spare_streams_.push_back(create_stream());
  std::vector<char> back(1 << 16);
  copy_now(back.data(), heaps_, back.size());
  drain_ = std::make_unique<Drain>(std::move(readers));
}

void GpuRun::upload_teams() {
  std::vector<shmemu_gpu_team> table(static_cast<size_t>(kTeams) * pes_.size());
  for (size_t p = 0; p < pes_.size(); ++p)
    for (size_t t = 0; t < kTeams; ++t) {
      const std::vector<int>& list = (*log_.pes[p].teams)[t];
      auto me = std::find(list.begin(), list.end(), static_cast<int>(p));
      if (me == list.end()) continue;
      // equal members at equal handles meet at one place
      std::vector<int> key = list;
      key.push_back(-1 - static_cast<int>(t));
      auto place = places_of_teams_.try_emplace(key, static_cast<uint32_t>(places_of_teams_.size())).first->second;
      auto [where, fresh] = member_lists_.try_emplace(list, static_cast<uint32_t>(all_members_.size()));
      if (fresh) all_members_.insert(all_members_.end(), list.begin(), list.end());
      table[p * kTeams + t] = {static_cast<int32_t>(list.size()), static_cast<int32_t>(me - list.begin()), place,
                               where->second};
    }
  SHMEMU_ASSERT(places_of_teams_.size() <= 4096 && all_members_.size() <= kMembers, "too many teams");
  copy_now(members_, all_members_.data(), all_members_.size() * sizeof all_members_[0]);
  copy_now(teams_, table.data(), table.size() * sizeof table[0]);
}

void GpuRun::set_team(int pe, int handle, std::vector<int> members) {
  auto& teams = log_.pes[static_cast<size_t>(pe)].teams;
  Teams changed = *teams;
  changed[static_cast<size_t>(handle)] = std::move(members);
  teams = std::make_shared<const Teams>(std::move(changed));
}

int GpuRun::free_team(const std::vector<int>& pes, int except) {
  for (int t = kPredefined; t < kTeams; ++t)
    if (t != except && std::all_of(pes.begin(), pes.end(), [&](int p) { return team(pe(p), t).empty(); })) return t;
  fail(ExitCode::program_failed, fmt::format("more than {} teams at a time", kTeams));
}

void GpuRun::copy_now(void* to, const void* from, size_t bytes) {
  if (!bytes) return;
  check(cuda, cuda.cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, own_), "cudaMemcpyAsync");
  check(cuda, cuda.cudaStreamSynchronize(own_), "cudaStreamSynchronize");
}

Time GpuRun::copy_time(const void* to, const void* from, size_t bytes) {
  const HostModel& h = platform.host;
  constexpr int kDevice = 2;  // cudaMemoryTypeDevice
  bool d = memory_type(cuda, to) == kDevice, s = memory_type(cuda, from) == kDevice;
  if (d && s) return platform.gpu.hbm.time_for(2 * bytes);
  return h.copy_latency + (d ? h.copy_to_device : h.copy_to_host).time_for(bytes);
}

// ---- programs ----

void GpuRun::load_programs() {
  for (auto& p : pes_) {
    p->copy = image_.load(p->id);
    current() = {this, p.get()};
    // registers kernels and variables, and constructs the program's objects
    char* none[] = {nullptr};
    for (auto* constructor : p->copy.constructors) constructor(0, none, environ);
  }
  current() = {this, nullptr};
  set_places();
}

// Everything on the GPU before the first kernel: loading later would wait for kernels that wait for each other.
void GpuRun::set_places() {
  for (auto& p : pes_) {
    for (auto& [stub, name] : p->kernels) {
      alignas(16) unsigned char attributes[512] = {};
      check(cuda, cuda.cudaFuncGetAttributes(attributes, stub), fmt::format("loading kernel {}", name).c_str());
    }
    const shmemu_gpu_context& here = contexts_[static_cast<size_t>(p->id)];
    for (const void* shadow : p->places)
      check(cuda, cuda.cudaMemcpyToSymbol(shadow, &here, sizeof here, 0, cudaMemcpyHostToDevice), "cudaMemcpyToSymbol");
  }
}

void GpuRun::pe_main(void* argument) {
  Pe& pe = *static_cast<Pe*>(argument);
  GpuRun& run = *current().run;
  std::vector<std::string> words{run.options.program.string()};
  words.insert(words.end(), run.options.arguments.begin(), run.options.arguments.end());
  std::vector<char*> argv;
  for (auto& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  try {
    run.end_pe(pe, pe.copy.main(static_cast<int>(words.size()), argv.data(), environ));
  } catch (const UserError& e) {  // of the runtime itself, in a call
    run.fail(e.code(), e.what());
  } catch (const std::exception& e) {
    run.fail(ExitCode::program_failed, fmt::format("PE {}: uncaught exception in main: {}", pe.id, e.what()));
  }
}

void GpuRun::run() {
  load_programs();
  for (auto& p : pes_) {
    p->fiber = stacks_.take();
    p->fiber->start(pe_main, p.get());
  }
  last_progress_ = std::chrono::steady_clock::now();
  for (;;) {
    bool progress = false, all = true;
    for (auto& p : pes_) {
      if (p->ended) continue;
      all = false;
      if (p->waits_for && !p->waits_for()) continue;
      p->waits_for = nullptr;
      current() = {this, p.get()};
      optind = p->option_index;
      p->fiber->enter();
      p->option_index = optind;
      current() = {this, nullptr};
      if (failure_) break;
      progress = true;
    }
    if (failure_) {
      *stop_ = 1;
      throw *failure_;
    }
    progress |= pump();
    if (all) {
      bool idle = true;
      for (auto& p : pes_)
        for (auto& [handle, s] : p->streams) idle &= s->idle();
      if (idle) return;
    }
    watch(progress);
  }
}

void GpuRun::wait(Pe& pe, std::string what, std::function<bool()> until) {
  pe.waiting = std::move(what);
  pe.waits_for = std::move(until);
  emu::Fiber::leave();
}

void GpuRun::wait_for(Pe& pe, const CommandRef& command) {
  if (!command) return;
  if (!command->finished) wait(pe, fmt::format("waits for {}", command->name), [command] { return command->finished; });
  traces::HostEntry e;
  e.since = std::exchange(pe.since, {});
  e.op.kind = OpKind::stream_wait;
  e.op.issuer = e.op.target = PeId{pe.id};
  e.awaited = static_cast<int64_t>(command->number);
  log(pe).host.push_back(e);
}

void GpuRun::wait_for_all(Pe& pe) {
  for (auto& [handle, s] : pe.streams) wait_for(pe, s->tail);
}

void GpuRun::end_pe(Pe& pe, int code) {
  while (!pe.exit_handlers.empty()) {
    auto [f, argument] = pe.exit_handlers.back();
    pe.exit_handlers.pop_back();
    f(argument);
  }
  std::fflush(stdout);
  pe.exit_code = code & 0xff;
  pe.ended = true;
  traces::HostEntry e;
  e.since = std::exchange(pe.since, {});
  e.op.kind = OpKind::exit;
  e.op.issuer = e.op.target = PeId{pe.id};
  log(pe).host.push_back(e);
  emu::Fiber::leave();
  std::abort();
}

void GpuRun::fail(ExitCode code, const std::string& message) {
  failure_.emplace(code, message);
  if (!current().pe) throw *failure_;
  emu::Fiber::leave();
  std::abort();
}

void GpuRun::meet(Pe& pe, int handle, const std::string& what, const std::function<void()>& last) {
  std::vector<int> key = team(pe, handle);
  size_t size = key.size();
  key.push_back(-1 - handle);
  Meeting& m = meetings_[key];
  uint64_t number = m.number;
  if (++m.arrived < size) {
    wait(pe, fmt::format("waits in {} for {} of {} PEs", what, size - m.arrived, size),
         [&m, number] { return m.number > number; });
    return;
  }
  if (last) last();
  m.arrived = 0;
  ++m.number;
}

void GpuRun::wait_until_quiet(Pe& pe) {
  static const std::string kWaits = "waits until its time is known";
  wait(pe, kWaits, [this] {
    return std::all_of(pes_.begin(), pes_.end(), [](auto& p) {
      for (auto& [handle, s] : p->streams)
        if (s->runs()) return false;
      return p->ended || p->waiting == kWaits || (p->waits_for && !p->waits_for());
    });
  });
  pe.waiting.clear();
}

// ---- a run that does not move ----

void GpuRun::watch(bool progress) {
  auto now = std::chrono::steady_clock::now();
  if (progress || drain_->count() != last_count_) {
    last_count_ = drain_->count();
    last_progress_ = now;
    return;
  }
  double still = std::chrono::duration<double>(now - last_progress_).count();
  if (still > options.patience) stop_kernels();
  if (still > 0.001) std::this_thread::sleep_for(std::chrono::microseconds(20));
}

bool GpuRun::on_gpu(const Pe& pe) const {
  return std::any_of(pe.streams.begin(), pe.streams.end(), [this](auto& s) {
    return s.second->real && cuda.cudaStreamQuery(s.second->real) == cudaErrorNotReady;
  });
}

void GpuRun::stop_kernels() {
  *stop_ = 1;
  // waiting threads log where they stood and end; kernels that spin by themselves never do
  auto until = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  while (std::chrono::steady_clock::now() < until) {
    if (!std::any_of(pes_.begin(), pes_.end(), [this](auto& p) { return on_gpu(*p); })) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::vector<std::vector<shmemu_log_record>> stuck(pes_.size());
  for (auto& p : pes_)
    for (const shmemu_log_record& r : drain_->take(p->id))
      if (r.kind == SHMEMU_LOG_STUCK) stuck[static_cast<size_t>(p->id)].push_back(r);
  std::string text = fmt::format("nothing has moved for {:.0f} s\n", options.patience);
  bool waits = false;
  for (auto& p : pes_) {
    if (p->ended) continue;
    text += fmt::format("  PE {}: host {}\n", p->id, p->waits_for ? p->waiting : "runs");
    waits = true;
    for (auto& c : p->running)
      text += fmt::format("    kernel {} (number {}) {}\n", c->name, c->launch,
                          on_gpu(*p) ? "goes on although the run is stopped: it spins without NVSHMEM's waits, or "
                                       "computes (then give a longer --patience)"
                                     : "was stopped");
    size_t shown = 0;
    for (const shmemu_log_record& r : stuck[static_cast<size_t>(p->id)]) {
      if (shown++ >= 8) continue;
      static constexpr const char* kComparisons[] = {"==", "!=", ">", "<=", "<", ">="};
      uint64_t offset = r.remote - heap(p->id);
      std::string where = offset < stride() ? fmt::format("heap offset {}", offset) : fmt::format("{:#x}", r.remote);
      text += fmt::format("    kernel {} block {} thread {} waits for the word at {} to be {} {}; it is {}\n",
                          r.launch < log(*p).launches.size() ? log(*p).launches[r.launch].launch.name : "?", r.block,
                          r.thread, where, kComparisons[std::min<int>(r.function, 5)], static_cast<int64_t>(r.value),
                          static_cast<int64_t>(r.compare));
    }
    if (shown > 8) text += fmt::format("    and {} more threads\n", shown - 8);
    for (auto& [handle, s] : p->streams)
      if (s->queue.size() > 1 || (!s->queue.empty() && !s->queue.front()->started))
        text += fmt::format("    stream {}: {} commands have not begun ({})\n", s->number, s->queue.size(),
                            s->queue.back()->name);
  }
  if (running_kernels_ >= kMostKernels)
    text += fmt::format("  {} kernels are on the GPU, as many as it runs at a time; further ones wait until one ends\n",
                        running_kernels_);
  throw UserError(waits ? ExitCode::deadlock : ExitCode::program_failed, "deadlock: " + text);
}

// ---- results ----

void GpuRun::collect(Pe& pe) {
  auto& launches = log(pe).launches;
  for (const shmemu_log_record& r : drain_->take(pe.id))
    if (r.launch < launches.size()) launches[r.launch].records.push_back(r);
}

Time GpuRun::ended(Pe& pe, const Command& command) {
  wait_until_quiet(pe);
  uint64_t entries = 0;
  for (const PeLog& l : log_.pes) entries += l.host.size();
  if (!times_ || times_->entries != entries || times_->records != drain_->count()) {
    RunReport nobody_reads_it;
    std::vector<std::string> notes;
    auto played = replay(nobody_reads_it, notes);
    times_ = Times{entries, drain_->count(), std::move(played)};
  }
  return times_->of.commands.at(static_cast<size_t>(pe.id)).at(command.number);
}

traces::ReplayResult GpuRun::replay(RunReport& report, std::vector<std::string>& notes,
                                    const std::filesystem::path& record) {
  for (auto& p : pes_) collect(*p);
  Decoded d = decode(log_, cluster);
  notes = d.notes;
  if (*peer_pointers_)
    d.incomplete.push_back("kernels used nvshmem_ptr: plain loads and stores through it are not logged");
  if (!d.incomplete.empty()) {
    std::string why = "no times, the log is incomplete: ";
    for (size_t i = 0; i < d.incomplete.size() && i < 4; ++i) why += (i ? "; " : "") + d.incomplete[i];
    throw UserError(ExitCode::program_failed, why);
  }
  if (!record.empty()) traces::write_trace(record, d.trace);
  try {
    return traces::replay(d.trace, platform, report);
  } catch (const UserError& e) {
    throw UserError(ExitCode::program_failed,
                    fmt::format("no times: what kernels logged cannot be played again, probably because {}: {}",
                                d.fetches ? "answers of fetching atomics came in another order than on the GPU"
                                          : "a flag was written by a plain store, a copy or a memset",
                                e.what()));
  }
}

}  // namespace shmemu::gpu
