// libc per PE on real GPUs: how a program ends, and sleeps that let other PEs go on. Clocks are the machine's. Outside
// a PE they do what the C library does.
#include <dlfcn.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <chrono>

#include "gpu/run.hpp"

namespace {

using shmemu::gpu::current;

template <class F>
F* real(const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

// CUDA's libraries call these names as well, with locks held: only the program's own calls are the PE's.
bool by_program(const void* caller) { return current().pe && current().run->in_program(*current().pe, caller); }

void sleep_until(std::chrono::steady_clock::time_point until) {
  current().run->wait(*current().pe, "sleeps", [until] { return std::chrono::steady_clock::now() >= until; });
}

}  // namespace

extern "C" {

void exit(int code) {
  if (current().pe) current().run->end_pe(*current().pe, code);
  real<void(int)>("exit")(code);
  __builtin_unreachable();
}

void _exit(int code) {
  if (auto* pe = current().pe) {
    pe->exit_handlers.clear();
    current().run->end_pe(*pe, code);
  }
  syscall(SYS_exit_group, code);
  __builtin_unreachable();
}

int __cxa_atexit(void (*function)(void*), void* argument, void* library) {
  if (auto* pe = current().pe; pe && by_program(__builtin_return_address(0))) {
    pe->exit_handlers.emplace_back(function, argument);
    return 0;
  }
  return real<int(void (*)(void*), void*, void*)>("__cxa_atexit")(function, argument, library);
}

int nanosleep(const timespec* wanted, timespec* left) {
  if (!by_program(__builtin_return_address(0))) return static_cast<int>(syscall(SYS_nanosleep, wanted, left));
  sleep_until(std::chrono::steady_clock::now() + std::chrono::seconds(wanted->tv_sec) +
              std::chrono::nanoseconds(wanted->tv_nsec));
  if (left) *left = {};
  return 0;
}

int usleep(useconds_t us) {
  if (by_program(__builtin_return_address(0))) {
    sleep_until(std::chrono::steady_clock::now() + std::chrono::microseconds(us));
    return 0;
  }
  timespec wanted{.tv_sec = us / 1'000'000, .tv_nsec = static_cast<long>(us % 1'000'000) * 1000};
  return static_cast<int>(syscall(SYS_nanosleep, &wanted, nullptr));
}

unsigned sleep(unsigned seconds) {
  if (by_program(__builtin_return_address(0))) {
    sleep_until(std::chrono::steady_clock::now() + std::chrono::seconds(seconds));
    return 0;
  }
  timespec wanted{.tv_sec = seconds, .tv_nsec = 0};
  return syscall(SYS_nanosleep, &wanted, nullptr) ? seconds : 0;
}

int sched_yield() {
  if (!by_program(__builtin_return_address(0))) return static_cast<int>(syscall(SYS_sched_yield));
  sleep_until({});
  return 0;
}

}  // extern "C"
