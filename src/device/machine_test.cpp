// The machine with scripted lanes. Closed forms stand above the cases.
#include "device/machine.hpp"

#include <catch2/catch.hpp>

#include <set>

#include "base/errors.hpp"
#include "device/warp_ops.hpp"
#include "shmemu/abi.h"
#include "tests/device_fakes.hpp"

using namespace shmemu;
using namespace shmemu::device;
using test::FakeMemory;
using test::op_of;
using test::Rig;
using test::store_op;
using test::wait_op;

namespace {

using MaybeOp = std::optional<Op>;

Op quiet_op() { return op_of(OpKind::quiet); }
Op nvshmem_fence_op() {
  Op op = op_of(OpKind::fence);
  op.function = 2;
  return op;
}
Op sleep_op(Time t) {
  Op op = op_of(OpKind::sleep);
  op.value = static_cast<uint64_t>(t.ps);
  return op;
}
Op barrier_op(int id = 0, uint32_t expected = 0) {
  Op op = op_of(OpKind::barrier);
  op.value = static_cast<uint64_t>(id);
  op.compare = expected;
  op.function = 3;
  return op;
}
Op poll_op(Rig& rig, int pe, uint64_t offset, uint8_t flags = 0) {
  Op op = op_of(OpKind::poll);
  op.remote = FakeMemory::address(pe, offset);
  op.bytes = 8;
  op.value = rig.memory.word(pe, offset);  // what the loop has just read
  op.flags = flags;
  op.site = 3;
  return op;
}
Payload word(uint64_t value) { return {&value, 8}; }

std::string deadlock_of(const std::function<void()>& run) {
  try {
    run();
  } catch (const UserError& e) {
    CHECK(e.code() == ExitCode::deadlock);
    return e.what();
  }
  return "";
}

}  // namespace

// ---- costs of single operations ----

TEST_CASE("machine: p and quiet take 1.009, an atomic and quiet 1.055") {
  for (auto [kind, expected] : {std::pair{OpKind::p, 1.009_us}, std::pair{OpKind::atomic, 1.055_us}}) {
    Rig rig(2);
    Time begin, end;
    rig.run(1, 1, [&, kind = kind](Lane& lane, int n) -> MaybeOp {
      if (lane.pe.value != 0) return std::nullopt;
      if (n == 0) {
        begin = lane.time;
        Op op = store_op(kind, 0, 1, 0);
        op.type = SHMEMU_U64, op.function = SHMEMU_AMO_SET, op.value = 7;
        rig.machine.post(lane, op, word(7));
        return quiet_op();
      }
      end = lane.time;
      return std::nullopt;
    });
    CHECK(end - begin == expected);
    CHECK(rig.memory.word(1) == 7);
  }
}

TEST_CASE("machine: a signal reaches a waiting thread in 0.764, a p and wait_until in 1.227, an atomic in 1.273") {
  struct Case {
    OpKind kind;
    uint8_t flags;
    Time expected;
  };
  for (Case c : {Case{OpKind::signal, 0, 0.764_us}, Case{OpKind::p, Op::kEndsWithFence, 1.227_us},
                 Case{OpKind::atomic, Op::kEndsWithFence, 1.273_us}}) {
    Rig rig(2);
    Time begin, end;
    rig.run(1, 1, [&](Lane& lane, int n) -> MaybeOp {
      if (lane.pe.value == 0) {
        if (n == 0) return sleep_op(5_us);  // the other one waits by then
        if (n > 1) return std::nullopt;
        begin = lane.time;
        Op op = store_op(c.kind, 0, 1, 0);
        op.type = SHMEMU_U64, op.function = SHMEMU_AMO_SET, op.value = 7, op.signal_op = 9;
        rig.machine.post(lane, op, word(7));
        return std::nullopt;
      }
      if (n == 0) {
        Op op = wait_op(1, 0, 7);
        op.flags = c.flags;
        return op;
      }
      end = lane.time;
      return std::nullopt;
    });
    CHECK(end - begin == c.expected);
  }
}

TEST_CASE("machine: g answers after a remote load of 0.0267 + 0.006 + 0.86 with the value") {
  Rig rig(2);
  rig.memory.set(1, 64, 42);
  Time begin, end;
  rig.run(1, 1, [&](Lane& lane, int n) -> MaybeOp {
    if (lane.pe.value == 1) return std::nullopt;
    if (n == 0) {
      begin = lane.time;
      Op op = store_op(OpKind::g, 0, 1, 64);
      op.local = FakeMemory::address(0, 128);
      return op;
    }
    end = lane.time;
    return std::nullopt;
  });
  CHECK(end - begin == 0.0267_us + 0.006_us + 0.86_us);
  CHECK(rig.memory.word(0, 128) == 42);
}

TEST_CASE("machine: fetching atomics of a warp are applied one after the other and each gets its own old value") {
  Rig rig(2);
  std::set<uint64_t> tickets;
  rig.run(1, 32, [&](Lane& lane, int n) -> MaybeOp {
    if (lane.pe.value == 1) return std::nullopt;
    if (n == 0) {
      Op op = store_op(OpKind::fetch, 0, 1, 0);
      op.type = SHMEMU_U64, op.function = SHMEMU_AMO_ADD, op.value = 1;
      return op;
    }
    tickets.insert(lane.result);
    return std::nullopt;
  });
  CHECK(tickets.size() == 32);
  CHECK(*tickets.rbegin() == 31);
  CHECK(rig.memory.word(1) == 32);
}

// ---- folding ----

TEST_CASE("machine: 32 lanes that call p on one line are one transfer") {
  Rig rig(2);
  rig.run(1, 32, [&](Lane& lane, int n) -> MaybeOp {
    if (lane.pe.value == 0 && n == 0)
      rig.machine.post(lane, store_op(OpKind::p, 0, 1, lane.index * 4u, 4), word(lane.index));
    return std::nullopt;
  });
  CHECK(rig.machine.counters().transfers == 1);
  auto spans = rig.spans_of(OpKind::p);
  REQUIRE(spans.size() == 1);
  CHECK(spans[0].lanes == 32);
  CHECK(spans[0].bytes == 128);
  CHECK(spans[0].place.mask == ~0u);
  for (uint32_t i = 0; i < 32; ++i) {
    uint32_t value;
    std::memcpy(&value, rig.memory.at(FakeMemory::address(1, i * 4), 4), 4);
    CHECK(value == i);
  }
}

TEST_CASE("machine: lanes on several lines share an instruction, other PEs and call sites make another") {
  auto spans_of = [](const std::function<Op(int)>& op, int pes) {
    Rig rig(pes);
    rig.run(1, 32, [&](Lane& lane, int n) -> MaybeOp {
      if (lane.pe.value == 0 && n == 0) rig.machine.post(lane, op(lane.index), word(1));
      return std::nullopt;
    });
    return rig.spans_of(OpKind::p);
  };
  auto offset = [](int lane) { return static_cast<uint64_t>(lane) * 8; };
  auto one_line = spans_of([&](int) { return store_op(OpKind::p, 0, 1, 0, 4); }, 2);
  auto two_lines = spans_of([&](int i) { return store_op(OpKind::p, 0, 1, offset(i)); }, 2);
  auto two_targets = spans_of([&](int i) { return store_op(OpKind::p, 0, 1 + i % 2, offset(i)); }, 3);
  auto two_sites =
      spans_of([&](int i) { return store_op(OpKind::p, 0, 1, offset(i), 8, 1 + static_cast<uint64_t>(i % 2)); }, 2);
  REQUIRE(one_line.size() == 1);
  REQUIRE(two_lines.size() == 1);
  CHECK(two_targets.size() == 2);
  CHECK(two_sites.size() == 2);
}

TEST_CASE("machine: two calls of each lane are two warp instructions in program order") {
  Rig rig(2);
  rig.run(1, 32, [&](Lane& lane, int n) -> MaybeOp {
    if (lane.pe.value == 0 && n == 0)
      for (uint64_t site : {5, 6})
        rig.machine.post(lane, store_op(OpKind::p, 0, 1, lane.index * 4u, 4, site), word(site));
    return std::nullopt;
  });
  auto spans = rig.spans_of(OpKind::p);
  REQUIRE(spans.size() == 2);
  CHECK(spans[0].op.site == 5);
  CHECK(spans[1].op.site == 6);
  CHECK(spans[1].from >= spans[0].to);
}

// ---- ordering ----

TEST_CASE("machine: quiet waits for what its block has posted, not for other blocks") {
  Rig rig(2);
  Time end[2];
  rig.run(2, 1, [&](Lane& lane, int n) -> MaybeOp {
    if (lane.pe.value != 0) return std::nullopt;
    uint32_t block = lane.warp->cta->index;
    if (n == 0) {
      if (block == 0) rig.machine.post(lane, store_op(OpKind::put, 0, 1, 0, 32768), {});  // takes 190 µs
      return quiet_op();
    }
    end[block] = lane.time;
    return std::nullopt;
  });
  CHECK(end[0] > 100_us);
  CHECK(end[1] < rig.gpu().kernel_start + 1_us);
}

TEST_CASE("machine: under adverse schedules a fence orders operations to one PE without waiting") {
  int overtaken_elsewhere = 0, stale = 0;
  const std::vector<char> ones(1024, 1);
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    Rig rig(3, seed);
    Time before, after;
    Time arrived[3];
    rig.run(1, 1, [&](Lane& lane, int n) -> MaybeOp {
      int pe = lane.pe.value;
      if (pe == 0) {
        if (n == 0) {
          rig.machine.post(lane, store_op(OpKind::put, 0, 1, 0, 1024), Payload(ones.data(), ones.size()));
          before = lane.time;
          return nvshmem_fence_op();
        }
        if (n > 1) return std::nullopt;
        after = lane.time;
        rig.machine.post(lane, store_op(OpKind::p, 0, 1, 2048), word(1));
        rig.machine.post(lane, store_op(OpKind::p, 0, 2, 2048, 8, 2), word(1));
        return quiet_op();
      }
      if (n == 0) return wait_op(pe, 2048, 1);
      if (pe == 1 && rig.memory.word(1, 1016) == 0) ++stale;
      arrived[pe] = rig.queue.now();
      return std::nullopt;
    });
    // posting the put costs 5.97 µs: 32 sectors × (0.1597 + 0.0267) + 0.17; the fence itself 0.588
    CHECK(after - before < 7_us);
    if (arrived[2] < arrived[1]) ++overtaken_elsewhere;
  }
  CHECK(stale == 0);
  CHECK(overtaken_elsewhere > 0);  // other PEs are not in that order
}

TEST_CASE("machine: 50 adverse schedules never show a flag before the data that a fence put before it") {
  for (bool fenced : {true, false}) {
    int stale = 0;
    for (uint64_t seed = 1; seed <= 50; ++seed) {
      Rig rig(2, seed);
      rig.run(1, 1, [&](Lane& lane, int n) -> MaybeOp {
        if (lane.pe.value == 0) {
          if (n == 0) {
            rig.machine.post(lane, store_op(OpKind::p, 0, 1, 0), word(1));
            if (fenced) return nvshmem_fence_op();
          }
          if (n == (fenced ? 1 : 0)) rig.machine.post(lane, store_op(OpKind::p, 0, 1, 2048, 8, 2), word(1));
          return std::nullopt;
        }
        if (n == 0) return wait_op(1, 2048, 1);
        if (rig.memory.word(1, 0) == 0) ++stale;
        return std::nullopt;
      });
    }
    CHECK((stale > 0) == !fenced);
  }
}

// ---- barriers and warps ----

TEST_CASE("machine: a barrier joins clocks by the maximum") {
  Rig rig(1);
  std::set<int64_t> after;
  Time begin;
  rig.run(1, 128, [&](Lane& lane, int n) -> MaybeOp {
    if (n == 0) {
      begin = lane.time;
      lane.gap = Time{static_cast<int64_t>(lane.thread) * 1000};  // thread t computes t ns
      return barrier_op();
    }
    after.insert((lane.time - begin).ps);
    return std::nullopt;
  });
  CHECK(after == std::set<int64_t>{(127_ns + rig.gpu().cta_barrier).ps});
}

TEST_CASE("machine: a named barrier of 64 threads lets the other 64 go on") {
  Rig rig(1);
  Time end[128];
  rig.run(1, 128, [&](Lane& lane, int n) -> MaybeOp {
    if (n == 0) {
      if (lane.thread >= 64) return sleep_op(50_us);
      return barrier_op(1, 64);
    }
    end[lane.thread] = lane.time;
    return std::nullopt;
  });
  CHECK(end[0] < rig.gpu().kernel_start + 1_us);
  CHECK(end[127] >= 50_us);
}

TEST_CASE("machine: threads that have exited count as arrived") {
  Rig rig(1);
  int passed = 0;
  rig.run(1, 64, [&](Lane& lane, int n) -> MaybeOp {
    if (lane.thread >= 40) return std::nullopt;
    if (n == 0) return barrier_op();
    ++passed;
    return std::nullopt;
  });
  CHECK(passed == 40);
}

TEST_CASE("machine: a barrier counts predicates") {
  Rig rig(1);
  std::set<uint64_t> counts, alls, anys;
  rig.run(1, 64, [&](Lane& lane, int n) -> MaybeOp {
    if (n == 1) counts.insert(lane.result);
    if (n == 2) alls.insert(lane.result);
    if (n == 3) anys.insert(lane.result);
    if (n == 3) return std::nullopt;
    Op op = barrier_op();
    op.function = static_cast<uint8_t>(n);
    op.local = lane.thread % 2;
    return op;
  });
  CHECK(counts == std::set<uint64_t>{32});
  CHECK(alls == std::set<uint64_t>{0});
  CHECK(anys == std::set<uint64_t>{1});
}

TEST_CASE("machine: a warp operation waits for the lanes of its mask and joins their clocks") {
  Rig rig(1);
  std::vector<std::pair<uint64_t, Time>> even, odd;
  Time begin;
  rig.run(1, 32, [&](Lane& lane, int n) -> MaybeOp {
    bool is_odd = lane.index % 2;
    if (n == 0) {
      begin = lane.time;
      lane.gap = Time{lane.index * 1000};
      Op op = op_of(OpKind::warp);
      op.function = static_cast<uint8_t>(WarpOp::ballot);
      op.value = is_odd ? 0xaaaaaaaa : 0x55555555;
      op.compare = 1;
      return op;
    }
    (is_odd ? odd : even).emplace_back(lane.result, lane.time - begin);
    return std::nullopt;
  });
  REQUIRE(even.size() == 16);
  REQUIRE(odd.size() == 16);
  for (auto& [result, time] : even) CHECK((result == 0x55555555 && time == 30_ns + rig.gpu().warp_op));
  for (auto& [result, time] : odd) CHECK((result == 0xaaaaaaaa && time == 31_ns + rig.gpu().warp_op));
}

TEST_CASE("machine: activemask gives the lanes that stand at the same call") {
  Rig rig(1);
  std::set<uint64_t> low, high;
  rig.run(1, 32, [&](Lane& lane, int n) -> MaybeOp {
    if (n == 1) (lane.index < 8 ? low : high).insert(lane.result);
    if (n == 1) return std::nullopt;
    Op op = op_of(OpKind::warp);
    op.function = static_cast<uint8_t>(WarpOp::active_mask);
    op.site = lane.index < 8 ? 1 : 2;
    return op;
  });
  CHECK(low == std::set<uint64_t>{0xff});
  CHECK(high == std::set<uint64_t>{0xffffff00});
}

TEST_CASE("machine: a block-scoped put is one transfer of all threads") {
  Rig rig(2);
  for (uint64_t i = 0; i < 128; ++i) rig.memory.set(0, i * 8, i + 1);
  rig.run(1, 128, [&](Lane& lane, int n) -> MaybeOp {
    if (lane.pe.value == 1 || n == 1) return std::nullopt;
    Op op = store_op(OpKind::put, 0, 1, 0, 1024);
    op.scope = Scope::block;
    op.local = FakeMemory::address(0);
    return op;
  });
  CHECK(rig.machine.counters().transfers == 1);
  CHECK(rig.memory.word(1, 1016) == 128);
}

TEST_CASE("machine: lanes that leave the same poll make their next call as one request") {
  Rig rig(2);
  rig.run(1, 32, [&](Lane& lane, int n) -> MaybeOp {
    if (lane.pe.value == 1 || n == 3) return std::nullopt;
    if (n == 1) {  // goes on at once: the loop can end otherwise, and the lane has changed memory since its last poll
      Op op = poll_op(rig, 0, 0);
      op.flags = SHMEMU_POLL_MIXED;
      return op;
    }
    return store_op(OpKind::g, 0, 1, lane.index * 8u);
  });
  CHECK(rig.machine.counters().transfers == 2);
}

TEST_CASE("machine: a grid barrier releases all blocks at once") {
  Rig rig(1);
  std::set<int64_t> after;
  Time latest;
  rig.run(10, 64, [&](Lane& lane, int n) -> MaybeOp {
    if (n == 0) {
      lane.gap = Time{static_cast<int64_t>(lane.warp->cta->index) * 1'000'000};
      latest = std::max(latest, lane.time + lane.gap);
      return op_of(OpKind::grid_sync);
    }
    after.insert(lane.time.ps);
    return std::nullopt;
  });
  CHECK(after == std::set<int64_t>{(latest + rig.gpu().grid_barrier + rig.gpu().grid_barrier_per_cta * 10).ps});
}

// ---- residency ----

TEST_CASE("machine: blocks that do not fit wait for a place") {
  Rig rig(1);
  auto kernel = rig.run(300, 1024, [](Lane&, int n) -> MaybeOp {
    if (n == 0) return sleep_op(10_us);
    return std::nullopt;
  });
  CHECK(kernel->begun == 300);
  CHECK(kernel->most_resident == 264);
  // two waves of 10 µs
  CHECK(rig.commands[0].to - rig.commands[0].from > 20_us);
  CHECK(rig.commands[0].to - rig.commands[0].from < 25_us);
}

TEST_CASE("machine: an empty kernel takes its start, one block's start and its end") {
  Rig rig(1);
  rig.run(1, 1, [](Lane&, int) -> MaybeOp { return std::nullopt; });
  CHECK(rig.commands[0].to - rig.commands[0].from == rig.gpu().kernel_start + rig.gpu().cta_start + rig.gpu().kernel_end);
}

// ---- polls ----

TEST_CASE("machine: a poll sleeps and wakes on delivery") {
  Rig rig(2);
  Time sent, seen;
  int polls = 0;
  rig.run(1, 1, [&](Lane& lane, int n) -> MaybeOp {
    if (lane.pe.value == 0) {
      if (n == 0) return sleep_op(1'000'000_us);  // a second
      if (n > 1) return std::nullopt;
      sent = lane.time;
      rig.machine.post(lane, store_op(OpKind::p, 0, 1, 0), word(1));
      return std::nullopt;
    }
    if (rig.memory.word(1)) {
      seen = lane.time;
      return std::nullopt;
    }
    ++polls;
    return poll_op(rig, 1, 0);
  });
  CHECK(polls < 10);  // it does not spin through the second
  // issue 0.027 + flight 0.405 + the time until the polling thread has it 0.332
  // the loop's own load from L2 is counted work of the thread, which a scripted one has not
  CHECK(seen - sent == 0.764_us - rig.gpu().l2_load);
}

TEST_CASE("machine: a poll wakes by a memset or copy of its line, and by a store that a fence shows") {
  for (bool fence : {false, true}) {
    Rig rig(1);
    Time seen;
    rig.run(1, 64, [&](Lane& lane, int n) -> MaybeOp {
      if (lane.thread == 32) {
        if (n == 0) return sleep_op(20_us);
        if (n > 1) return std::nullopt;
        rig.memory.set(0, 0, 5);  // an ordinary store: nobody notices
        if (fence) {
          Op op = op_of(OpKind::fence);
          op.function = 1;
          return op;
        }
        rig.machine.memory_changed(PeId{0}, FakeMemory::address(0), 8);
        return std::nullopt;
      }
      if (lane.thread != 0) return std::nullopt;
      if (rig.memory.word(0)) {
        seen = lane.time;
        return std::nullopt;
      }
      return poll_op(rig, 0, 0);
    });
    CHECK(seen >= 20_us);
    CHECK(seen < 24_us);
  }
}

TEST_CASE("machine: a poll that also reads a clock wakes at growing intervals") {
  Rig rig(1);
  int polls = 0;
  Time end;
  rig.run(1, 1, [&](Lane& lane, int) -> MaybeOp {
    if (lane.time > 1'000'000_us) {  // the program's own time-out
      end = lane.time;
      return std::nullopt;
    }
    ++polls;
    return poll_op(rig, 0, 0, SHMEMU_POLL_CLOCK);
  });
  CHECK(polls < 1000);
  CHECK(end < 1'100'000_us);  // not much later than it wanted
}

TEST_CASE("machine: a test loop ends when the word changes") {
  Rig rig(2);
  int tests = 0;
  rig.run(1, 1, [&](Lane& lane, int n) -> MaybeOp {
    if (lane.pe.value == 0) {
      if (n == 0) return sleep_op(10_us);
      if (n == 1) rig.machine.post(lane, store_op(OpKind::p, 0, 1, 0), word(1));
      return std::nullopt;
    }
    if (n > 0 && lane.result) return std::nullopt;
    ++tests;
    Op op = wait_op(1, 0, 1);
    op.kind = OpKind::test;
    return op;
  });
  // one test per L2 round trip of 0.263 µs for 10.45 µs
  CHECK(tests == Approx(10.45 / 0.263).margin(2));
}

TEST_CASE("machine: a wait on one of several words wakes by any of them") {
  Rig rig(2);
  bool woke = false;
  rig.run(1, 1, [&](Lane& lane, int n) -> MaybeOp {
    if (lane.pe.value == 0) {
      if (n == 0) rig.machine.post(lane, store_op(OpKind::p, 0, 1, 40 * 8), word(1));
      return std::nullopt;
    }
    if (n > 0) {
      woke = true;
      return std::nullopt;
    }
    Op op = wait_op(1, 0, 1);
    op.kind = OpKind::wait_set;
    op.elements = 64;
    op.flags = 1;  // any
    return op;
  });
  CHECK(woke);
}

TEST_CASE("machine: a host may wait for a value, too") {
  Rig rig(2);
  Time seen;
  auto kernel = std::make_shared<test::ScriptedKernel>([&](Lane& lane, int n) -> MaybeOp {
    if (n == 0) return sleep_op(10_us);
    if (n == 1) rig.machine.post(lane, store_op(OpKind::p, 0, 1, 0), word(9));
    return std::nullopt;
  });
  rig.hosts.steps[0] = {[&](Host& h) { rig.wait_for(h, rig.launch(h, *rig.streams[0], {}, kernel)); }};
  rig.hosts.steps[1] = {[&](Host& h) { h.stop = wait_op(1, 0, 9); },
                        [&](Host& h) {
                          seen = h.time;
                          h.stop.kind = OpKind::exit;
                        }};
  rig.machine.run();
  CHECK(seen > 10_us);
  CHECK(seen < 14_us);
}

// ---- deadlocks ----

TEST_CASE("machine: a wait for a value that nobody writes is a deadlock with a report") {
  Rig rig(2);
  rig.memory.set(0, 64, 3);
  std::string text = deadlock_of([&] {
    rig.run(1, 2, [&](Lane& lane, int n) -> MaybeOp {
      if (lane.pe.value == 1 || n > 0) return std::nullopt;
      return wait_op(0, 64, 7, 0);
    });
  });
  INFO(text);
  for (const char* part :
       {"deadlock: every thread waits and nothing can move", "PE 0 scripted block 0 thread 0 and 1 more like it waits",
        "site 0x2", "== 7", "it is 3", "nobody has written it", "PE 0 host waits", "already ended: PE 1"})
    CHECK(text.find(part) != std::string::npos);
}

TEST_CASE("machine: the report names the last writer of the word") {
  Rig rig(2);
  std::string text = deadlock_of([&] {
    rig.run(1, 1, [&](Lane& lane, int n) -> MaybeOp {
      if (lane.pe.value == 1) {
        if (n == 0) rig.machine.post(lane, store_op(OpKind::p, 1, 0, 64, 8, 0x55), word(6));
        return std::nullopt;
      }
      if (n > 0) return std::nullopt;
      return wait_op(0, 64, 7);
    });
  });
  INFO(text);
  for (const char* part : {"it is 6", "last written by PE 1 (p) at", "site 0x55"})
    CHECK(text.find(part) != std::string::npos);
}

TEST_CASE("machine: a barrier that one thread never reaches is a deadlock") {
  Rig rig(1);
  std::string text = deadlock_of([&] {
    rig.run(1, 64, [&](Lane& lane, int n) -> MaybeOp {
      if (n > 0) return std::nullopt;
      return lane.thread == 0 ? wait_op(0, 0, 1) : barrier_op();
    });
  });
  INFO(text);
  CHECK(text.find("and 62 more like it waits at site 0x0 in __syncthreads") != std::string::npos);
}

TEST_CASE("machine: blocks that cannot become resident are named with the numbers") {
  Rig rig(1);
  std::string text = deadlock_of([&] {
    rig.run(300, 1024, [&](Lane&, int n) -> MaybeOp {
      if (n > 0) return std::nullopt;
      return wait_op(0, 0, 1);
    });
  });
  CHECK(text.find(
            "has 36 blocks that cannot become resident: the GPU holds 264 blocks of this kernel at once, the launch "
            "has 300") != std::string::npos);
  CHECK(text.find("and 270335 more like it") != std::string::npos);
}

TEST_CASE("machine: a poll that nothing can end is a deadlock") {
  Rig rig(1);
  std::string text = deadlock_of([&] { rig.run(1, 1, [&](Lane&, int) -> MaybeOp { return poll_op(rig, 0, 64); }); });
  INFO(text);
  CHECK(text.find("spins at site 0x3 on") != std::string::npos);
  CHECK(text.find("which stays 0") != std::string::npos);
}

TEST_CASE("machine: two runs of one script are equal to the picosecond") {
  auto times = [](uint64_t seed) {
    Rig rig(4, seed);
    rig.run(2, 64, [&](Lane& lane, int n) -> MaybeOp {
      int me = lane.pe.value, right = (me + 1) % 4;
      if (n == 0) rig.machine.post(lane, store_op(OpKind::p, me, right, lane.thread * 8), word(1));
      if (n == 0) return barrier_op();
      if (n == 1) return wait_op(me, lane.thread * 8, 1);
      return std::nullopt;
    });
    std::vector<int64_t> out;
    for (auto& s : rig.spans) out.push_back(s.from.ps), out.push_back(s.to.ps);
    return out;
  };
  CHECK(times(0) == times(0));
  CHECK(times(5) == times(5));
  CHECK(times(5) != times(6));
}
