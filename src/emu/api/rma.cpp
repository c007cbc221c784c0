// Put, get, p, g, strided forms and put with signal (NVSHMEM 3.3.9: RMA and signalling chapters), host and device.
// Each call checks its arguments and makes one Op. A thread-scoped put is posted to the lane's issue log; warp and
// block scope stop all threads of the group for one common Op; gets observe.
#include <cstring>
#include <optional>

#include "emu/api/checks.hpp"
#include "emu/api/limits.hpp"
#include "shmemu/abi.h"

using namespace shmemu;
using namespace shmemu::emu;

namespace {

Op make(OpKind kind, int scope, bool nbi, PeId target, uint64_t site) {
  Op op;
  op.kind = kind;
  op.scope = static_cast<Scope>(scope);
  op.nbi = nbi;
  op.target = target;
  op.issuer = g_current.pe->id;
  op.site = site;
  if (!on_device()) op.flags |= Op::kCopyEngine;
  return op;
}

// Up to this size a thread's put leaves its registers at once and cannot stall; larger ones keep the thread until the
// SM and the link have taken them.
constexpr uint64_t kMostPosted = 256;

// Threads of a group run together; a lone thread's small write goes to its issue log with the bytes taken now.
void write(const Op& op) {
  if (op.scope != Scope::thread || !on_device() || op.bytes > kMostPosted) {
    stop(op);
  } else {
    post(op, Payload(reinterpret_cast<const void*>(op.local), op.bytes));
  }
}

// OpenSHMEM has host calls that NVSHMEM lacks; what NVSHMEM refuses is no matter of its programs.
bool host_call() { return !on_device() && !g_current.pe->shmem.static_symmetric; }

// A transfer of `bytes` between symmetric `remote` memory of `pe` and `local` memory, both checked. None for a write
// that goes astray.
std::optional<Op> contiguous(OpKind kind, const char* call, const void* remote, const void* local, size_t bytes, int pe,
                             int scope, int nbi, uint64_t site) {
  bool load = kind == OpKind::get;
  PeId target = checked_pe(pe, call, site);
  if (!load && bytes && is_astray(remote, bytes, target, call, "the destination", site)) return {};
  Op op = make(kind, scope, nbi, target, site);
  op.bytes = bytes;
  if (bytes) {
    op.remote = translate(remote, bytes, target, call, load ? "the source" : "the destination", site);
    checked_local(local, bytes, target, call, load ? "the destination" : "the source", site);
  }
  op.local = reinterpret_cast<uint64_t>(local);
  return op;
}

// One element; the local side is the wrapper's own variable.
std::optional<Op> scalar(OpKind kind, const char* call, const void* remote, const void* local, size_t bytes, int pe,
                         uint64_t site) {
  PeId target = checked_pe(pe, call, site);
  if (kind == OpKind::p && is_astray(remote, bytes, target, call, "the destination", site)) return {};
  Op op = make(kind, SHMEMU_THREAD, false, target, site);
  op.bytes = bytes;
  op.remote = translate(remote, bytes, target, call, kind == OpKind::g ? "the source" : "the destination", site);
  op.local = reinterpret_cast<uint64_t>(local);
  return op;
}

// Fills in the signal of `op`, checked. False if it goes astray.
bool add_signal(Op& op, uint64_t* address, uint64_t value, int signal_op, const char* call) {
  if (signal_op != Op::kSignalSet && signal_op != Op::kSignalAdd)
    program_error(op.site, "{}: signal operation {} is unknown; use NVSHMEM_SIGNAL_SET (9) or NVSHMEM_SIGNAL_ADD (10)",
                  call, signal_op);
  if (reinterpret_cast<uint64_t>(address) % 8)
    program_error(op.site, "{}: the signal address {} is not aligned to 8 bytes", call,
                  static_cast<const void*>(address));
  if (is_astray(address, 8, op.target, call, "the signal address", op.site)) return false;
  op.signal = translate(address, 8, op.target, call, "the signal address", op.site);
  op.value = value;
  op.signal_op = static_cast<uint8_t>(signal_op);
  return true;
}

void strided(OpKind kind, const char* call, const void* remote, const void* local, ptrdiff_t remote_stride,
             ptrdiff_t local_stride, size_t elements, size_t element_bytes, int pe, int scope, uint64_t site) {
  PeId target = checked_pe(pe, call, site);
  if (remote_stride < 1 || local_stride < 1)
    program_error(site, "{}: strides are {} and {} elements; both must be at least 1", call, remote_stride,
                  local_stride);
  if (!elements) return;
  bool stretched = remote_stride > 1 || local_stride > 1, in_kernel = on_device() && !g_current.native_site;
  if (in_kernel || (stretched && host_call()))
    unsupported_over_network(in_kernel ? Limit::strided_in_kernel : Limit::strided_from_host, call, target, site);
  Op op = make(kind, scope, false, target, site);
  op.elements = elements;
  op.bytes = elements * element_bytes;
  op.remote_stride = static_cast<int64_t>(remote_stride) * static_cast<int64_t>(element_bytes);
  op.local_stride = static_cast<int64_t>(local_stride) * static_cast<int64_t>(element_bytes);
  uint64_t span = (elements - 1) * static_cast<uint64_t>(op.remote_stride) + element_bytes;
  if (kind == OpKind::iput && is_astray(remote, span, target, call, "the destination", site)) return;
  op.remote = translate(remote, span, target, call, kind == OpKind::iput ? "the destination" : "the source", site);
  op.local = reinterpret_cast<uint64_t>(local);
  checked_local(local, (elements - 1) * static_cast<uint64_t>(op.local_stride) + element_bytes, target, call,
                kind == OpKind::iput ? "the source" : "the destination", site);
  if (kind == OpKind::iget || op.scope != Scope::thread || !on_device()) {
    stop(op);
    return;
  }
  std::vector<std::byte> gathered(op.bytes);
  for (size_t i = 0; i < elements; ++i)
    std::memcpy(gathered.data() + i * element_bytes,
                static_cast<const char*>(local) + static_cast<int64_t>(i) * op.local_stride, element_bytes);
  post(op, Payload(gathered.data(), gathered.size()));
}

// The calls, with or without a queue pair that the program names.

void put(const char* call, void* dest, const void* source, size_t bytes, int pe, int scope, int nbi, int qp,
         uint64_t site) {
  std::optional<Op> op = contiguous(OpKind::put, call, dest, source, bytes, pe, scope, nbi, site);
  if (op) op->qp = checked_qp(qp, call, site);
  if (op && (bytes || op->scope != Scope::thread)) write(*op);
}

void get(const char* call, void* dest, const void* source, size_t bytes, int pe, int scope, int nbi, int qp,
         uint64_t site) {
  Op op = *contiguous(OpKind::get, call, source, dest, bytes, pe, scope, nbi, site);
  op.qp = checked_qp(qp, call, site);
  if (bytes || op.scope != Scope::thread) stop(op);
}

void p(const char* call, void* dest, const void* value, size_t bytes, int pe, int qp, uint64_t site) {
  std::optional<Op> op = scalar(OpKind::p, call, dest, value, bytes, pe, site);
  if (!op) return;
  op->qp = checked_qp(qp, call, site);
  write(*op);
}

void g(const char* call, void* result, const void* source, size_t bytes, int pe, int qp, uint64_t site) {
  Op op = *scalar(OpKind::g, call, source, result, bytes, pe, site);
  if (host_call()) unsupported_over_network(Limit::g_from_host, call, op.target, site);
  op.qp = checked_qp(qp, call, site);
  stop(op);
}

void put_signal(const char* call, void* dest, const void* source, size_t bytes, uint64_t* signal_address,
                uint64_t signal, int signal_op, int pe, int scope, int nbi, int qp, uint64_t site) {
  std::optional<Op> op = contiguous(OpKind::put_signal, call, dest, source, bytes, pe, scope, nbi, site);
  if (!op || !add_signal(*op, signal_address, signal, signal_op, call)) return;
  op->qp = checked_qp(qp, call, site);
  write(*op);
}

void signal_alone(const char* call, uint64_t* signal_address, uint64_t signal, int signal_op, int pe, int qp,
                  uint64_t site) {
  Op op = make(OpKind::signal, SHMEMU_THREAD, false, checked_pe(pe, call, site), site);
  if (!add_signal(op, signal_address, signal, signal_op, call)) return;
  op.remote = op.signal;
  op.qp = checked_qp(qp, call, site);
  post(op, {});
}

}  // namespace

extern "C" {

void __shmemu_put(void* dest, const void* source, size_t bytes, int pe, int scope, int nbi) {
  put("put", dest, source, bytes, pe, scope, nbi, 0, SHMEMU_SITE());
}
void __shmemu_qp_put(void* dest, const void* source, size_t bytes, int pe, int scope, int nbi, int qp) {
  put("qp_put", dest, source, bytes, pe, scope, nbi, qp, SHMEMU_SITE());
}

void __shmemu_get(void* dest, const void* source, size_t bytes, int pe, int scope, int nbi) {
  get("get", dest, source, bytes, pe, scope, nbi, 0, SHMEMU_SITE());
}
void __shmemu_qp_get(void* dest, const void* source, size_t bytes, int pe, int scope, int nbi, int qp) {
  get("qp_get", dest, source, bytes, pe, scope, nbi, qp, SHMEMU_SITE());
}

void __shmemu_iput(void* dest, const void* source, ptrdiff_t dest_stride, ptrdiff_t source_stride, size_t elements,
                   size_t element_bytes, int pe, int scope) {
  strided(OpKind::iput, "iput", dest, source, dest_stride, source_stride, elements, element_bytes, pe, scope,
          SHMEMU_SITE());
}

void __shmemu_iget(void* dest, const void* source, ptrdiff_t dest_stride, ptrdiff_t source_stride, size_t elements,
                   size_t element_bytes, int pe, int scope) {
  strided(OpKind::iget, "iget", source, dest, source_stride, dest_stride, elements, element_bytes, pe, scope,
          SHMEMU_SITE());
}

void __shmemu_p(void* dest, const void* value, size_t bytes, int pe) {
  p("p", dest, value, bytes, pe, 0, SHMEMU_SITE());
}
void __shmemu_qp_p(void* dest, const void* value, size_t bytes, int pe, int qp) {
  p("qp_p", dest, value, bytes, pe, qp, SHMEMU_SITE());
}

void __shmemu_g(void* result, const void* source, size_t bytes, int pe) {
  g("g", result, source, bytes, pe, 0, SHMEMU_SITE());
}
void __shmemu_qp_g(void* result, const void* source, size_t bytes, int pe, int qp) {
  g("qp_g", result, source, bytes, pe, qp, SHMEMU_SITE());
}

void __shmemu_put_signal(void* dest, const void* source, size_t bytes, uint64_t* signal_address, uint64_t signal,
                         int signal_op, int pe, int scope, int nbi) {
  put_signal("put_signal", dest, source, bytes, signal_address, signal, signal_op, pe, scope, nbi, 0, SHMEMU_SITE());
}
void __shmemu_qp_put_signal(void* dest, const void* source, size_t bytes, uint64_t* signal_address, uint64_t signal,
                            int signal_op, int pe, int scope, int nbi, int qp) {
  put_signal("qp_put_signal", dest, source, bytes, signal_address, signal, signal_op, pe, scope, nbi, qp,
             SHMEMU_SITE());
}

void __shmemu_signal_op(uint64_t* signal_address, uint64_t signal, int signal_op, int pe) {
  signal_alone("signal_op", signal_address, signal, signal_op, pe, 0, SHMEMU_SITE());
}
void __shmemu_qp_signal_op(uint64_t* signal_address, uint64_t signal, int signal_op, int pe, int qp) {
  signal_alone("qp_signal_op", signal_address, signal, signal_op, pe, qp, SHMEMU_SITE());
}

uint64_t __shmemu_atomic(void* dest, int amo, int type, uint64_t operand, uint64_t compare, int pe) {
  uint64_t site = SHMEMU_SITE();
  PeId target = checked_pe(pe, "atomic", site);
  if (host_call() && unsupported(Limit::atomics_from_host, "atomic", "", site)) return 0;
  uint64_t bytes = type == SHMEMU_I32 || type == SHMEMU_U32 || type == SHMEMU_F32 ? 4 : 8;
  bool result = amo & SHMEMU_AMO_RESULT;
  Op op = make(result ? OpKind::fetch : OpKind::atomic, SHMEMU_THREAD, false, target, site);
  op.function = static_cast<uint8_t>(amo & 0xff);
  op.type = static_cast<uint8_t>(type);
  op.bytes = bytes;
  op.value = operand;
  op.compare = compare;
  if (!result && is_astray(dest, bytes, target, "atomic", "the destination", site)) return 0;
  op.remote = translate(dest, bytes, target, "atomic", "the destination", site);
  if (op.remote % bytes)
    program_error(site, "atomic: the address {} is not aligned to its size of {} bytes", dest, bytes);
  if (result) return stop(op);
  post(op, {});
  return 0;
}

}  // extern "C"
