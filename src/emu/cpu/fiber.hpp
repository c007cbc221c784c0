// Fibers: stacks of their own for what can be suspended, switched by the one scheduler of the process. The only place
// that knows Boost.Context and the sanitizer's view of stacks. One OS thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace shmemu::emu {

class Fiber {
 public:
  using Body = void (*)(void* argument);
  // `body` runs on the fiber's stack at the first `enter`; when it returns the fiber is finished.
  void start(Body body, void* argument);
  // From the scheduler: run until the fiber calls `leave` or ends.
  void enter();
  // From the fiber: back to the scheduler.
  static void leave();
  bool finished() const { return finished_; }
  // False once the fiber was seen deeper than its stack allows.
  bool stack_intact() const { return intact_; }
  const char* stack_low() const { return low_; }
  size_t stack_bytes() const { return bytes_; }
  const void* saved() const { return context_; }  // where its registers lie while it does not run

 private:
  friend class StackPool;
  char* low_ = nullptr;
  size_t bytes_ = 0;
  void* context_ = nullptr;
  Body body_ = nullptr;
  void* argument_ = nullptr;
  bool finished_ = true;
  bool intact_ = true;
  friend struct FiberAccess;
};

// Stacks of one size, cut from slabs, reused. The first `guarded` ones have an unmapped page below them; a process may
// have 65530 mappings and each guard costs two, so the others are only checked when their fiber leaves.
class StackPool {
 public:
  StackPool(size_t stack_bytes, size_t guarded) : bytes_(stack_bytes), guarded_(guarded) {}
  ~StackPool();
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;
  Fiber* take();
  void give(Fiber* fiber) { idle_.push_back(fiber); }
  size_t made() const { return fibers_.size(); }
  // Whether `address` lies in the guard page of one of the stacks.
  bool in_guard(uint64_t address) const;

 private:
  size_t bytes_;
  size_t guarded_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> idle_;
  std::vector<std::pair<void*, size_t>> slabs_;
  char* next_ = nullptr;
  char* end_ = nullptr;
};

}  // namespace shmemu::emu
