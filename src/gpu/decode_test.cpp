#include "gpu/decode.hpp"

#include <catch2/catch.hpp>

#include <bit>
#include <cstring>

#include "gpu/recording_endpoint.hpp"
#include "shmemu/abi.h"
#include "traces/replayer.hpp"

using namespace shmemu;
using namespace shmemu::gpu;

namespace {

constexpr uint64_t kHeaps = 0x7f00'0000'0000, kStride = 1 << 20;
constexpr uint8_t kAtLeast = 5;

// Two PEs on one node that launch one kernel each and wait for it.
struct TwoPes {
  TwoPes() {
    log.header = {"test", "hgx-h200", 2, 2, 0x1100'0000'0000, 0};
    cluster.placement = place(platform, 2);
    cluster.load_store = [](PeId, PeId) { return true; };
    cluster.gpu = &platform.gpu;
    log.header.gpus = cluster.placement.gpus();
    log.heaps = kHeaps;
    log.stride = log.scratch = kStride;
    log.header.heap_stride = std::bit_ceil(kStride + CollectiveRecorder::scratch_bytes(2, cluster.settings));
    log.clock_ghz = 1;
    log.pes.resize(2);
    for (int pe = 0; pe < 2; ++pe) {
      PeLog& p = log.pes[static_cast<size_t>(pe)];
      p.teams = std::make_shared<const Teams>(Teams{{0, 1}, {0, 1}, {0, 1}, {pe}, {pe}, {0, 1}});
      launch(pe, {});
      traces::HostEntry wait;
      wait.op.kind = OpKind::stream_wait;
      wait.awaited = 0;
      p.host.push_back(wait);
    }
  }
  LaunchLog& launch(int pe, LaunchLog made) {
    PeLog& p = log.pes[static_cast<size_t>(pe)];
    made.launch.name = "kernel";
    made.launch.block.x = 64;
    made.measured = 7_us;
    traces::HostEntry e;
    e.submit = e.has_launch = true;
    e.kind = OpKind::launch;
    e.name = "kernel";
    e.launch = made.launch;
    e.gpu = pe;
    p.host.push_back(e);
    p.launches.push_back(std::move(made));
    return p.launches.back();
  }
  shmemu_log_record& record(int pe, int kind, int scope, uint16_t thread, uint64_t begin, uint32_t duration) {
    auto& list = log.pes[static_cast<size_t>(pe)].launches[0].records;
    shmemu_log_record r{};
    r.kind = static_cast<uint8_t>(kind);
    r.scope = static_cast<uint8_t>(scope);
    r.thread = thread;
    r.begin = begin;
    r.duration = r.logged = duration;
    r.target = pe;
    list.push_back(r);
    return list.back();
  }
  uint64_t heap(int pe) const { return kHeaps + static_cast<uint64_t>(pe) * kStride; }
  const std::vector<traces::LaneEntry>& lane(const Decoded& d, int pe, uint32_t thread) {
    return d.trace.lanes.at({pe, 0, 0, thread});
  }

  Platform platform = load_platform(SHMEMU_SOURCE "/platforms", "hgx-h200");
  Cluster cluster;
  RunLog log;
};

void store(std::vector<uint32_t>& slot, uint32_t tag, uint32_t first) {
  slot.resize(4 * SHMEMU_RECORD_CHUNKS);
  for (uint32_t i = 0; i < SHMEMU_RECORD_CHUNKS; ++i) {
    slot[4 * i] = tag;
    for (uint32_t k = 0; k < 3; ++k) slot[4 * i + 1 + k] = first + 3 * i + k;
  }
}

}  // namespace

TEST_CASE("a record is read only when all of its chunks carry the tag of the lap") {
  std::vector<uint32_t> slot;
  store(slot, 2, 100);
  shmemu_log_record r;
  REQUIRE(read_record(reinterpret_cast<char*>(slot.data()), 2, r));
  CHECK(r.launch == 100);
  CHECK(r.begin == (106 | uint64_t{107} << 32));
  CHECK(r.logged == 123);
  slot[4 * 5] = 1;  // one chunk is of the lap before
  CHECK_FALSE(read_record(reinterpret_cast<char*>(slot.data()), 2, r));
}

TEST_CASE("addresses move to where the trace has the heaps") {
  TwoPes t;
  auto& r = t.record(0, SHMEMU_LOG_P, SHMEMU_THREAD, 3, 100, 10);
  r.target = 1, r.remote = t.heap(0) + 64, r.bytes = 4, r.value = 42;
  Decoded d = decode(t.log, t.cluster);
  const auto& lane = t.lane(d, 0, 3);
  REQUIRE(lane.size() == 2);  // and exit
  CHECK(lane[0].op.remote == t.log.header.heap_base + t.log.header.heap_stride + 64);
  int value;
  REQUIRE(lane[0].payload.size() == 4);
  std::memcpy(&value, lane[0].payload.data(), 4);
  CHECK(value == 42);
  CHECK(d.incomplete.empty());
}

TEST_CASE("the gap before a call is what passed since the record before was written") {
  TwoPes t;
  t.record(0, SHMEMU_LOG_FENCE, SHMEMU_THREAD, 0, 1000, 100).logged = 300;
  t.record(0, SHMEMU_LOG_QUIET, SHMEMU_THREAD, 0, 1350, 10);
  Decoded d = decode(t.log, t.cluster);
  CHECK(t.lane(d, 0, 0)[1].gap == 50_ns);
}

TEST_CASE("a block call stops all threads, a thread's wait orders later calls of the others") {
  TwoPes t;
  auto& wait = t.record(0, SHMEMU_LOG_WAIT, SHMEMU_THREAD, 0, 100, 900);
  wait.remote = t.heap(0) + 8, wait.bytes = 8, wait.type = SHMEMU_U64, wait.function = kAtLeast, wait.value = 1;
  auto& p = t.record(0, SHMEMU_LOG_P, SHMEMU_THREAD, 40, 1010, 10);
  p.target = 1, p.remote = t.heap(0), p.bytes = 8;
  auto& put = t.record(0, SHMEMU_LOG_PUT, SHMEMU_BLOCK, 0, 1100, 10);
  put.target = 1, put.remote = t.heap(0), put.local = t.heap(0), put.bytes = 4096;
  Decoded d = decode(t.log, t.cluster);
  const auto &first = t.lane(d, 0, 0), &other = t.lane(d, 0, 40);
  REQUIRE(first.size() == 4);
  CHECK(first[0].op.kind == OpKind::wait);
  CHECK(first[1].op.kind == OpKind::barrier);
  CHECK(first[2].op.scope == Scope::block);
  REQUIRE(other.size() == 4);
  CHECK(other[0].op.kind == OpKind::barrier);
  CHECK(other[1].op.kind == OpKind::p);
  CHECK(other[1].gap == 10_ns);  // since the wait had its answer
  CHECK(t.lane(d, 0, 63)[1].op.scope == Scope::block);
  CHECK(t.lane(d, 0, 63)[1].gap == 100_ns);
}

TEST_CASE("a kernel without records becomes a time, an unfinished one ends the trace") {
  TwoPes t;
  t.launch(1, {}).finished = false;
  Decoded d = decode(t.log, t.cluster);
  CHECK(d.trace.hosts[0][0].has_duration);
  CHECK(d.trace.hosts[0][0].duration == 7_us);
  CHECK(d.trace.hosts[1].back().op.kind == OpKind::exit);
}

TEST_CASE("kernels of one PE at the same time make the log incomplete") {
  TwoPes t;
  t.record(0, SHMEMU_LOG_QUIET, SHMEMU_THREAD, 0, 100, 10);
  t.log.pes[0].launches[0].overlapped = true;
  CHECK(decode(t.log, t.cluster).incomplete.size() == 1);
}

TEST_CASE("signals, a collective and scalar puts of records can be replayed") {
  TwoPes t;
  for (int pe = 0; pe < 2; ++pe) {
    auto& p = t.record(pe, SHMEMU_LOG_P, SHMEMU_THREAD, 5, 100, 10);
    p.target = 1 - pe, p.remote = t.heap(pe) + 64, p.bytes = 4, p.value = 42;
    auto& put = t.record(pe, SHMEMU_LOG_PUT_SIGNAL, SHMEMU_BLOCK, 0, 200, 10);
    put.target = 1 - pe, put.remote = t.heap(pe) + 4096, put.local = t.heap(pe), put.bytes = 1024;
    put.compare = t.heap(pe), put.value = 1;
    auto& wait = t.record(pe, SHMEMU_LOG_WAIT, SHMEMU_THREAD, 0, 300, 100);
    wait.remote = t.heap(pe), wait.bytes = 8, wait.type = SHMEMU_U64, wait.function = kAtLeast, wait.value = 1;
    auto& all = t.record(pe, SHMEMU_LOG_COLLECTIVE, SHMEMU_BLOCK, 0, 500, 100);
    all.function = SHMEMU_COLL_REDUCE, all.type = SHMEMU_I32, all.target = 0;
    all.remote = all.local = t.heap(pe) + 8192, all.value = 16, all.compare = 4, all.bytes = 64;
  }
  Decoded d = decode(t.log, t.cluster);
  RunReport report;
  auto played = traces::replay(d.trace, t.platform, report);
  CHECK(played.transfers >= 6);
  CHECK(played.commands[0].at(0) > 5_us);
  CHECK(played.commands[0].at(0) == played.commands[1].at(0));  // they did the same
}

TEST_CASE("threads that wait at a barrier for another thread's answer have not been computing") {
  TwoPes t;
  auto& wait = t.record(0, SHMEMU_LOG_WAIT, SHMEMU_THREAD, 0, 100, 900);
  wait.remote = t.heap(0) + 8, wait.bytes = 8, wait.type = SHMEMU_U64, wait.function = kAtLeast, wait.value = 1;
  auto& put = t.record(0, SHMEMU_LOG_PUT, SHMEMU_BLOCK, 0, 1100, 10);  // after __syncthreads
  put.target = 1, put.remote = t.heap(0), put.local = t.heap(0), put.bytes = 4096;
  Decoded d = decode(t.log, t.cluster);
  CHECK(t.lane(d, 0, 0)[1].gap == 100_ns);
  CHECK(t.lane(d, 0, 40)[0].gap == 100_ns);
}

TEST_CASE("a flag that nobody's logged write can have changed was stored by its owner where it was last used") {
  TwoPes t;
  auto wait = [&](size_t launch, uint64_t first, uint64_t seen) {
    auto& r = t.record(0, SHMEMU_LOG_WAIT, SHMEMU_THREAD, 5, 100, 10);
    r.type = SHMEMU_U64, r.function = kAtLeast, r.bytes = 8, r.value = 1, r.remote = t.heap(0) + 64;
    r.local = first, r.compare = seen;
    auto& launches = t.log.pes[0].launches;
    if (launch) {
      launches[launch].records.push_back(r);
      launches[0].records.pop_back();
    }
  };
  wait(0, 0, 1);
  t.launch(0, {});
  wait(1, 0, 1);  // the flag is 0 again
  auto& set = t.record(1, SHMEMU_LOG_SIGNAL, SHMEMU_THREAD, 0, 100, 10);
  set.target = 0, set.remote = t.heap(1) + 64, set.value = 1;
  Decoded d = decode(t.log, t.cluster);
  const auto& lane = t.lane(d, 0, 5);
  REQUIRE(lane.size() == 3);
  CHECK(lane[0].op.kind == OpKind::wait);
  CHECK(lane[1].op.kind == OpKind::p);
  CHECK(lane[1].op.remote == t.log.header.heap_base + 64);
  uint64_t value = 9;
  std::memcpy(&value, lane[1].payload.data(), sizeof value);
  CHECK(value == 0);
  CHECK(d.trace.lanes.at({0, 1, 0, 5}).size() == 2);
}

TEST_CASE("a flag that a peer sets is left alone") {
  TwoPes t;
  for (uint64_t first : {1, 2}) {
    auto& r = t.record(0, SHMEMU_LOG_WAIT, SHMEMU_THREAD, 5, 100 * first, 10);
    r.type = SHMEMU_U64, r.function = kAtLeast, r.bytes = 8, r.value = first, r.remote = t.heap(0) + 64;
    r.local = first, r.compare = first;
    auto& set = t.record(1, SHMEMU_LOG_SIGNAL, SHMEMU_THREAD, 0, 100 * first, 10);
    set.target = 0, set.remote = t.heap(1) + 64, set.value = first;
  }
  Decoded d = decode(t.log, t.cluster);
  CHECK(t.lane(d, 0, 5).size() == 3);  // two waits and exit
}

TEST_CASE("tickets of a fetching atomic come in the order in which they were given") {
  TwoPes t;
  auto take = [&](int pe, uint64_t answer) {
    auto& r = t.record(pe, SHMEMU_LOG_FETCH, SHMEMU_THREAD, 0, 100, 10);
    r.type = SHMEMU_U64, r.function = SHMEMU_AMO_ADD, r.bytes = 8, r.value = 1, r.local = answer;
    r.target = 0, r.remote = t.heap(pe) + 64;
  };
  take(0, 1);  // PE 1 was first
  take(1, 0);
  Decoded d = decode(t.log, t.cluster);
  RunReport report;
  traces::replay(d.trace, t.platform, report);
  const auto& lane = t.lane(d, 0, 0);
  REQUIRE(lane.size() == 3);
  CHECK(lane[0].op.kind == OpKind::wait);
  CHECK(lane[0].op.value == 1);
  CHECK(lane[0].op.remote == lane[1].op.remote);
}

TEST_CASE("a loop that reads a peer's word until it likes it is its last turn") {
  TwoPes t;
  for (uint64_t answer : {3, 3, 4}) {
    auto& r = t.record(0, SHMEMU_LOG_FETCH, SHMEMU_THREAD, 0, 100 * answer, 10);
    r.type = SHMEMU_U64, r.function = SHMEMU_AMO_FETCH, r.bytes = 8, r.local = answer;
    r.target = 1, r.remote = t.heap(0) + 64;
  }
  Decoded d = decode(t.log, t.cluster);
  const auto& lane = t.lane(d, 0, 0);
  REQUIRE(lane.size() == 3);  // wait, fetch, exit
  CHECK(lane[0].op.function == Op::kAtLeast);
  CHECK(lane[0].op.value == 4);
}

TEST_CASE("a kernel that was timed alone and waits for nobody takes that time, also on a slower GPU") {
  TwoPes t;
  auto& r = t.record(0, SHMEMU_LOG_P, SHMEMU_THREAD, 3, 100, 10);
  r.target = 1, r.remote = t.heap(0) + 64, r.bytes = 4;
  t.log.calibrated = true;
  t.log.slower = 2;
  auto& launch = t.log.pes[0].launches[0];
  launch.alone = 100_us;
  launch.launch.grid.x = 2;
  Time around = t.platform.gpu.kernel_start + t.platform.gpu.cta_start + t.platform.gpu.kernel_end;
  for (bool all_threads : {false, true}) {
    Decoded d = decode(t.log, t.cluster, all_threads);
    const auto& lane = d.trace.lanes.at({0, 0, all_threads ? 0u : 1u, 0});  // else a block of its own
    CHECK(lane.back().gap == 200_us - around);
    RunReport report;
    Time ended = traces::replay(d.trace, t.platform, report).commands[0][0];
    CHECK(ended >= 200_us);
    CHECK(ended < 205_us);
  }
  auto& wait = t.record(0, SHMEMU_LOG_WAIT, SHMEMU_THREAD, 3, 200, 10);
  wait.type = SHMEMU_U64, wait.bytes = 8, wait.remote = t.heap(0) + 128;
  CHECK(decode(t.log, t.cluster).trace.blocks.count({0, 0, 1}) == 1);  // it waits: its time says nothing
}
