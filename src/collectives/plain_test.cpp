// The plain collectives over an endpoint in memory: each simulated PE is a thread of its own, signals are counters
// under one lock. Only data and participation are checked here; times belong to the machine.
#include "collectives/plain.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

using namespace shmemu;

namespace {

struct Cluster {
  static constexpr size_t kWords = 4096;
  explicit Cluster(int n) : heaps(static_cast<size_t>(n), std::vector<int>(kWords)), slots(static_cast<size_t>(n)) {}
  std::vector<std::vector<int>> heaps;
  std::vector<std::array<uint64_t, kSyncSlots>> slots;
  std::mutex lock;
  std::condition_variable changed;
};

class MemoryEndpoint : public Endpoint {
 public:
  MemoryEndpoint(Cluster& c, int me) : c_(c), me_(me) {}
  int me() const override { return me_; }
  int size() const override { return static_cast<int>(c_.heaps.size()); }
  bool leader() const override { return true; }
  void group_sync() override {}
  void spend(Overhead) override {}
  void put(void* dest, const void* source, uint64_t bytes, int peer) override {
    std::scoped_lock hold(c_.lock);
    std::memcpy(at(dest, peer), source, bytes);
  }
  void get(void* dest, const void* source, uint64_t bytes, int peer) override {
    std::scoped_lock hold(c_.lock);
    std::memcpy(dest, at(source, peer), bytes);
  }
  void signal(int slot, uint64_t value, int peer) override {
    std::scoped_lock hold(c_.lock);
    uint64_t& word = c_.slots[static_cast<size_t>(peer)][static_cast<size_t>(slot)];
    if (value != word + 1) ++bad_signals;  // 1, 2, 3 …, so that adding 1 gives the same (emu/api/collectives.cpp)
    word = value;
    ++sent;
    c_.changed.notify_all();
  }
  void wait(int slot, uint64_t at_least) override {
    std::unique_lock hold(c_.lock);
    c_.changed.wait(hold, [&] { return c_.slots[static_cast<size_t>(me_)][static_cast<size_t>(slot)] >= at_least; });
  }
  void quiet() override { ++quiets; }
  uint64_t next_sync() override { return ++syncs_; }
  void combine(void* dest, const void* source, uint64_t count) override {
    for (uint64_t i = 0; i < count; ++i) static_cast<int*>(dest)[i] += static_cast<const int*>(source)[i];
  }
  int* heap() { return c_.heaps[static_cast<size_t>(me_)].data(); }
  int sent = 0, quiets = 0, bad_signals = 0;

 private:
  char* at(const void* mine, int peer) {
    auto offset = static_cast<const char*>(mine) - reinterpret_cast<const char*>(heap());
    return reinterpret_cast<char*>(c_.heaps[static_cast<size_t>(peer)].data()) + offset;
  }
  Cluster& c_;
  int me_;
  uint64_t syncs_ = 0;
};

// Runs `body` on n PEs at once; fails when a slot's values do not count up.
void on(int n, const std::function<void(MemoryEndpoint&)>& body) {
  Cluster cluster(n);
  std::vector<std::unique_ptr<MemoryEndpoint>> ends;
  for (int i = 0; i < n; ++i) ends.push_back(std::make_unique<MemoryEndpoint>(cluster, i));
  std::vector<std::thread> threads;
  for (auto& end : ends) threads.emplace_back([&body, &end] { body(*end); });
  for (auto& t : threads) t.join();
  for (auto& end : ends) CHECK(end->bad_signals == 0);
}

const std::vector<int> kSizes{1, 2, 3, 4, 5, 7, 8, 13};
constexpr int kCount = 6;

// A result per PE, checked after the threads have ended (Catch's macros are not for several threads).
struct Verdicts {
  explicit Verdicts(int n) : good(static_cast<size_t>(n), 0) {}
  std::vector<char> good;
  void set(const Endpoint& e, bool value) { good[static_cast<size_t>(e.me())] = value; }
  bool all() const {
    for (char g : good)
      if (!g) return false;
    return true;
  }
};

}  // namespace

TEST_CASE("collectives: nobody leaves a sync before all have entered") {
  for (int n : kSizes) {
    INFO(n << " PEs");
    std::mutex lock;
    std::vector<int> entered(20);
    Verdicts ok(n);
    on(n, [&](MemoryEndpoint& e) {
      bool good = true;
      for (size_t round = 0; round < entered.size(); ++round) {
        {
          std::scoped_lock hold(lock);
          ++entered[round];
        }
        sync(e);
        std::scoped_lock hold(lock);
        good &= entered[round] == n;
      }
      // dissemination: ceil(log2 n) signals each
      int rounds = 0;
      while (1 << rounds < n) ++rounds;
      ok.set(e, good && e.sent == 20 * rounds && e.quiets == 0);
    });
    CHECK(ok.all());
  }
}

TEST_CASE("collectives: a barrier completes operations before it synchronises") {
  Verdicts ok(4);
  on(4, [&](MemoryEndpoint& e) {
    barrier(e);
    ok.set(e, e.quiets == 1 && e.sent == 2);
  });
  CHECK(ok.all());
}

TEST_CASE("collectives: broadcast gives everybody the root's data") {
  for (int n : kSizes)
    for (int root : {0, n - 1, n / 2}) {
      INFO(n << " PEs, root " << root);
      Verdicts ok(n);
      on(n, [&](MemoryEndpoint& e) {
        int *source = e.heap(), *dest = source + 100;
        for (int i = 0; i < kCount; ++i) source[i] = e.me() * 100 + i;
        sync(e);
        broadcast(e, dest, source, kCount * sizeof(int), root);
        bool good = dest[kCount] == 0;
        for (int i = 0; i < kCount; ++i) good &= dest[i] == root * 100 + i;
        ok.set(e, good);
      });
      CHECK(ok.all());
    }
}

TEST_CASE("collectives: fcollect concatenates in the order of the PEs") {
  for (int n : kSizes) {
    INFO(n << " PEs");
    Verdicts ok(n);
    on(n, [&](MemoryEndpoint& e) {
      int *source = e.heap(), *dest = source + 100;
      for (int i = 0; i < kCount; ++i) source[i] = e.me() * 100 + i;
      fcollect(e, dest, source, kCount * sizeof(int));
      bool good = dest[n * kCount] == 0;
      for (int j = 0; j < n * kCount; ++j) good &= dest[j] == j / kCount * 100 + j % kCount;
      ok.set(e, good);
    });
    CHECK(ok.all());
  }
}

TEST_CASE("collectives: alltoall puts block i of PE j to block j of PE i") {
  for (int n : kSizes) {
    INFO(n << " PEs");
    Verdicts ok(n);
    on(n, [&](MemoryEndpoint& e) {
      int *source = e.heap(), *dest = source + 1000;
      for (int j = 0; j < n * kCount; ++j) source[j] = e.me() * 10'000 + j;
      alltoall(e, dest, source, kCount * sizeof(int));
      bool good = dest[n * kCount] == 0;
      for (int from = 0; from < n; ++from)
        for (int i = 0; i < kCount; ++i) good &= dest[from * kCount + i] == from * 10'000 + e.me() * kCount + i;
      ok.set(e, good);
    });
    CHECK(ok.all());
  }
}

TEST_CASE("collectives: reduce gives everybody the sum, also in place, again and again") {
  for (int n : kSizes)
    for (bool in_place : {false, true}) {
      INFO(n << " PEs, in place " << in_place);
      Verdicts ok(n);
      on(n, [&](MemoryEndpoint& e) {
        int *source = e.heap(), *dest = in_place ? source : source + 100;
        std::vector<int> buffer(2 * kCount);
        bool good = true;
        for (int round = 0; round < 5; ++round) {
          for (int i = 0; i < kCount; ++i) source[i] = e.me() + i + round;
          reduce(e, dest, source, kCount, sizeof(int), buffer.data());
          for (int i = 0; i < kCount; ++i) good &= dest[i] == n * (n - 1) / 2 + n * (i + round);
          sync(e);  // nobody overwrites a source that is still read
        }
        ok.set(e, good);
      });
      CHECK(ok.all());
    }
}

TEST_CASE("collectives: reducescatter gives PE i the sum of block i") {
  for (int n : kSizes) {
    INFO(n << " PEs");
    Verdicts ok(n);
    on(n, [&](MemoryEndpoint& e) {
      int *source = e.heap(), *dest = source + 1000;
      std::vector<int> buffer(2 * kCount);
      for (int j = 0; j < n * kCount; ++j) source[j] = e.me() * 1000 + j;
      reducescatter(e, dest, source, kCount, sizeof(int), buffer.data());
      bool good = dest[kCount] == 0;
      for (int i = 0; i < kCount; ++i) good &= dest[i] == 1000 * n * (n - 1) / 2 + n * (e.me() * kCount + i);
      ok.set(e, good);
    });
    CHECK(ok.all());
  }
}
