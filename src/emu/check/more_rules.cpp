// Rules that are no pairs of accesses in the shadow: sym.uninitialised, order.source-reuse of a thread's own memory,
// stream.false-dependency.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "emu/check/checker.hpp"
#include "emu/core/world.hpp"

namespace shmemu::emu::checks {
namespace {

bool all_zero(uint64_t address, uint64_t bytes) {
  auto* p = reinterpret_cast<const std::byte*>(address);
  return std::all_of(p, p + bytes, [](std::byte b) { return b == std::byte{}; });
}

Access fresh_allocation(const World& world, const Access& of) {
  Access a;
  a.how = How::fresh;
  a.event.pe = PeId{world.heap.slot_of(of.address)};
  a.target = of.target;
  a.address = of.address, a.bytes = of.bytes;
  a.call = "allocation";
  if (const Allocation* found = world.heap.find(of.address)) a.site = found->site, a.call = found->what;
  return a;
}

constexpr const char* kInitialise =
    "clear the memory before others may use it: nvshmem_calloc, or a memset that a barrier follows";

}  // namespace

// ---- sym.uninitialised ----

// A remote read, or an update that adds to what is there; the first write of a word that announces something.
void Checker::read_of_fresh(const Access& a) {
  Unwritten& unwritten = shadow_.unwritten();
  if (unwritten.empty() || !a.bytes || !in_heap(a.address)) return;
  bool reads = a.how == How::remote_read || (a.how == How::update && a.adds) || a.op == OpKind::fetch;
  if (!unwritten.any(a.address, a.bytes)) return;
  if (!reads) {
    if (a.is_flag_sized()) first_flags_.try_emplace(a.address, a.event);
    return;
  }
  if (!all_zero(a.address, a.bytes)) return;  // somebody wrote it whom nobody saw
  report("sym.uninitialised",
         a.how == How::remote_read ? "memory is read that nobody has written yet"
                                   : "an operation adds to a word that nobody has written yet",
         kInitialise, fresh_allocation(world_, a), a);
}

// The waiter looks at what was there before the first flag came, unless it knows that one has come.
void Checker::wait_for_fresh(const Strand& who, const Access& wait) {
  if (first_flags_.empty() && shadow_.unwritten().empty()) return;
  auto first = first_flags_.find(wait.address);
  bool fresh = first != first_flags_.end()
                   ? !who.knows(first->second)
                   : shadow_.unwritten().any(wait.address, wait.bytes) && all_zero(wait.address, wait.bytes);
  if (fresh)
    report("sym.uninitialised", "a wait looks at a word whose first value nobody has written", kInitialise,
           fresh_allocation(world_, wait), wait);
}

// ---- order.source-reuse ----

void Checker::keep_source(Strand& who, const Op& op, const Access& put) {
  constexpr uint64_t kMostBytes = 64;
  constexpr size_t kMostSources = 16;
  if (op.elements || op.bytes > kMostBytes || world_.device_memory.contains(op.local)) return;
  if (!who.sources) who.sources = std::make_shared<std::vector<OwnSource>>();
  if (who.sources.use_count() > 1) who.sources = std::make_shared<std::vector<OwnSource>>(*who.sources);
  if (who.sources->size() == kMostSources) who.sources->erase(who.sources->begin());
  OwnSource s{put, op.local, std::vector<std::byte>(op.bytes)};
  s.put.posted = true;
  s.put.event = who.now;
  std::memcpy(s.bytes.data(), reinterpret_cast<const void*>(op.local), op.bytes);
  who.sources->push_back(std::move(s));
}

// At the thread's next operation, or at its end, when its memory goes away.
void Checker::look_at_sources(Strand& who, bool ends) {
  if (!who.sources) return;
  auto& list = *who.sources;
  std::erase_if(list, [&](const OwnSource& s) {
    if (who.knowledge->delivered.covers(s.put.event, s.put.target, s.put.ticket)) return true;
    bool changed = !ends && std::memcmp(s.bytes.data(), reinterpret_cast<const void*>(s.address), s.bytes.size()) != 0;
    if (!changed && !ends) return false;
    Access now = s.put;
    now.how = How::fresh;
    now.call = ends ? "end of the thread" : "changed value";
    report("order.source-reuse",
           ends ? "the source of a non-blocking put is a variable of a thread that ends before the put is complete"
                : "the source of a non-blocking put, a variable of the thread, changes before the put is complete",
           "call nvshmem_quiet before, or send a single value by nvshmem_p, which takes it at the call", s.put, now);
    return true;
  });
  if (list.empty()) who.sources.reset();
}

// ---- stream.false-dependency ----

// Streams of a device share hardware queues when there are more of them: 8 by default, CUDA_DEVICE_MAX_CONNECTIONS
// (CUDA C++ programming guide, environment variables). A kernel that waits for later work of another stream may then
// keep it from starting.
void Checker::freed_by_later_work(const Strand& who, const Knowledge& learned, const Access& wait) {
  if (!who.now.block) return;
  static constexpr size_t kConnections = 8, kMost = 32, kOfTheLibrary = 1;
  const char* asked = std::getenv("CUDA_DEVICE_MAX_CONNECTIONS");
  size_t queues = asked ? std::clamp<size_t>(static_cast<size_t>(std::atoi(asked)), 1, kMost) : kConnections;
  const Pe& pe = *world_.all_pes[static_cast<size_t>(who.now.pe.value)];
  if (pe.cuda.streams.size() <= queues + kOfTheLibrary) return;
  if (learned.executed.newest_command(who.now.pe, who.now.stream) <= who.now.command) return;
  uint64_t later = learned.executed.newest_command(who.now.pe, who.now.stream);
  auto at = commands_.find({who.now.pe, later});
  if (at == commands_.end()) return;
  Access other;
  other.how = How::fresh;
  other.event = at->second.strand.now;
  other.site = at->second.site;
  other.call = at->second.name.c_str();
  other.target = wait.target, other.address = wait.address, other.bytes = wait.bytes;
  report(
      "stream.false-dependency",
      fmt::format("a kernel waits for work that was put later into another stream; this PE has {} streams and the GPU "
                  "{} queues, so both may share one",
                  pe.cuda.streams.size(), queues),
      "put the work that is waited for into its stream first, or use fewer streams, or set "
      "CUDA_DEVICE_MAX_CONNECTIONS",
      wait, other);
}

}  // namespace shmemu::emu::checks
