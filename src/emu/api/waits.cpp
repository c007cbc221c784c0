// Point-to-point synchronisation: waits, tests and their all/any/some forms, signal waits (NVSHMEM 3.3.9). A wait reads
// the caller's own memory and sleeps until the condition holds.
#include <cstring>

#include "device/atomics.hpp"
#include "emu/api/checks.hpp"
#include "shmemu/abi.h"

using namespace shmemu;
using namespace shmemu::emu;

namespace {

void check_comparison(int cmp, const char* call, uint64_t site) {
  if (cmp < 0 || cmp > 5)
    program_error(site, "{}: comparison {} is unknown; use one of NVSHMEM_CMP_EQ (0) to NVSHMEM_CMP_GE (5)", call, cmp);
}

Op condition(OpKind kind, const volatile void* address, int type, int cmp, uint64_t value, const char* call,
             uint64_t site) {
  check_comparison(cmp, call, site);
  Op op;
  op.kind = kind;
  op.site = site;
  op.type = static_cast<uint8_t>(type);
  op.function = static_cast<uint8_t>(cmp);
  op.bytes = device::type_bytes(op.type);
  op.remote = own_symmetric(address, op.bytes, call, "the address", site);
  op.value = value;
  return op;
}

}  // namespace

extern "C" {

void __shmemu_wait_until(const volatile void* address, int type, int cmp, uint64_t value) {
  Op op = condition(OpKind::wait, address, type, cmp, value, "wait_until", SHMEMU_SITE());
  op.flags |= Op::kEndsWithFence;
  stop(op);
}

int __shmemu_test(const volatile void* address, int type, int cmp, uint64_t value) {
  return static_cast<int>(stop(condition(OpKind::test, address, type, cmp, value, "test", SHMEMU_SITE())));
}

uint64_t __shmemu_signal_wait_until(const uint64_t* address, int cmp, uint64_t value) {
  stop(condition(OpKind::wait, address, SHMEMU_U64, cmp, value, "signal_wait_until", SHMEMU_SITE()));
  return *address;
}

uint64_t __shmemu_signal_fetch(const uint64_t* address) {
  Op op = condition(OpKind::test, address, SHMEMU_U64, 0, 0, "signal_fetch", SHMEMU_SITE());
  stop(op);
  return *address;
}

size_t __shmemu_wait_set(int which, int testing, const volatile void* addresses, size_t elements, size_t* indices,
                         const int* status, int type, int cmp, uint64_t value, const void* values) {
  constexpr int kAll = 0, kAny = 1;
  uint64_t site = SHMEMU_SITE();
  const char* call = testing ? "test of a set" : "wait_until of a set";
  check_comparison(cmp, call, site);
  uint64_t bytes = device::type_bytes(static_cast<uint8_t>(type));
  auto included = [&](size_t i) { return !status || !status[i]; };
  size_t asked = 0;
  for (size_t i = 0; i < elements; ++i) asked += included(i);
  if (!asked) return which == kAny ? SIZE_MAX : which == kAll ? 1 : 0;
  Op op;
  op.kind = testing ? OpKind::test : OpKind::wait_set;
  op.site = site;
  op.type = static_cast<uint8_t>(type);
  op.function = static_cast<uint8_t>(cmp);
  op.bytes = bytes;
  op.elements = elements;
  op.remote = own_symmetric(addresses, bytes * elements, call, "the array", site);
  op.local = reinterpret_cast<uint64_t>(status);
  op.signal = reinterpret_cast<uint64_t>(values);
  op.value = value;
  op.flags = which == kAll ? 0 : 1;
  stop(op);
  // what holds now, at the moment the call returns
  auto holds = [&](size_t i) {
    auto* word = reinterpret_cast<const std::byte*>(op.remote) + i * bytes;
    uint64_t wanted = values ? device::load_bits(static_cast<const std::byte*>(values) + i * bytes, bytes) : value;
    return included(i) && device::compare(op.type, op.function, device::load_bits(word, bytes), wanted);
  };
  size_t met = 0;
  for (size_t i = 0; i < elements; ++i) {
    if (!holds(i)) continue;
    if (which == kAny) return i;
    if (which != kAll && indices) indices[met] = i;
    ++met;
  }
  return which == kAny ? SIZE_MAX : which == kAll ? met == asked : met;
}

}  // extern "C"
