#include "gpu/rings.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

using namespace shmemu::gpu;

namespace {

// A ring as kernels write it, by CPU threads: claim, wait for room, store chunk by chunk with the lap's tag.
struct Writer {
  static constexpr uint32_t kCapacity = 16;
  std::vector<uint32_t> slots = std::vector<uint32_t>(kCapacity * 4 * SHMEMU_RECORD_CHUNKS);
  std::atomic<unsigned long long> head{0};
  volatile unsigned long long tail = 0;
  std::atomic<uint64_t> waited{0};

  void write(uint32_t launch, uint32_t value) {
    uint64_t n = head++;
    while (n - tail >= kCapacity) ++waited, std::this_thread::yield();
    auto* slot = slots.data() + n % kCapacity * 4 * SHMEMU_RECORD_CHUNKS;
    for (int i = 0; i < SHMEMU_RECORD_CHUNKS; ++i) {
      for (int k = 1; k < 4; ++k)
        __atomic_store_n(&slot[4 * i + k], i == 0 && k == 1 ? launch : value, __ATOMIC_RELAXED);
      __atomic_store_n(&slot[4 * i], static_cast<uint32_t>(n / kCapacity) + 1, __ATOMIC_RELEASE);
    }
  }
};

}  // namespace

TEST_CASE("a ring that is full makes its writers wait and loses nothing") {
  Writer ring;
  constexpr uint32_t kWriters = 3, kEach = 2000;
  std::vector<shmemu_log_record> got;
  {
    Drain drain({RingReader(reinterpret_cast<char*>(ring.slots.data()), &ring.tail, 1, Writer::kCapacity)});
    std::vector<std::thread> writers;
    for (uint32_t w = 0; w < kWriters; ++w)
      writers.emplace_back([&ring, w] {
        for (uint32_t i = 0; i < kEach; ++i) ring.write(w, i);
      });
    for (auto& w : writers) w.join();
    got = drain.take(0);
    CHECK(drain.count() == kWriters * kEach);
  }
  REQUIRE(got.size() == kWriters * kEach);
  CHECK(ring.waited > 0);  // it was full
  std::vector<uint32_t> next(kWriters);
  for (const auto& r : got) CHECK(r.block == next[r.launch]++);  // each writer's records in its order
}
