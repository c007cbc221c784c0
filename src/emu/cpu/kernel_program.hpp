// Kernels as fibers: a CUDA thread runs straight through and keeps a stack only while it is stopped. Compiled kernels
// come from the program's image; native ones are C++ functions of the runtime (on_stream operations).
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "device/actor.hpp"
#include "emu/cpu/fiber.hpp"
#include "shmemu/abi.h"

namespace shmemu::emu {

class World;
struct Pe;

// A stack together with the thread context that compiled code reads.
struct Worker {
  Fiber* fiber = nullptr;
  shmemu_thread_context thread{};
  device::Lane* lane = nullptr;
  device::Cta* cta = nullptr;
  uint64_t native_site = 0;  // Current::native_site while the thread is stopped
};

class WorkerPool {
 public:
  explicit WorkerPool(size_t stack_bytes) : stacks_(stack_bytes, kGuardedStacks) {}
  Worker* take();
  void give(Worker* worker);
  const StackPool& stacks() const { return stacks_; }
  static constexpr size_t kGuardedStacks = 8192;

 private:
  StackPool stacks_;
  std::vector<std::unique_ptr<Worker>> all_;
  std::vector<Worker*> idle_;
};

class FiberKernel : public device::KernelProgram {
 public:
  FiberKernel(World& world, Pe& pe) : world_(world), pe_(pe) {}
  void begin(device::Cta& cta) override;
  void run(device::Lane& lane) override;
  void end(device::Cta& cta) override;

 protected:
  virtual uint64_t shared_bytes(const device::Cta&) const { return 0; }
  virtual void call(Worker& worker) = 0;  // one thread, on its fiber
  struct BlockState {
    shmemu_block_context context;
    char* shared;
  };
  void enter(Worker& worker, device::Lane* lane, device::Cta& cta);
  void set_thread(Worker& worker, device::Lane& lane);
  World& world_;
  Pe& pe_;
  uint64_t static_shared_ = 0;

 private:
  static void body(void* worker);
};

// A kernel of the program with its argument values.
class CompiledKernel : public FiberKernel {
 public:
  CompiledKernel(World& world, Pe& pe, const shmemu_kernel& kernel, const shmemu_module& module, void** arguments,
                 uint64_t dynamic_shared);
  bool run_block(device::Cta& cta, std::vector<device::Work>& warps) override;

 private:
  uint64_t shared_bytes(const device::Cta&) const override { return static_shared_ + dynamic_shared_; }
  void call(Worker&) override { (checked_ ? kernel_.checked : kernel_.entry)(arguments_.data()); }
  static void block_body(void* worker);
  const shmemu_kernel& kernel_;
  bool checked_;  // as of its launch
  uint64_t dynamic_shared_;
  std::vector<std::byte> values_;
  std::vector<void*> arguments_;
};

class NativeKernel : public FiberKernel {
 public:
  NativeKernel(World& world, Pe& pe, std::function<void()> thread)
      : FiberKernel(world, pe), thread_(std::move(thread)) {}

 private:
  void call(Worker&) override { thread_(); }
  std::function<void()> thread_;
};

}  // namespace shmemu::emu

// The running CUDA thread, read by compiled code.
extern "C" shmemu_thread_context* __shmemu_thread;
