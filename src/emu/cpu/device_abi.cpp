// Device-side entries of include/shmemu/abi.h that are not NVSHMEM: barriers, warp operations, polls, ordered accesses,
// fences, clocks. Thin: each makes an Op and stops the lane.
#include <cstring>

#include "device/atomics.hpp"
#include "device/warp_ops.hpp"
#include "emu/core/current.hpp"
#include "emu/core/world.hpp"

using namespace shmemu;
using namespace shmemu::emu;
using device::WarpOp;

namespace {

uint64_t warp_op(WarpOp op, uint32_t mask, uint64_t operand, uint64_t argument, uint64_t width, uint64_t site,
                 uint8_t type = 0) {
  Op o;
  o.kind = OpKind::warp;
  o.function = static_cast<uint8_t>(op);
  o.type = type;
  o.value = mask;
  o.compare = operand;
  o.local = argument;
  o.bytes = width;
  o.site = site;
  return stop(o);
}

uint64_t barrier(OpKind kind, int id, int count, int function, int predicate, uint64_t site) {
  if (id < 0 || id > 15) program_error(site, "barrier {} does not exist; a block has barriers 0 to 15", id);
  if (count < 0 || count % 32)
    program_error(site, "barrier {} expects {} threads; the number must be a multiple of 32", id, count);
  Op o;
  o.kind = kind;
  o.value = static_cast<uint64_t>(id);
  o.compare = static_cast<uint64_t>(count);
  o.function = static_cast<uint8_t>(function);
  o.local = static_cast<uint64_t>(predicate);
  o.site = site;
  return stop(o);
}

bool on_own_stack(uint64_t address) {
  // a lane's stack is near the address of any local of this function
  char here;
  return address - reinterpret_cast<uint64_t>(&here) + (64 << 10) < (128 << 10);
}

bool watched_memory(uint64_t address) {
  return g_current.lane && !g_current.cta->owns(address) && !on_own_stack(address);
}

// Virtual time in ps. Reading takes time (clock_read of the GPU file), so that a loop that only reads the clock ends.
uint64_t read_clock(uint64_t site) {
  Op o;
  o.kind = OpKind::clock;
  o.site = site;
  return stop(o);
}

uint64_t small_word(const volatile void* address, uint32_t bytes) {
  uint64_t word = 0;
  std::memcpy(&word, const_cast<const void*>(address), bytes < 8 ? bytes : 8);
  return word;
}

}  // namespace

extern "C" {

void __shmemu_bar_sync(int id, int count) { barrier(OpKind::barrier, id, count, 3, 0, SHMEMU_SITE()); }
void __shmemu_bar_arrive(int id, int count) { barrier(OpKind::arrive, id, count, 3, 0, SHMEMU_SITE()); }
int __shmemu_bar_red(int op, int predicate) {
  return static_cast<int>(barrier(OpKind::barrier, 0, 0, op, predicate, SHMEMU_SITE()));
}
void __shmemu_syncwarp(unsigned mask) { warp_op(WarpOp::sync, mask, 0, 0, 0, SHMEMU_SITE()); }
uint64_t __shmemu_shfl(unsigned mask, uint64_t value, int mode, int argument, int width) {
  auto op = static_cast<WarpOp>(static_cast<int>(WarpOp::shfl_index) + mode);
  return warp_op(op, mask, value, static_cast<uint64_t>(argument), static_cast<uint64_t>(width), SHMEMU_SITE());
}
unsigned __shmemu_ballot(unsigned mask, int predicate) {
  return static_cast<unsigned>(warp_op(WarpOp::ballot, mask, predicate != 0, 0, 0, SHMEMU_SITE()));
}
unsigned __shmemu_activemask() {
  return static_cast<unsigned>(warp_op(WarpOp::active_mask, 0, 0, 0, 0, SHMEMU_SITE()));
}
unsigned __shmemu_match_any(unsigned mask, uint64_t value) {
  return static_cast<unsigned>(warp_op(WarpOp::match_any, mask, value, 0, 0, SHMEMU_SITE()));
}
unsigned __shmemu_match_all(unsigned mask, uint64_t value, int* predicate) {
  auto all = static_cast<unsigned>(warp_op(WarpOp::match_all, mask, value, 0, 0, SHMEMU_SITE()));
  if (predicate) *predicate = all != 0;
  return all;
}
unsigned __shmemu_reduce(unsigned mask, unsigned value, int op, int type) {
  return static_cast<unsigned>(
      warp_op(WarpOp::reduce, mask, value, static_cast<uint64_t>(op), 0, SHMEMU_SITE(), static_cast<uint8_t>(type)));
}

void __shmemu_grid_sync() {
  uint64_t site = SHMEMU_SITE();
  if (!g_current.cta->grid->launch.cooperative)
    program_error(site,
                  "a grid barrier needs a cooperative launch; start this kernel with cudaLaunchCooperativeKernel or "
                  "nvshmemx_collective_launch");
  Op o;
  o.kind = OpKind::grid_sync;
  o.site = site;
  stop(o);
}
int __shmemu_grid_is_cooperative() { return g_current.cta->grid->launch.cooperative; }

void __shmemu_poll(const volatile void* address, uint32_t bytes, uint32_t flags) {
  if (!g_current.actor) return;
  Op o;
  o.kind = OpKind::poll;
  o.remote = reinterpret_cast<uint64_t>(address);
  o.bytes = bytes < 8 ? bytes : 8;
  o.flags = static_cast<uint8_t>(flags);
  o.site = SHMEMU_SITE();
  if (address) o.value = small_word(address, bytes);
  stop(o);
}

void __shmemu_order(const volatile void* address, uint32_t bytes, uint32_t access) {
  if (!watched_memory(reinterpret_cast<uint64_t>(address))) return;
  Op o;
  o.kind = OpKind::order;
  o.flags = static_cast<uint8_t>(access);
  o.remote = reinterpret_cast<uint64_t>(address);
  o.bytes = bytes;
  o.site = SHMEMU_SITE();
  device::Lane* lane = g_current.lane;
  stop(o);
  lane->before = small_word(address, bytes);
}

void __shmemu_wrote(const volatile void* address, uint32_t bytes, uint32_t access) {
  if (!watched_memory(reinterpret_cast<uint64_t>(address))) {
    if (g_current.lane) g_current.lane->changed = true;  // its loop may make progress by it
    return;
  }
  device::Lane& lane = *g_current.lane;
  const GpuModel& gpu = g_current.world->platform.gpu;
  lane.gap += access == SHMEMU_STORE ? gpu.pipe_warp : access == SHMEMU_ATOMIC ? gpu.atomic_issue : gpu.fetch_local;
  bool changed = bytes > 8 || small_word(address, bytes) != lane.before;
  g_current.world->machine.note_write(lane, reinterpret_cast<uint64_t>(address), bytes, changed);
}

void __shmemu_fence(int scope) {
  if (!g_current.lane || scope == 0) return;
  Op o;
  o.kind = OpKind::fence;
  o.function = static_cast<uint8_t>(scope);
  o.site = SHMEMU_SITE();
  stop(o);
}

uint64_t __shmemu_globaltimer() { return read_clock(SHMEMU_SITE()) / 1000; }

uint64_t __shmemu_clock() {
  return static_cast<uint64_t>(static_cast<double>(read_clock(SHMEMU_SITE())) * 1e-3 *
                               g_current.world->platform.gpu.clock_ghz);
}

void __shmemu_nanosleep(uint32_t ns) {
  Op o;
  o.kind = OpKind::sleep;
  o.value = uint64_t{ns} * 1000;
  o.site = SHMEMU_SITE();
  stop(o);
}

void __shmemu_thread_exit() {
  Op o;
  o.kind = OpKind::exit;
  stop(o);
}

void __shmemu_trap() { program_error(SHMEMU_SITE(), "trap: the kernel stopped itself"); }

void __shmemu_assert_fail(const char* expression, const char* file, unsigned line, const char* function) {
  std::string_view path = file;
  fail(ExitCode::program_failed, fmt::format("{}: assertion `{}` failed in {} ({}:{})", who(), expression, function,
                                             path.substr(path.rfind('/') + 1), line));
}

void __shmemu_unknown_ptx(const char* text, const char* file, unsigned line) {
  std::string_view path = file;
  fail(ExitCode::program_failed,
       fmt::format("{}: the inline PTX \"{}\" at {}:{} is not emulated; guard it with #ifndef __SHMEMU__ or use a CUDA "
                   "intrinsic",
                   who(), text, path.substr(path.rfind('/') + 1), line));
}

unsigned __shmemu_smid() { return static_cast<unsigned>(g_current.cta->sm); }
unsigned __shmemu_nsmid() { return static_cast<unsigned>(g_current.world->platform.gpu.sms); }
unsigned __shmemu_warpid() { return g_current.lane ? g_current.lane->warp->number : 0; }
unsigned __shmemu_gridid() { return g_current.cta->grid->number; }
unsigned __shmemu_dynamic_shared_bytes() {
  return static_cast<unsigned>(g_current.cta->shared_end - __shmemu_thread->dynamic_shared);
}

void* __shmemu_malloc(size_t bytes) {
  int gpu = g_current.cta->grid->gpu.value;
  return g_current.world->device_memory.allocate(gpu, bytes, 16, "device malloc", SHMEMU_SITE());
}

void __shmemu_free(void* p) {
  if (p && !g_current.world->device_memory.release(reinterpret_cast<uint64_t>(p)))
    program_error(SHMEMU_SITE(), "free of {}, which is not an allocation of device malloc", p);
}

// Arguments are packed by the compiler: each at its natural alignment, small integers as int, float as double.
int __shmemu_vprintf(const char* format, void* arguments) {
  std::string out;
  auto* at = static_cast<char*>(arguments);
  auto take = [&](size_t bytes) {
    at = reinterpret_cast<char*>((reinterpret_cast<uintptr_t>(at) + bytes - 1) & ~(bytes - 1));
    char* value = at;
    at += bytes;
    return value;
  };
  int printed = 0;
  while (*format) {
    if (*format != '%') {
      out += *format++;
      continue;
    }
    if (format[1] == '%') {
      out += '%', format += 2;
      continue;
    }
    std::string spec(1, *format++);
    int longs = 0, stars[2] = {}, star_count = 0;
    while (*format && !std::strchr("diouxXcsfFeEgGaAp", *format)) {
      if (*format == 'l' || *format == 'z' || *format == 'j' || *format == 't') ++longs;
      if (*format == '*' && star_count < 2) {
        std::memcpy(&stars[star_count], take(4), 4);
        spec += std::to_string(stars[star_count++]);
      } else {
        spec += *format;
      }
      ++format;
    }
    if (!*format) break;
    char conversion = *format++;
    spec += conversion;
    char text[512];
    if (std::strchr("fFeEgGaA", conversion)) {
      double v;
      std::memcpy(&v, take(8), 8);
      std::snprintf(text, sizeof text, spec.c_str(), v);
      out += text;
    } else if (conversion == 's') {
      const char* v;
      std::memcpy(&v, take(8), 8);
      if (spec == "%s") {
        out += v ? v : "(null)";
      } else {
        std::snprintf(text, sizeof text, spec.c_str(), v ? v : "(null)");
        out += text;
      }
    } else if (conversion == 'p' || longs) {
      uint64_t v;
      std::memcpy(&v, take(8), 8);
      std::snprintf(text, sizeof text, spec.c_str(), v);
      out += text;
    } else {
      uint32_t v;
      std::memcpy(&v, take(4), 4);
      std::snprintf(text, sizeof text, spec.c_str(), v);
      out += text;
    }
    ++printed;
  }
  std::fwrite(out.data(), 1, out.size(), stdout);
  return printed;
}

}  // extern "C"
