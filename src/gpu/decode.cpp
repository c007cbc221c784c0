#include "gpu/decode.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "gpu/recording_endpoint.hpp"
#include "shmemu/abi.h"

namespace shmemu::gpu {
namespace {

using traces::LaneEntry;
using Record = shmemu_log_record;

OpKind kind_of(int logged) {
  switch (logged) {
    case SHMEMU_LOG_PUT:
      return OpKind::put;
    case SHMEMU_LOG_GET:
      return OpKind::get;
    case SHMEMU_LOG_P:
      return OpKind::p;
    case SHMEMU_LOG_G:
      return OpKind::g;
    case SHMEMU_LOG_IPUT:
      return OpKind::iput;
    case SHMEMU_LOG_IGET:
      return OpKind::iget;
    case SHMEMU_LOG_PUT_SIGNAL:
      return OpKind::put_signal;
    case SHMEMU_LOG_SIGNAL:
      return OpKind::signal;
    case SHMEMU_LOG_ATOMIC:
      return OpKind::atomic;
    case SHMEMU_LOG_FETCH:
      return OpKind::fetch;
    case SHMEMU_LOG_WAIT:
      return OpKind::wait;
    case SHMEMU_LOG_TEST:
      return OpKind::test;
    case SHMEMU_LOG_FENCE:
      return OpKind::fence;
    case SHMEMU_LOG_QUIET:
      return OpKind::quiet;
    default:
      return OpKind::none;
  }
}

// Calls whose answer comes from another PE.
bool observes(int logged) {
  switch (logged) {
    case SHMEMU_LOG_GET:
    case SHMEMU_LOG_G:
    case SHMEMU_LOG_IGET:
    case SHMEMU_LOG_FETCH:
    case SHMEMU_LOG_WAIT:
    case SHMEMU_LOG_TEST:
      return true;
    default:
      return false;
  }
}

class Decoder {
 public:
  Decoder(const RunLog& log, const Cluster& cluster, bool all_threads)
      : log_(log), cluster_(cluster), collectives_(log, cluster), all_threads_(all_threads) {}

  Decoded run() {
    out_.trace.header = log_.header;
    out_.trace.sparse = !all_threads_;
    find_writers();
    find_silent_times();
    out_.trace.hosts.resize(log_.pes.size());
    for (size_t pe = 0; pe < log_.pes.size(); ++pe) decode_pe(static_cast<int>(pe));
    if (outside_)
      out_.notes.push_back(fmt::format("{} waits on memory outside the symmetric heap count as computing", outside_));
    if (stores_)
      out_.notes.push_back(fmt::format(
          "{} flags were changed by the program's own stores, which are not logged: put where they were last used",
          stores_));
    if (shared_)
      out_.notes.push_back(
          fmt::format("{} kernels could not be timed alone: their computing is not corrected", shared_));
    if (tests_)
      out_.notes.push_back(
          "the program tests flags: how often depends on time, so another platform may run another way");
    return std::move(out_);
  }

 private:
  void decode_pe(int pe) {
    pe_ = pe;
    const PeLog& log = log_.pes[static_cast<size_t>(pe)];
    auto& host = out_.trace.hosts[static_cast<size_t>(pe)];
    size_t number = 0;
    for (traces::HostEntry e : log.host) {
      if (e.has_launch) {
        const LaunchLog& launch = log.launches[number];
        if (!launch.finished) break;  // not over when its times are asked for: the trace ends before it
        e.kernel = static_cast<int64_t>(number++);
        blocks_of_launch_ = 0;
        if (!decode_launch(pe, static_cast<uint32_t>(e.kernel), launch)) {  // it said nothing: a time is all there is
          e.has_launch = false;
          e.has_duration = true;
          e.duration = scaled(silent_time(launch));
          shared_ += log_.calibrated && !launch.alone;
        }
      }
      if (e.has_launch && blocks_of_launch_) e.launch.grid = {static_cast<uint32_t>(blocks_of_launch_), 1, 1};
      host.push_back(std::move(e));
    }
    if (host.empty() || host.back().op.kind != OpKind::exit) {  // still running: its trace ends here
      traces::HostEntry e;
      e.op.kind = OpKind::exit;
      e.op.issuer = e.op.target = PeId{pe};
      host.push_back(e);
    }
  }

  // A kernel that logged nothing: the shortest time of its like, since sharing a GPU only makes it longer. Times by the
  // host's clock count when there is nothing better.
  using Shape = std::tuple<std::string, uint64_t, uint64_t, bool>;
  static Shape shape(const LaunchLog& l, bool exact) {
    return {l.launch.name, l.launch.grid.count(), l.launch.block.count(), exact};
  }
  void find_silent_times() {
    for (const PeLog& pe : log_.pes)
      for (const LaunchLog& l : pe.launches) {
        if (!l.finished || l.launch.internal || !l.records.empty()) continue;
        Time t = l.alone.value_or(l.measured);
        auto [at, fresh] = silent_times_.try_emplace(shape(l, l.exact || l.alone), t);
        if (!fresh) at->second = std::min(at->second, t);
      }
  }
  Time silent_time(const LaunchLog& l) const {
    auto at = silent_times_.find(shape(l, true));
    if (at == silent_times_.end()) at = silent_times_.find(shape(l, false));
    return at == silent_times_.end() ? l.measured : at->second;
  }

  Time scaled(Time t) const { return {static_cast<int64_t>(static_cast<double>(t.ps) * log_.slower)}; }
  Time cycles(uint64_t n) const {
    return {static_cast<int64_t>(static_cast<double>(n) * 1000.0 / log_.clock_ghz * log_.slower)};
  }
  uint64_t offset(int pe, uint64_t address) const {
    return address - log_.heaps - static_cast<uint64_t>(pe) * log_.stride;
  }
  bool in_heap(int pe, uint64_t address) const { return offset(pe, address) < log_.stride; }
  // The copy on `target` of an address of `pe`, where the trace has it.
  uint64_t moved(int pe, int target, uint64_t address) const {
    return in_heap(pe, address)
               ? log_.header.heap_base + static_cast<uint64_t>(target) * log_.header.heap_stride + offset(pe, address)
               : address;
  }

  // One block under decoding: the lists of its threads.
  struct Block {
    uint32_t launch = 0, index = 0;
    std::set<const Record*> lone_fetches;  // fetching atomics that no other lane of the warp made with them
    std::vector<std::vector<LaneEntry>> threads;
    std::vector<uint64_t> end;                        // SM clock at the end of the thread's last call
    uint64_t answer = 0, logged = 0;                  // end of the last call that observed, and of its logging …
    uint32_t answered_first = 0, answered_count = 0;  // … by these threads
    bool open = false;                                // and nobody else has been seen after it
  };

  bool decode_launch(int pe, uint32_t number, const LaunchLog& log) {
    launch_ = &log;
    if (log.collective) return decode_host_collective(pe, number, log), true;
    if (!log.operations.empty()) {
      auto& list = out_.trace.lanes[{pe, number, 0, 0}];
      for (const LaneEntry& e : log.operations)
        list.push_back({e.op, Payload(e.payload.data(), e.payload.size()), e.gap, e.work});
      end_thread(pe, list);
      return true;
    }
    if (log.records.empty()) return false;
    if (log.overlapped)
      out_.incomplete.push_back(
          fmt::format("PE {}: kernel {} ran at the same time as another kernel of its PE; whose "
                      "operations are whose is not logged",
                      pe, log.launch.name));
    auto threads = static_cast<uint32_t>(log.launch.block.count());
    std::map<uint32_t, Block> blocks;
    std::map<uint32_t, std::vector<const Record*>> by_block;
    for (const Record& r : log.records) by_block[r.block].push_back(&r);
    // The whole time of such a kernel is known: its silent blocks become one that takes it.
    bool alone = timed_alone(log);
    if (alone && !all_threads_) {
      std::map<uint32_t, std::vector<const Record*>> numbered;
      for (auto& [index, records] : by_block) numbered[static_cast<uint32_t>(numbered.size())] = std::move(records);
      by_block = std::move(numbered);
      blocks_of_launch_ = by_block.size() + 1;
    }
    for (auto& [index, records] : by_block) {
      // places in the ring are claimed early; the end of a call, on the one clock of the block's SM, gives the order
      std::stable_sort(records.begin(), records.end(), [](const Record* a, const Record* b) {
        return a->begin + a->duration < b->begin + b->duration;
      });
      Block& b = blocks[index];
      b.threads.resize(threads);
      uint64_t first = UINT64_MAX;
      for (const Record* r : records) first = std::min(first, r->begin);
      b.end.assign(threads, first);
      b.launch = number, b.index = index;
      find_lone_fetches(b, records);
      for (const Record* r : records) add(pe, b, *r);
    }
    for (auto& [index, b] : blocks)
      for (uint32_t t = 0; t < threads; ++t) {
        if (!all_threads_ && b.threads[t].empty()) continue;
        end_thread(pe, b.threads[t]);
        out_.trace.lanes[{pe, number, index, t}] = std::move(b.threads[t]);
      }
    if (all_threads_) {
      std::vector<device::Work> silent((threads + 31) / 32);
      for (uint32_t i = 0; i < log.launch.grid.count(); ++i)
        if (!blocks.count(i)) out_.trace.blocks[{pe, number, i}] = silent;
    }
    if (alone) add_computing(pe, number, log, blocks.rbegin()->first);
    return true;
  }

  // Computing outside a thread's first and last call is not in its records. A kernel that was timed alone and waits for
  // nobody takes at least that time: one of its threads ends no earlier, and none computes longer.
  bool timed_alone(const LaunchLog& log) {
    bool waits = std::any_of(log.records.begin(), log.records.end(),
                             [](const Record& r) { return observes(r.kind) || r.kind == SHMEMU_LOG_COLLECTIVE; });
    if (!log_.calibrated || waits) return false;
    shared_ += !log.alone;
    return log.alone.has_value();
  }
  void add_computing(int pe, uint32_t number, const LaunchLog& log, uint32_t last_block) {
    Time around = cluster_.gpu->kernel_start + cluster_.gpu->cta_start + cluster_.gpu->kernel_end;
    Time own = std::max(scaled(*log.alone) - around, Time{});
    auto& lanes = out_.trace.lanes;
    for (auto at = lanes.lower_bound({pe, number, 0, 0});
         at != lanes.end() && at->first.pe == pe && at->first.kernel == number; ++at) {
      Time gaps;
      for (const LaneEntry& e : at->second) gaps += e.gap;
      if (gaps <= own) continue;
      double part = static_cast<double>(own.ps) / static_cast<double>(gaps.ps);
      for (LaneEntry& e : at->second) e.gap = {static_cast<int64_t>(static_cast<double>(e.gap.ps) * part)};
    }
    if (!all_threads_) {  // one more block, which only computes: see decode_launch
      auto& list = lanes[{pe, number, last_block + 1, 0}];
      end_thread(pe, list);
      list.back().gap = own;
      return;
    }
    auto& list = lanes.lower_bound({pe, number, last_block, 0})->second;  // what lies between its calls is counted
    for (const LaneEntry& e : list) own = own > e.gap ? own - e.gap : Time{};
    list.back().gap += own;
  }

  void end_thread(int pe, std::vector<LaneEntry>& list) const {
    Op op;
    op.kind = OpKind::exit;
    op.issuer = op.target = PeId{pe};
    list.push_back({op, {}, {}, {}});
  }

  // The threads that made the call: first and number.
  static std::pair<uint32_t, uint32_t> group(const Block& b, const Record& r) {
    auto all = static_cast<uint32_t>(b.threads.size());
    if (r.scope == SHMEMU_BLOCK) return {0, all};
    if (r.scope == SHMEMU_THREAD) return {r.thread, 1};
    uint32_t width = r.scope == SHMEMU_WARP ? 32 : 128, from = r.thread / width * width;
    return {from, std::min(width, all - from)};
  }

  void add(int pe, Block& b, const Record& r) {
    auto [from, count] = group(b, r);
    if (r.scope == SHMEMU_BLOCK && b.open &&
        r.begin >= b.answer)  // all threads come to it, and waited for the answer until then
      for (uint64_t& end : b.end) end = std::max(end, b.logged);
    bool others = b.open && (from != b.answered_first || count != b.answered_count);
    if (others && r.begin >= b.answer && r.scope != SHMEMU_BLOCK) meet(pe, b);
    if (r.scope == SHMEMU_BLOCK) b.open = false;
    if (r.kind == SHMEMU_LOG_COLLECTIVE) {
      add_collective(pe, b, r, from, count);
    } else {
      add_operation(pe, b, r, from, count);
    }
    for (uint32_t t = from; t < from + count; ++t)
      b.end[t] = r.begin + std::max(r.duration, r.logged);  // logging is no work of the program
    if (observes(r.kind) && r.scope != SHMEMU_BLOCK) {
      b.open = true;
      b.answer = r.begin + r.duration;
      b.logged = r.begin + std::max(r.duration, r.logged);
      b.answered_first = from, b.answered_count = count;
    } else if (b.open && !others) {  // what these threads do next, the others wait for as well
      b.answer = std::max(b.answer, r.begin + r.duration);
      b.logged = std::max(b.logged, r.begin + std::max(r.duration, r.logged));
    }
  }

  void meet(int pe, Block& b) {
    Op op;
    op.kind = OpKind::barrier;
    op.function = 3;
    op.issuer = op.target = PeId{pe};
    for (size_t t = 0; t < b.threads.size(); ++t) {
      b.threads[t].push_back({op, {}, {}, {}});
      b.end[t] = std::max(b.end[t], b.logged);
    }
    b.open = false;
  }

  Time gap(const Block& b, const Record& r, uint32_t thread) const {
    return r.begin > b.end[thread] ? cycles(r.begin - b.end[thread]) : Time{};
  }

  void add_operation(int pe, Block& b, const Record& r, uint32_t from, uint32_t count) {
    bool local_wait = (r.kind == SHMEMU_LOG_WAIT || r.kind == SHMEMU_LOG_TEST) && !in_heap(pe, r.remote);
    if (local_wait) {  // the time it took passes with the next gap
      ++outside_;
      return;
    }
    if (r.kind == SHMEMU_LOG_TEST) ++tests_;
    if (r.kind == SHMEMU_LOG_FETCH) ++out_.fetches;
    bool expects = false;
    if (r.kind == SHMEMU_LOG_FETCH && b.lone_fetches.contains(&r)) {
      size_t before = b.threads[from].size();
      if (expect_answer(b.threads[from], r)) return;
      expects = b.threads[from].size() > before;
    }
    if (r.kind == SHMEMU_LOG_WAIT || r.kind == SHMEMU_LOG_TEST) see(pe, b, r);
    Op op;
    op.kind = kind_of(r.kind);
    op.scope = r.scope == SHMEMU_BLOCK ? Scope::block : r.scope == SHMEMU_THREAD ? Scope::thread : Scope::warp;
    op.nbi = r.flags & SHMEMU_LOG_NBI;
    op.type = r.type;
    op.function = r.function;
    op.issuer = {pe};
    op.target = {r.target};
    op.site = static_cast<uint64_t>(r.kind);  // one of each kind: the call's line is not logged
    op.remote = r.remote ? moved(pe, r.target, r.remote) : 0;
    op.local = moved(pe, pe, r.local);
    op.bytes = r.bytes;
    Payload payload;
    switch (r.kind) {
      case SHMEMU_LOG_P:
      case SHMEMU_LOG_PUT:
        if (r.bytes <= 8) payload = Payload(&r.value, r.bytes);
        break;
      case SHMEMU_LOG_PUT_SIGNAL:
        op.signal = moved(pe, r.target, r.compare);
        op.value = r.value;
        op.signal_op = r.flags & SHMEMU_LOG_ADD ? Op::kSignalAdd : Op::kSignalSet;
        break;
      case SHMEMU_LOG_SIGNAL:
        op.signal = op.remote;
        op.value = r.value;
        op.bytes = 0;
        op.signal_op = r.flags & SHMEMU_LOG_ADD ? Op::kSignalAdd : Op::kSignalSet;
        break;
      case SHMEMU_LOG_ATOMIC:
      case SHMEMU_LOG_FETCH:
        op.value = r.value;
        op.compare = r.compare;
        op.local = 0;
        break;
      case SHMEMU_LOG_IPUT:
      case SHMEMU_LOG_IGET:
        op.elements = r.elements;
        op.remote_stride = r.remote_stride;
        op.local_stride = r.local_stride;
        break;
      case SHMEMU_LOG_WAIT:
        op.value = r.value;
        op.local = 0;
        op.flags |= Op::kEndsWithFence;
        break;
      case SHMEMU_LOG_TEST:
        op.value = r.value;
        op.local = 0;
        break;
      case SHMEMU_LOG_FENCE:
        op.function = r.function ? Op::kSystemFence : Op::kNvshmemFence;
        break;
      default:
        break;
    }
    for (uint32_t t = from; t < from + count; ++t) {
      Time before = gap(b, r, t);
      if (expects) b.threads[t].back().gap = std::exchange(before, {});
      b.threads[t].push_back({op, Payload(payload.data(), payload.size()), before, {}});
    }
  }

  CollectiveCall collective_call(int pe, const LaunchLog& log, int kind, int team, uint64_t dest, uint64_t source,
                                 uint64_t count, uint64_t element_bytes, int type, int op, int root) const {
    CollectiveCall c;
    c.pe = {pe};
    c.team = team;
    c.members = (log.teams ? *log.teams : *log_.pes[static_cast<size_t>(pe)].teams).at(static_cast<size_t>(team));
    c.collective = static_cast<Collective>(kind);
    c.call = {reinterpret_cast<void*>(moved(pe, pe, dest)), reinterpret_cast<const void*>(moved(pe, pe, source)), count,
              element_bytes, root};
    c.floating = type == SHMEMU_F32 || type == SHMEMU_F16 || type == SHMEMU_BF16;
    c.sum = op == SHMEMU_SUM;
    c.in_place = dest == source;
    return c;
  }

  void add_collective(int pe, Block& b, const Record& r, uint32_t from, uint32_t count) {
    CollectiveCall c = collective_call(pe, *launch_, r.function, static_cast<int>(r.team & 0xffffff), r.remote, r.local,
                                       r.value, r.compare, r.type, static_cast<int>(r.team >> 24), r.target);
    c.scope = r.scope == SHMEMU_BLOCK ? Scope::block : r.scope == SHMEMU_THREAD ? Scope::thread : Scope::warp;
    if (r.scope == SHMEMU_WARPGROUP) {
      c.barrier = 15 - static_cast<int>(from / 128);
      c.barrier_threads = b.threads.size() <= 128 ? 0 : (count + 31) / 32 * 32;
    }
    std::vector<std::vector<LaneEntry>*> threads;
    std::vector<size_t> lengths;
    for (uint32_t t = from; t < from + count; ++t)
      threads.push_back(&b.threads[t]), lengths.push_back(b.threads[t].size());
    collectives_.record(c, threads);
    for (uint32_t i = 0; i < count; ++i)  // computing before the call comes before its first operation
      if (threads[i]->size() > lengths[i]) (*threads[i])[lengths[i]].gap += gap(b, r, from + i);
  }

  void decode_host_collective(int pe, uint32_t number, const LaunchLog& log) {
    const HostCollective& h = *log.collective;
    CollectiveCall c =
        collective_call(pe, log, h.kind, h.team, h.dest, h.source, h.count, h.element_bytes, h.type, h.op, h.root);
    StreamShape shape =
        stream_shape({.collective = c.collective, .count = c.call.count, .element_bytes = c.call.element_bytes}, {});
    c.scope = shape.scope;
    c.internal = true;
    std::vector<std::vector<LaneEntry>*> threads;
    for (uint32_t t = 0; t < shape.threads; ++t) threads.push_back(&out_.trace.lanes[{pe, number, 0, t}]);
    collectives_.record(c, threads);
    for (auto* list : threads) end_thread(pe, *list);
  }

  // ---- answers of fetching atomics ----

  void find_lone_fetches(Block& b, const std::vector<const Record*>& records) const {
    std::map<uint32_t, const Record*> last;  // by warp
    std::set<const Record*> together;
    for (const Record* r : records) {
      if (r->kind != SHMEMU_LOG_FETCH) continue;
      const Record*& before = last[r->thread / 32];
      if (before && before->thread != r->thread && r->begin < before->begin + before->duration)
        together.insert(r), together.insert(before);
      before = r;
      b.lone_fetches.insert(r);
    }
    for (const Record* r : together) b.lone_fetches.erase(r);
  }

  // The program went on with the answer: in the replay the atomic is made when the word gives that answer. A loop that
  // only reads the word until it likes what it sees becomes its last turn: true, and the list is as it should be.
  bool expect_answer(std::vector<LaneEntry>& list, const Record& r) const {
    if (r.type == SHMEMU_F32 || r.type == SHMEMU_F64) return false;
    bool reads = r.function == SHMEMU_AMO_FETCH;
    bool swaps = r.function == SHMEMU_AMO_COMPARE_SWAP;
    bool changed = r.function == SHMEMU_AMO_ADD ? r.value != 0 : swaps ? r.local == r.compare : r.local != r.value;
    if (!reads && !changed) return false;  // a lock that was taken: the next try counts
    Op op;
    op.kind = OpKind::wait;
    op.type = r.type;
    op.function = reads ? Op::kAtLeast : Op::kEqual;
    op.issuer = op.target = PeId{pe_};
    op.remote = moved(pe_, r.target, r.remote);
    op.bytes = r.bytes;
    op.value = r.local;
    size_t n = list.size();
    if (reads && n >= 2 && list[n - 1].op.kind == OpKind::fetch && list[n - 1].op.remote == op.remote &&
        list[n - 1].op.function == r.function && list[n - 2].op.kind == OpKind::wait) {
      list[n - 2].op.value = op.value;
      return true;
    }
    list.push_back({op, {}, {}, {}});
    return false;
  }

  // ---- flags that the program's own stores change ----

  // Who writes a word in ways that the log shows.
  struct Writers {
    std::set<uint64_t> values;         // that are set
    bool adds = false, other = false;  // other: who knows
  };
  void find_writers() {
    std::set<uint64_t> watched;
    for (size_t pe = 0; pe < log_.pes.size(); ++pe)
      for (const LaunchLog& launch : log_.pes[pe].launches)
        for (const Record& r : launch.records)
          if (r.kind == SHMEMU_LOG_WAIT || r.kind == SHMEMU_LOG_TEST)
            watched.insert(moved(static_cast<int>(pe), static_cast<int>(pe), r.remote));
    if (watched.empty()) return;
    Writers nobody_looks;
    for (size_t pe = 0; pe < log_.pes.size(); ++pe)
      for (const LaunchLog& launch : log_.pes[pe].launches) {
        for (const Record& r : launch.records) {
          auto word = [&](uint64_t address) -> Writers& {
            uint64_t at = moved(static_cast<int>(pe), r.target, address);
            return watched.contains(at) ? writers_[at] : nobody_looks;
          };
          switch (r.kind) {
            case SHMEMU_LOG_PUT_SIGNAL:
            case SHMEMU_LOG_SIGNAL: {
              Writers& w = word(r.kind == SHMEMU_LOG_SIGNAL ? r.remote : r.compare);
              if (r.flags & SHMEMU_LOG_ADD) {
                w.adds = true;
              } else {
                w.values.insert(r.value);
              }
              break;
            }
            case SHMEMU_LOG_P:
              word(r.remote).values.insert(r.value);
              break;
            case SHMEMU_LOG_PUT:
              if (r.bytes <= 8) word(r.remote).values.insert(r.value);
              break;
            case SHMEMU_LOG_ATOMIC:
            case SHMEMU_LOG_FETCH:
              if (r.function == SHMEMU_AMO_ADD) {
                word(r.remote).adds = true;
              } else if (r.function == SHMEMU_AMO_SET) {
                word(r.remote).values.insert(r.value);
              } else if (r.function != SHMEMU_AMO_FETCH) {
                word(r.remote).other = true;
              }
              break;
            default:
              break;
          }
        }
        for (const LaneEntry& e : launch.operations) {
          if (e.op.signal) writers_[e.op.signal].other = true;
          if (e.op.remote && e.op.kind != OpKind::wait) writers_[e.op.remote].other = true;
        }
      }
  }

  struct Seen {
    uint64_t value = 0, end = 0;
    uint32_t launch = 0, block = 0, thread = 0;
    bool any = false;
  };
  // A wait began with a word that differs from what its PE saw there last. If nobody whose writes are logged can have
  // made that value, the program did it by a plain store (or a copy, or a memset), most likely when it was done with
  // the last one: the store is put at the end of that kernel's thread, or before this wait.
  void see(int pe, Block& b, const Record& r) {
    uint64_t address = moved(pe, pe, r.remote), first = r.local;
    Seen& last = seen_[address];
    bool later = last.any && last.launch != b.launch;
    bool same = last.any && last.launch == b.launch && last.block == b.index && r.begin >= last.end;
    if ((!last.any || later || same) && first != last.value) {
      const Writers& w = writers_[address];
      bool possible = w.other || w.values.contains(first) || (w.adds && first > last.value);
      if (!possible) {
        Op op;
        op.kind = OpKind::p;
        op.flags = Op::kNative;
        op.issuer = op.target = {pe};
        op.remote = address;
        op.bytes = r.bytes;
        uint64_t value = w.adds ? 0 : first;  // a counter is set to zero; what was added since is in the log
        auto& list = later ? out_.trace.lanes[{pe, last.launch, last.block, last.thread}] : b.threads[r.thread];
        list.insert(list.end() - (later ? 1 : 0), LaneEntry{op, Payload(&value, r.bytes), {}, {}});
        ++stores_;
      }
    }
    uint64_t value = r.compare;
    if (last.any && last.launch == b.launch && !same) value = std::max(value, last.value);  // of several that look
    last = {value, r.begin + r.duration, b.launch, b.index, r.thread, true};
  }

  const RunLog& log_;
  const Cluster& cluster_;
  CollectiveRecorder collectives_;
  const bool all_threads_;
  Decoded out_;
  std::map<uint64_t, Writers> writers_;  // by address in the trace
  std::map<uint64_t, Seen> seen_;
  std::map<Shape, Time> silent_times_;
  int pe_ = 0;                         // under decoding
  size_t blocks_of_launch_ = 0;        // if not all of them are in the trace
  const LaunchLog* launch_ = nullptr;  // under decoding
  size_t outside_ = 0, tests_ = 0, stores_ = 0, shared_ = 0;
};

}  // namespace

Decoded decode(const RunLog& log, const Cluster& cluster, bool all_threads) {
  return Decoder(log, cluster, all_threads).run();
}

bool read_record(const char* slot, uint32_t tag, shmemu_log_record& out) {
  uint32_t words[SHMEMU_RECORD_WORDS];
  for (int i = 0; i < SHMEMU_RECORD_CHUNKS; ++i) {
    // a chunk was stored as one; the tag is read first and the rest again if it was late
    const auto* chunk = reinterpret_cast<const volatile uint32_t*>(slot + 16 * i);
    if (chunk[0] != tag) return false;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    for (int k = 0; k < 3; ++k) words[3 * i + k] = chunk[1 + k];
  }
  auto wide = [&](int i) { return words[i] | static_cast<uint64_t>(words[i + 1]) << 32; };
  out = {};
  out.launch = words[0];
  out.kind = static_cast<uint8_t>(words[1]);
  out.scope = static_cast<uint8_t>(words[1] >> 8);
  out.type = static_cast<uint8_t>(words[1] >> 16);
  out.function = static_cast<uint8_t>(words[1] >> 24);
  out.block = words[2];
  out.thread = static_cast<uint16_t>(words[3]);
  out.flags = static_cast<uint16_t>(words[3] >> 16);
  out.target = static_cast<int32_t>(words[4]);
  out.sm = words[5];
  out.begin = wide(6);
  out.local_stride = static_cast<int32_t>(words[8]);
  out.team = words[9];
  out.remote = wide(10);
  out.local = wide(12);
  out.bytes = words[14] | static_cast<uint64_t>(words[15]) << 32;
  out.value = wide(16);
  out.compare = wide(18);
  out.elements = words[20];
  out.remote_stride = static_cast<int32_t>(words[21]);
  out.duration = words[22];
  out.logged = words[23];
  return true;
}

}  // namespace shmemu::gpu
