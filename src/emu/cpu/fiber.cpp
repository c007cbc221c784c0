#include "emu/cpu/fiber.hpp"

#include <sys/mman.h>

#include <boost/context/detail/fcontext.hpp>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "base/errors.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace shmemu::emu {
namespace {

using boost::context::detail::fcontext_t;
using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

// The scheduler's side of the switch. Fibers exist once per process and thread, like the stack pointer itself.
fcontext_t g_scheduler = nullptr;
Fiber* g_running = nullptr;

// Closer than this to the end of its stack, a fiber has overrun it or is about to.
constexpr size_t kReserve = 1024;
constexpr size_t kPage = 4096;
// Tops of neighbouring stacks map to different cache sets (measured: 5-25 % on barriers).
constexpr size_t kColours = 32, kColourStep = 320;

#if defined(__SANITIZE_ADDRESS__)
const void* g_scheduler_stack = nullptr;
size_t g_scheduler_stack_bytes = 0;
#endif

}  // namespace

struct FiberAccess {
  static void run(transfer_t from) {
    g_scheduler = from.fctx;
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(nullptr, &g_scheduler_stack, &g_scheduler_stack_bytes);
#endif
    Fiber* self = g_running;
    self->body_(self->argument_);
    self->finished_ = true;
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(nullptr, g_scheduler_stack, g_scheduler_stack_bytes);
#endif
    jump_fcontext(g_scheduler, nullptr);
  }
};

void Fiber::start(Body body, void* argument) {
  body_ = body;
  argument_ = argument;
  finished_ = false;
  intact_ = true;
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(low_, bytes_);  // a thread that left by exit has not unwound its frames
#endif
  size_t colour = (reinterpret_cast<uintptr_t>(low_) / bytes_ % kColours) * kColourStep / 64 * 64;
  context_ = make_fcontext(low_ + bytes_ - colour, bytes_ - colour, FiberAccess::run);
}

void Fiber::enter() {
  Fiber* outer = g_running;
  fcontext_t outer_scheduler = g_scheduler;
  g_running = this;
#if defined(__SANITIZE_ADDRESS__)
  void* fake = nullptr;
  const void* outer_stack = g_scheduler_stack;
  size_t outer_bytes = g_scheduler_stack_bytes;
  __sanitizer_start_switch_fiber(&fake, low_, bytes_);
#endif
  transfer_t back = jump_fcontext(context_, nullptr);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
  g_scheduler_stack = outer_stack;
  g_scheduler_stack_bytes = outer_bytes;
#endif
  context_ = back.fctx;
  g_running = outer;
  g_scheduler = outer_scheduler;
}

void Fiber::leave() {
  char here;
  if (static_cast<size_t>(&here - g_running->low_) < kReserve || &here < g_running->low_) g_running->intact_ = false;
#if defined(__SANITIZE_ADDRESS__)
  void* fake = nullptr;
  __sanitizer_start_switch_fiber(&fake, g_scheduler_stack, g_scheduler_stack_bytes);
#endif
  transfer_t back = jump_fcontext(g_scheduler, nullptr);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(fake, &g_scheduler_stack, &g_scheduler_stack_bytes);
#endif
  g_scheduler = back.fctx;
}

Fiber* StackPool::take() {
  if (!idle_.empty()) {
    Fiber* fiber = idle_.back();
    idle_.pop_back();
    return fiber;
  }
  if (next_ == end_) {
    size_t count = fibers_.size() < guarded_ ? 64 : 1024, bytes = bytes_ * count;
    void* slab = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (slab == MAP_FAILED)
      throw UserError(ExitCode::program_failed, std::string("cannot reserve stacks: ") + std::strerror(errno));
    madvise(slab, bytes, MADV_NOHUGEPAGE);  // a huge page per stack would multiply the memory
    slabs_.emplace_back(slab, bytes);
    next_ = static_cast<char*>(slab);
    end_ = next_ + bytes;
  }
  auto fiber = std::make_unique<Fiber>();
  fiber->low_ = next_;
  fiber->bytes_ = bytes_;
  if (fibers_.size() < guarded_) {
    mprotect(next_, kPage, PROT_NONE);
    fiber->low_ += kPage;
    fiber->bytes_ -= kPage;
  }
  next_ += bytes_;
  fibers_.push_back(std::move(fiber));
  return fibers_.back().get();
}

bool StackPool::in_guard(uint64_t address) const {
  for (size_t i = 0; i < fibers_.size() && i < guarded_; ++i) {
    auto low = reinterpret_cast<uint64_t>(fibers_[i]->low_);
    if (address >= low - kPage && address < low) return true;
  }
  return false;
}

StackPool::~StackPool() {
  for (auto& [slab, bytes] : slabs_) munmap(slab, bytes);
}

}  // namespace shmemu::emu
