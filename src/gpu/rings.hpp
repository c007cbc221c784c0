// The rings in which kernels log their calls (shmemu/gpu/record.h), and the thread that empties them. Writers wait when
// a ring is full, so the thread must run whenever kernels do. Host memory is CUDA's; tests give ordinary memory.
#pragma once
#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "shmemu/gpu/record.h"

namespace shmemu::gpu {

// The host's side of some rings that lie one after the other in `slots`.
class RingReader {
 public:
  RingReader(const char* slots, volatile unsigned long long* tails, int rings, uint32_t capacity)
      : slots_(slots), tails_(tails), capacity_(capacity), next_(static_cast<size_t>(rings)) {}
  // Takes what has been written completely; true if there was something.
  bool drain(std::vector<shmemu_log_record>& out);

 private:
  const char* slots_;
  volatile unsigned long long* tails_;
  uint32_t capacity_;
  std::vector<uint64_t> next_;
};

class Drain {
 public:
  explicit Drain(std::vector<RingReader> readers);  // one per PE
  ~Drain();
  Drain(const Drain&) = delete;
  Drain& operator=(const Drain&) = delete;
  // Everything that `pe` has logged so far; call it when its kernels have ended to have all of them.
  std::vector<shmemu_log_record> take(int pe);
  uint64_t count() const { return count_; }

 private:
  void work();
  std::vector<RingReader> readers_;
  std::vector<std::vector<shmemu_log_record>> taken_;
  std::mutex mutex_;
  std::atomic<bool> end_{false};
  std::atomic<uint64_t> count_{0};
  std::thread thread_;
};

}  // namespace shmemu::gpu
