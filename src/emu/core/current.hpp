// The one hidden pointer of shmemu: who runs now. C functions of CUDA and NVSHMEM have no argument for it, so the
// scheduler sets it before it enters a fiber. Everything an API function needs to stop, post or complain is here.
#pragma once
#include <string>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "device/machine.hpp"
#include "emu/core/pe.hpp"

namespace shmemu::emu {

struct Current {
  World* world = nullptr;
  Pe* pe = nullptr;
  device::Actor* actor = nullptr;  // null in a kernel that runs as one loop over its threads
  device::Lane* lane = nullptr;    // null on the host
  device::Cta* cta = nullptr;      // null on the host
  uint64_t native_site = 0;        // in work of the runtime: the call of the program that it is a part of
};
extern Current g_current;

inline Current& current() { return g_current; }
inline bool on_device() { return g_current.cta != nullptr; }

// Stops the running actor at `op` until the machine answers; returns the answer.
uint64_t stop(Op op);
// Posts `op`: a lane goes on at once, a host when the call would return.
void post(Op op, Payload payload);
// Offset of a call in the PE's program, 0 if the call comes from elsewhere.
uint64_t site_of(const void* return_address);
// The innermost call on the running stack that is one of the program: for functions that libraries call on its behalf.
uint64_t site_on_stack();
#define SHMEMU_SITE() ::shmemu::emu::site_of(__builtin_return_address(0))

// While it lives, calls that functions of the runtime make among themselves belong to the program's call `site`.
class Outer {
 public:
  explicit Outer(uint64_t site) : before_(g_current.native_site) { g_current.native_site = site; }
  ~Outer() { g_current.native_site = before_; }
  Outer(const Outer&) = delete;
  Outer& operator=(const Outer&) = delete;

 private:
  uint64_t before_;
};

// "PE 3", "PE 3 kernel ring block (0,0,0) thread (5,0,0)".
std::string who();
// Ends the run with an error of the program. Does not return; nothing is unwound.
[[noreturn]] void fail(ExitCode code, const std::string& message);
template <class... T>
[[noreturn]] void program_error(uint64_t site, fmt::format_string<T...> format, T&&... values);

std::string describe_site(uint64_t site);
// Runs `f` on the scheduler's stack in the name of a PE (a copy, a host callback): faults and errors carry its number.
template <class F>
void in_name_of(Pe& pe, F&& f) {
  Current outer = g_current;
  g_current = {.world = &pe.world, .pe = &pe};
  f();
  g_current = outer;
}

template <class... T>
void program_error(uint64_t site, fmt::format_string<T...> format, T&&... values) {
  fail(ExitCode::program_failed,
       fmt::format("{}: {} ({})", who(), fmt::format(format, std::forward<T>(values)...), describe_site(site)));
}

}  // namespace shmemu::emu
