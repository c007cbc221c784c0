#include "emu/cpu/libc.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <errno.h>
#include <getopt.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "emu/core/current.hpp"
#include "emu/core/world.hpp"

namespace shmemu::emu {
namespace {

// Virtual time zero as a date, so that printed dates are the same in every run: 2025-01-01 00:00:00 UTC.
constexpr int64_t kEpochSeconds = 1735689600;
// What reading a clock costs: about one vDSO call (guess). A loop that only reads the clock ends by it.
constexpr Time kClockRead = 25_ns;

template <class F>
F* real(const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

Pe* host_pe() { return g_current.pe && !g_current.cta ? g_current.pe : nullptr; }

int64_t host_clock_ns(Pe& pe) {
  pe.host.gap += kClockRead;
  return (pe.host.time + pe.host.gap).ps / 1000;
}

void host_sleep(int64_t ns) {
  Op op;
  op.kind = OpKind::sleep;
  op.value = static_cast<uint64_t>(ns < 0 ? 0 : ns) * 1000;
  stop(op);
}

random_data& random_of(Pe& pe) {
  LibcState& s = pe.libc;
  if (!s.random_ready) {
    initstate_r(1, s.random_words, sizeof s.random_words, &s.random);
    s.random_ready = true;
  }
  return s.random;
}

char* inherited(const char* name) {
  size_t n = strlen(name);
  for (char** e = environ; e && *e; ++e)
    if (strncmp(*e, name, n) == 0 && (*e)[n] == '=') return *e + n + 1;
  return nullptr;
}

}  // namespace

void enter_libc(LibcState& s) {
  optind = s.option_index, opterr = s.option_error, optopt = s.option_character, optarg = s.option_argument;
  errno = s.error_number;
  memcpy(static_cast<void*>(__cxxabiv1::__cxa_get_globals()), s.exceptions, sizeof s.exceptions);
}

void leave_libc(LibcState& s) {
  s.option_index = optind, s.option_error = opterr, s.option_character = optopt, s.option_argument = optarg;
  s.error_number = errno;
  memcpy(s.exceptions, static_cast<void*>(__cxxabiv1::__cxa_get_globals()), sizeof s.exceptions);
  memset(static_cast<void*>(__cxxabiv1::__cxa_get_globals()), 0, sizeof s.exceptions);
}

void end_program(int code) {
  Pe& pe = *g_current.pe;
  auto& handlers = pe.libc.exit_handlers;
  while (!handlers.empty()) {
    auto h = handlers.back();
    handlers.pop_back();
    h.function(h.argument);
  }
  fflush(stdout);
  pe.host.exit_code = code & 0xff;
  Op op;
  op.kind = OpKind::exit;
  stop(op);
  abort();
}

}  // namespace shmemu::emu

using namespace shmemu;
using namespace shmemu::emu;

extern "C" {

void exit(int code) {
  if (g_current.cta) fail(ExitCode::program_failed, who() + ": exit() was called in a kernel");
  if (host_pe()) end_program(code);
  real<void(int)>("exit")(code);
  __builtin_unreachable();
}

void _exit(int code) {
  if (Pe* pe = host_pe()) {
    pe->libc.exit_handlers.clear();
    end_program(code);
  }
  syscall(SYS_exit_group, code);
  __builtin_unreachable();
}

int __cxa_atexit(void (*function)(void*), void* argument, void* library) {
  if (Pe* pe = host_pe()) {
    pe->libc.exit_handlers.push_back({function, argument, library});
    return 0;
  }
  return real<int(void (*)(void*), void*, void*)>("__cxa_atexit")(function, argument, library);
}

int rand() { return static_cast<int>(random()); }

long random() {
  Pe* pe = host_pe();
  if (!pe) return real<long()>("random")();
  int32_t value;
  random_r(&random_of(*pe), &value);
  return value;
}

void srandom(unsigned seed) {
  Pe* pe = host_pe();
  if (!pe) return real<void(unsigned)>("srandom")(seed);
  srandom_r(seed, &random_of(*pe));
}

void srand(unsigned seed) { srandom(seed); }

char* getenv(const char* name) {
  if (Pe* pe = host_pe(); pe && !pe->libc.environment.empty())
    if (auto at = pe->libc.environment.find(name); at != pe->libc.environment.end())
      return at->second ? at->second->data() : nullptr;
  return inherited(name);
}

int setenv(const char* name, const char* value, int overwrite) {
  Pe* pe = host_pe();
  if (!pe) return real<int(const char*, const char*, int)>("setenv")(name, value, overwrite);
  if (overwrite || !getenv(name)) pe->libc.environment[name] = value;
  return 0;
}

int unsetenv(const char* name) {
  Pe* pe = host_pe();
  if (!pe) return real<int(const char*)>("unsetenv")(name);
  pe->libc.environment[name] = std::nullopt;
  return 0;
}

int putenv(char* text) {
  Pe* pe = host_pe();
  if (!pe) return real<int(char*)>("putenv")(text);
  std::string pair = text;
  if (size_t at = pair.find('='); at != std::string::npos)
    return setenv(pair.substr(0, at).c_str(), pair.c_str() + at + 1, 1);
  return unsetenv(text);
}

int clock_gettime(clockid_t clock, timespec* out) {
  Pe* pe = host_pe();
  if (!pe) return static_cast<int>(syscall(SYS_clock_gettime, clock, out));
  int64_t ns = host_clock_ns(*pe);
  bool date = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
  *out = {.tv_sec = ns / 1'000'000'000 + (date ? kEpochSeconds : 0), .tv_nsec = ns % 1'000'000'000};
  return 0;
}

int gettimeofday(timeval* out, void*) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  *out = {.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
  return 0;
}

time_t time(time_t* out) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (out) *out = now.tv_sec;
  return now.tv_sec;
}

clock_t clock() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec * CLOCKS_PER_SEC + now.tv_nsec / (1'000'000'000 / CLOCKS_PER_SEC);
}

int nanosleep(const timespec* wanted, timespec* left) {
  if (!host_pe()) return static_cast<int>(syscall(SYS_nanosleep, wanted, left));
  host_sleep(wanted->tv_sec * 1'000'000'000 + wanted->tv_nsec);
  if (left) *left = {};
  return 0;
}

int clock_nanosleep(clockid_t clock, int flags, const timespec* wanted, timespec* left) {
  Pe* pe = host_pe();
  if (!pe) return static_cast<int>(syscall(SYS_clock_nanosleep, clock, flags, wanted, left));
  int64_t ns = wanted->tv_sec * 1'000'000'000 + wanted->tv_nsec;
  if (flags & TIMER_ABSTIME) {
    timespec now{};
    clock_gettime(clock, &now);
    ns -= now.tv_sec * 1'000'000'000 + now.tv_nsec;
  }
  host_sleep(ns);
  return 0;
}

int usleep(useconds_t us) {
  timespec wanted{.tv_sec = us / 1'000'000, .tv_nsec = static_cast<long>(us % 1'000'000) * 1000};
  return nanosleep(&wanted, nullptr);
}

unsigned sleep(unsigned seconds) {
  timespec wanted{.tv_sec = seconds, .tv_nsec = 0};
  nanosleep(&wanted, nullptr);
  return 0;
}

int sched_yield() {
  if (!host_pe()) return static_cast<int>(syscall(SYS_sched_yield));
  host_sleep(1000);
  return 0;
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*), void* argument) {
  if (host_pe())
    program_error(
        site_on_stack(),
        "the program starts an OS thread; the PEs of a run share one OS thread, so that a run can be repeated. "
        "Do the work of the thread in the PE itself, or leave the thread out of emulated runs");
  return real<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create")(thread, attributes,
                                                                                                 body, argument);
}

}  // extern "C"
