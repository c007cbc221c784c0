// A Machine with scripted programs: hosts and lanes whose stops are written down by a test. Memory is a small heap per
// PE; times are those of one H200 node.
#pragma once
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "device/machine.hpp"
#include "tests/unit_support.hpp"
#include "transports/router.hpp"

namespace shmemu::test {

class FakeMemory : public device::Memory {
 public:
  static constexpr uint64_t kBase = 1 << 20, kBytes = 1 << 16;
  explicit FakeMemory(int pes) : bytes_(static_cast<size_t>(pes) * kBytes) {}
  static uint64_t address(int pe, uint64_t offset = 0) { return kBase + static_cast<uint64_t>(pe) * kBytes + offset; }
  std::byte* at(uint64_t address, uint64_t bytes) override {
    if (address < kBase || address - kBase + bytes > bytes_.size()) return nullptr;
    return bytes_.data() + (address - kBase);
  }
  uint64_t word(int pe, uint64_t offset = 0) {
    uint64_t value;
    std::memcpy(&value, at(address(pe, offset), 8), 8);
    return value;
  }
  void set(int pe, uint64_t offset, uint64_t value) { std::memcpy(at(address(pe, offset), 8), &value, 8); }

 private:
  std::vector<std::byte> bytes_;
};

// Hosts: one list of steps per PE. A step does something and sets host.stop; after the last one the host exits.
class ScriptedHosts : public device::HostProgram {
 public:
  using Step = std::function<void(device::Host&)>;
  std::map<int, std::vector<Step>> steps;
  void run(device::Host& host) override {
    auto& mine = steps[host.pe.value];
    size_t& at = next_[host.pe.value];
    host.stop = {};
    host.stop.issuer = host.pe;
    host.stop.kind = OpKind::exit;
    if (at < mine.size()) mine[at++](host);
  }

 private:
  std::map<int, size_t> next_;
};

// Lanes: called at each step with the step's number; returns the next stop, or none to exit.
class ScriptedKernel : public device::KernelProgram {
 public:
  using Step = std::function<std::optional<Op>(device::Lane&, int)>;
  explicit ScriptedKernel(Step step) : step_(std::move(step)) {}
  void begin(device::Cta& cta) override { ++begun, most_resident = std::max(most_resident, begun - ended); (void)cta; }
  void end(device::Cta&) override { ++ended; }
  void run(device::Lane& lane) override {
    auto number = static_cast<int>(reinterpret_cast<intptr_t>(lane.context));
    lane.context = reinterpret_cast<void*>(static_cast<intptr_t>(number) + 1);
    std::optional<Op> op = step_(lane, number);
    if (!op) op.emplace().kind = OpKind::exit;
    op->issuer = lane.pe;
    lane.stop = *op;
  }
  int begun = 0, ended = 0, most_resident = 0;

 private:
  Step step_;
};

struct Span {
  device::Place place;
  Op op;
  uint32_t lanes;
  uint64_t bytes;
  Time from, to;
};

class Rig : private device::Observer {
 public:
  explicit Rig(int pes, uint64_t adverse_seed = 0)
      : memory(pes),
        random(adverse_seed),
        router(queue, h200_node(), 8, [](PeId pe) { return GpuId{pe.value}; }, adverse_seed ? &random : nullptr),
        machine(queue, h200_node(), router, memory, 8,
                {.adverse = adverse_seed != 0, .random = &random, .observer = this}) {
    for (int i = 0; i < pes; ++i) {
      host_states.push_back(std::make_unique<device::Host>());
      host_states.back()->pe = {i};
      streams.push_back(std::make_unique<device::Stream>());
      streams.back()->number = 1;
      streams.back()->blocking = false;
      machine.add_host(*host_states.back(), hosts, {});
    }
  }
  const GpuModel& gpu() const { return h200_node().gpu; }

  // A command of `stream` that starts a grid.
  device::CommandRef launch(device::Host& host, device::Stream& stream, device::Launch shape,
                            std::shared_ptr<device::KernelProgram> program,
                            const std::vector<device::Stream*>& all = {}) {
    auto command = std::make_shared<device::Command>();
    command->kind = OpKind::launch;
    command->name = shape.name;
    PeId pe = host.pe;
    command->start = [this, weak = std::weak_ptr(command), shape, program, pe] {
      auto grid = std::make_unique<device::Grid>();
      grid->launch = shape;
      grid->pe = pe;
      grid->gpu = GpuId{pe.value};
      grid->number = launches_[pe.value]++;
      grid->program = program;
      grid->on_end = [this, c = weak.lock()] { machine.finish(c); };
      machine.start_grid(std::move(grid));
    };
    machine.submit(host, stream, all, command, {});
    return command;
  }
  // A command that takes `duration`.
  device::CommandRef busy(device::Host& host, device::Stream& stream, const std::vector<device::Stream*>& all,
                          std::string name, Time duration, const std::vector<device::CommandRef>& also = {}) {
    auto command = std::make_shared<device::Command>();
    command->kind = OpKind::copy;
    command->name = std::move(name);
    command->start = [this, weak = std::weak_ptr(command), duration] { machine.finish_later(weak.lock(), duration); };
    machine.submit(host, stream, all, command, {}, also);
    return command;
  }
  void wait_for(device::Host& host, device::CommandRef command) {
    machine.stop_until = std::move(command);
    host.stop.kind = OpKind::stream_wait;
  }
  // Every PE launches one grid of this shape, waits for its end and exits.
  std::shared_ptr<ScriptedKernel> run(uint32_t blocks, uint32_t threads, ScriptedKernel::Step step,
                                      device::Launch shape = {}) {
    shape.name = "scripted";
    shape.grid.x = blocks;
    shape.block.x = threads;
    auto kernel = std::make_shared<ScriptedKernel>(std::move(step));
    for (auto& host : host_states)
      hosts.steps[host->pe.value] = {[this, shape, kernel](device::Host& h) {
        wait_for(h, launch(h, *streams[static_cast<size_t>(h.pe.value)], shape, kernel));
      }};
    machine.run();
    return kernel;
  }
  std::vector<Span> spans_of(OpKind kind) const {
    std::vector<Span> out;
    for (const Span& s : spans)
      if (s.op.kind == kind) out.push_back(s);
    return out;
  }

  EventQueue queue;
  FakeMemory memory;
  Random random;
  Router router;
  device::Machine machine;
  ScriptedHosts hosts;
  std::vector<std::unique_ptr<device::Host>> host_states;
  std::vector<std::unique_ptr<device::Stream>> streams;
  std::vector<Span> spans;
  struct Ran {
    std::string name;
    Time from, to;
  };
  std::vector<Ran> commands;

 private:
  void span(const device::Place& p, const Op& op, uint32_t lanes, uint64_t bytes, Time from, Time to,
            uint64_t) override {
    spans.push_back({p, op, lanes, bytes, from, to});
  }
  void carried(const Op&, uint64_t, Time, Time, uint64_t) override {}
  void command(PeId, int, OpKind, const std::string& name, Time from, Time to) override {
    commands.push_back({name, from, to});
  }
  std::map<int, uint32_t> launches_;
};

inline Op op_of(OpKind kind) {
  Op op;
  op.kind = kind;
  return op;
}
// A 4- or 8-byte store to word `offset` of PE `to`.
inline Op store_op(OpKind kind, int from, int to, uint64_t offset, uint64_t bytes = 8, uint64_t site = 1) {
  Op op = op_of(kind);
  op.issuer = {from}, op.target = {to};
  op.remote = op.signal = FakeMemory::address(to, offset);
  op.bytes = bytes;
  op.site = site;
  return op;
}
// Waits until word `offset` of PE `pe` >= value.
inline Op wait_op(int pe, uint64_t offset, uint64_t value, uint8_t comparison = 5) {
  Op op = op_of(OpKind::wait);
  op.issuer = op.target = {pe};
  op.remote = FakeMemory::address(pe, offset);
  op.bytes = 8;
  op.type = 7;  // SHMEMU_U64
  op.function = comparison;
  op.value = value;
  op.site = 2;
  return op;
}

}  // namespace shmemu::test
