// Loads, stores and atomics of kernels on a peer's heap (pointers of nvshmem_ptr): what checked code asks for
// (plugin/peer_accesses.cpp). Each becomes the one-sided operation that the link carries for it.
#include "emu/core/current.hpp"
#include "emu/core/world.hpp"
#include "shmemu/abi.h"

using namespace shmemu;
using namespace shmemu::emu;

namespace {

// The operation on a peer's memory; kind none if `address` is the thread's own PE's.
Op on_peer(OpKind kind, const volatile void* pointer, uint32_t bytes, uint64_t site) {
  Op op;
  const auto& heap = g_current.world->heap;
  auto address = reinterpret_cast<uint64_t>(pointer);
  PeId me = g_current.pe->id, target{heap.slot_of(address)};
  if (!g_current.lane || target == me) return op;
  if (!heap.valid(address, bytes))
    program_error(site,
                  "plat.unreachable: a plain access of {} B over the link to PE {}, to {}: not memory that this PE has "
                  "allocated; a pointer of nvshmem_ptr lives as long as its allocation",
                  bytes, target.value, g_current.world->symbols.address(me, address));
  // Accesses of one thread to one line stay in order. NVLink keeps them so; an adverse schedule has to be told.
  if (g_current.world->options.adverse && g_current.world->machine.on_its_way(*g_current.lane, address, bytes)) {
    Op drain;
    drain.kind = OpKind::quiet;
    drain.issuer = drain.target = me;
    drain.site = site;
    stop(drain);
  }
  op.kind = kind;
  op.flags = Op::kNative;
  op.issuer = me;
  op.target = target;
  op.site = site;
  op.remote = address;
  op.bytes = bytes;
  return op;
}

}  // namespace

extern "C" {

int __shmemu_peer_load(const volatile void* address, uint32_t bytes, void* value) {
  Op op = on_peer(OpKind::g, address, bytes, SHMEMU_SITE());
  if (op.kind == OpKind::none) return 0;
  op.local = reinterpret_cast<uint64_t>(value);
  stop(op);
  return 1;
}

int __shmemu_peer_store(volatile void* address, uint32_t bytes, const void* value) {
  Op op = on_peer(OpKind::p, address, bytes, SHMEMU_SITE());
  if (op.kind == OpKind::none) return 0;
  op.local = reinterpret_cast<uint64_t>(value);
  post(op, Payload(value, bytes));
  return 1;
}

int __shmemu_peer_atomic(volatile void* address, int amo, int type, uint64_t operand, uint64_t compare, uint64_t* old) {
  uint32_t bytes = type == SHMEMU_U32 ? 4 : 8;
  bool result = amo & SHMEMU_AMO_RESULT;
  Op op = on_peer(result ? OpKind::fetch : OpKind::atomic, address, bytes, SHMEMU_SITE());
  if (op.kind == OpKind::none) return 0;
  op.function = static_cast<uint8_t>(amo & 0xff);
  op.type = static_cast<uint8_t>(type);
  op.value = operand;
  op.compare = compare;
  if (result)
    *old = stop(op);
  else
    post(op, {});
  return 1;
}

void __shmemu_touch(const volatile void* address, uint64_t bytes, uint32_t flags) {
  checks::Checker* checker = g_current.world ? g_current.world->checker.get() : nullptr;
  auto at = reinterpret_cast<uint64_t>(address);
  // a peer's memory is accessed by operations (above); a PE that holds no peer's address only has its own
  if (!checker || !g_current.pe || !g_current.world->heap.contains(at) ||
      g_current.world->heap.slot_of(at) != g_current.pe->id.value)
    return;
  checker->touched(g_current.lane, g_current.cta, g_current.pe->id, at, bytes, flags & SHMEMU_TOUCH_WRITE,
                   flags & SHMEMU_TOUCH_VOLATILE, SHMEMU_SITE());
}

}  // extern "C"
