// on_stream forms: the same operation as a command of a stream, run by an internal kernel of one thread. Values passed
// by pointer are copied at the call.
#include <cstring>

#include "emu/api/checks.hpp"
#include "emu/api/limits.hpp"
#include "emu/cuda/runtime_state.hpp"
#include "shmemu/abi.h"

using namespace shmemu;
using namespace shmemu::emu;

extern "C" void nvshmem_quiet();

namespace {

template <class F>
void on_stream(const char* call, cudaStream_t handle, uint64_t site, F body) {
  shmem_pe(call, site);
  device::Stream* stream = find_stream(*g_current.pe, handle);
  if (!stream) program_error(site, "{} on a stream that does not exist", call);
  charge(g_current.world->platform.host.launch_call);
  launch_native(*stream, call, 1, [site, body = std::move(body)] {
    g_current.native_site = site;
    body();
  });
}

// A refusal of the library's host code, which looks at the call before it is enqueued.
void check_stride(const char* call, ptrdiff_t a, ptrdiff_t b, int pe, uint64_t site) {
  if (a > 1 || b > 1) unsupported_over_network(Limit::strided_from_host, call, checked_pe(pe, call, site), site);
}

struct Value {
  std::byte bytes[16];
  Value(const void* from, size_t n) : bytes{} { std::memcpy(bytes, from, n); }
};

// A copy engine moves what an on_stream put or get asks for.
void copy_engine(OpKind kind, void* dest, const void* source, size_t bytes, int pe, uint64_t site) {
  PeId target = checked_pe(pe, name_of(kind).data(), site);
  Op op;
  op.kind = kind;
  op.flags = Op::kCopyEngine;
  op.site = site;
  op.issuer = g_current.pe->id;
  op.target = target;
  op.bytes = bytes;
  bool put = kind == OpKind::put;
  op.remote = translate(put ? dest : source, bytes, target, put ? "put on stream" : "get on stream",
                        put ? "the destination" : "the source", site);
  const void* local = put ? source : dest;
  checked_local(local, bytes, target, put ? "put on stream" : "get on stream", put ? "the source" : "the destination",
                site);
  op.local = reinterpret_cast<uint64_t>(local);
  if (!put) {
    stop(op);
    return;
  }
  post(op, Payload(source, bytes));
  nvshmem_quiet();
}

}  // namespace

extern "C" {

void __shmemu_put_on_stream(void* dest, const void* source, size_t bytes, int pe, int, cudaStream_t s) {
  uint64_t site = SHMEMU_SITE();
  on_stream("put_on_stream", s, site, [=] {
    if (bytes) copy_engine(OpKind::put, dest, source, bytes, pe, site);
  });
}

void __shmemu_get_on_stream(void* dest, const void* source, size_t bytes, int pe, int, cudaStream_t s) {
  uint64_t site = SHMEMU_SITE();
  on_stream("get_on_stream", s, site, [=] {
    if (bytes) copy_engine(OpKind::get, dest, source, bytes, pe, site);
  });
}

void __shmemu_iput_on_stream(void* dest, const void* source, ptrdiff_t ds, ptrdiff_t ss, size_t elements, size_t bytes,
                             int pe, cudaStream_t s) {
  uint64_t site = SHMEMU_SITE();
  check_stride("iput_on_stream", ds, ss, pe, site);
  on_stream("iput_on_stream", s, site, [=] {
    __shmemu_iput(dest, source, ds, ss, elements, bytes, pe, SHMEMU_THREAD);
    nvshmem_quiet();
  });
}

void __shmemu_iget_on_stream(void* dest, const void* source, ptrdiff_t ds, ptrdiff_t ss, size_t elements, size_t bytes,
                             int pe, cudaStream_t s) {
  uint64_t site = SHMEMU_SITE();
  check_stride("iget_on_stream", ds, ss, pe, site);
  on_stream("iget_on_stream", s, site,
            [=] { __shmemu_iget(dest, source, ds, ss, elements, bytes, pe, SHMEMU_THREAD); });
}

void __shmemu_p_on_stream(void* dest, const void* value, size_t bytes, int pe, cudaStream_t s) {
  on_stream("p_on_stream", s, SHMEMU_SITE(), [=, v = Value(value, bytes)] {
    __shmemu_p(dest, v.bytes, bytes, pe);
    nvshmem_quiet();
  });
}

void __shmemu_g_on_stream(void* result, const void* source, size_t bytes, int pe, cudaStream_t s) {
  uint64_t site = SHMEMU_SITE();
  unsupported_over_network(Limit::g_from_host, "g_on_stream", checked_pe(pe, "g_on_stream", site), site);
  on_stream("g_on_stream", s, site, [=] { __shmemu_g(result, source, bytes, pe); });
  cudaStreamSynchronize(s);  // the value is what the call returns
}

void __shmemu_put_signal_on_stream(void* dest, const void* source, size_t bytes, uint64_t* address, uint64_t signal,
                                   int signal_op, int pe, int, cudaStream_t s) {
  uint64_t site = SHMEMU_SITE();
  on_stream("put_signal_on_stream", s, site, [=] {
    if (bytes) copy_engine(OpKind::put, dest, source, bytes, pe, site);
    __shmemu_signal_op(address, signal, signal_op, pe);
  });
}

void __shmemu_signal_op_on_stream(uint64_t* address, uint64_t signal, int signal_op, int pe, cudaStream_t s) {
  on_stream("signal_op_on_stream", s, SHMEMU_SITE(), [=] { __shmemu_signal_op(address, signal, signal_op, pe); });
}

void __shmemu_signal_wait_until_on_stream(uint64_t* address, int cmp, uint64_t value, cudaStream_t s) {
  on_stream("signal_wait_until_on_stream", s, SHMEMU_SITE(), [=] { __shmemu_signal_wait_until(address, cmp, value); });
}

void __shmemu_wait_until_on_stream(void* address, int type, int cmp, uint64_t value, cudaStream_t s) {
  on_stream("wait_until_on_stream", s, SHMEMU_SITE(), [=] { __shmemu_wait_until(address, type, cmp, value); });
}

void __shmemu_wait_set_on_stream(void* addresses, size_t elements, const int* status, int type, int cmp, uint64_t value,
                                 const void* values, cudaStream_t s) {
  on_stream("wait_until_all_on_stream", s, SHMEMU_SITE(),
            [=] { __shmemu_wait_set(0, 0, addresses, elements, nullptr, status, type, cmp, value, values); });
}

void __shmemu_quiet_on_stream(cudaStream_t s) {
  uint64_t site = SHMEMU_SITE();
  on_stream("quiet_on_stream", s, site, [site] {
    Op op;
    op.kind = OpKind::quiet;
    op.flags = 1;  // of the whole PE
    op.site = site;
    stop(op);
  });
}

}  // extern "C"
