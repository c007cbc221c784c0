// Measures NVSHMEM primitives between the PEs of one NVLink domain and prints CSV:
//   test,scope,npes,ctas,threads,bytes,metric,median,min,max
// On hardware, one process per GPU:  nvshmem_probe RANK NRANKS UID_FILE [SECTION...] [bytes=N]
// Emulated:  shmemu run -n 2 nvshmem_probe [SECTION...] [bytes=N]      shmemu validate does that and compares.
// bytes=N leaves out the rows of section bw that move more than N bytes: they take minutes to emulate.
// PE 0 (or the PE named by a test) measures with %globaltimer-free clock64 cycles converted by a
// host-timed calibration, or with CUDA events where the whole kernel is the unit.
#include <cuda_runtime.h>
#include <nvshmem.h>
#include <nvshmemx.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <chrono>
#include <vector>
#include <unistd.h>
#ifndef __SHMEMU__
#include "uid_init.hpp"
#endif

#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
  fprintf(stderr, "CUDA error %s at %s:%d\n", cudaGetErrorString(e_), __FILE__, __LINE__); exit(1);} } while (0)

static int me, npes;
static cudaStream_t stream;
static double cycles_per_us;
static size_t most_bytes = SIZE_MAX;
static double repeat = 1;  // below 1: one repetition, and the clock is calibrated with fewer cycles

enum Scope { THREAD, WARP, BLOCK };
static const char* scope_name[] = {"thread", "warp", "block"};

static void row(const char* test, const char* scope, int ctas, int threads, size_t bytes,
                const char* metric, std::vector<double> v) {
  std::sort(v.begin(), v.end());
  printf("%s,%s,%d,%d,%d,%zu,%s,%.4f,%.4f,%.4f\n", test, scope, npes, ctas, threads, bytes, metric,
         v[v.size() / 2], v.front(), v.back());
  fflush(stdout);
}

__global__ void spin_cycles(long long n, long long* out) {
  long long t0 = clock64();
  while (clock64() - t0 < n) {}
  *out = clock64() - t0;
}

// ---- device loops: every loop returns elapsed cycles of thread 0 ----
template <int S> __device__ void put(char* d, const char* s, size_t n, int pe) {
  if (S == THREAD) { if (threadIdx.x == 0) nvshmem_putmem(d, s, n, pe); }
  else if (S == WARP) nvshmemx_putmem_warp(d, s, n, pe);
  else nvshmemx_putmem_block(d, s, n, pe);
}
template <int S> __device__ void put_nbi(char* d, const char* s, size_t n, int pe) {
  if (S == THREAD) { if (threadIdx.x == 0) nvshmem_putmem_nbi(d, s, n, pe); }
  else if (S == WARP) nvshmemx_putmem_nbi_warp(d, s, n, pe);
  else nvshmemx_putmem_nbi_block(d, s, n, pe);
}
template <int S> __device__ void get(char* d, const char* s, size_t n, int pe) {
  if (S == THREAD) { if (threadIdx.x == 0) nvshmem_getmem(d, s, n, pe); }
  else if (S == WARP) nvshmemx_getmem_warp(d, s, n, pe);
  else nvshmemx_getmem_block(d, s, n, pe);
}
template <int S> __device__ void sync_scope() { if (S == WARP) __syncwarp(); if (S == BLOCK) __syncthreads(); }

template <int S, int OP>  // OP 0: put+quiet, 1: get, 2: put_nbi without quiet (issue cost)
__global__ void lat_rma(char* d, char* s, size_t n, int pe, int iters, long long* out) {
  sync_scope<S>();
  long long t0 = clock64();
  for (int i = 0; i < iters; i++) {
    if (OP == 0) { put<S>(d, s, n, pe); sync_scope<S>(); if (threadIdx.x == 0) nvshmem_quiet(); sync_scope<S>(); }
    else if (OP == 1) { get<S>(d, s, n, pe); sync_scope<S>(); }
    else { put_nbi<S>(d, s, n, pe); sync_scope<S>(); }
  }
  long long t1 = clock64();
  if (threadIdx.x == 0) { *out = t1 - t0; nvshmem_quiet(); }
}
template <int OP>  // scalar ops, single thread
__global__ void lat_scalar(uint64_t* p, int pe, int iters, long long* out) {
  uint64_t acc = 0;
  long long t0 = clock64();
  for (int i = 0; i < iters; i++) {
    if (OP == 0) { nvshmem_uint64_p(p, i, pe); nvshmem_quiet(); }
    if (OP == 1) acc += nvshmem_uint64_g(p, pe);
    if (OP == 2) { nvshmem_uint64_atomic_inc(p, pe); nvshmem_quiet(); }
    if (OP == 3) acc += nvshmem_uint64_atomic_fetch_inc(p, pe);
    if (OP == 4) acc += nvshmem_uint64_atomic_fetch_add(p, 3, pe);
    if (OP == 5) acc += nvshmem_uint64_atomic_compare_swap(p, i, i + 1, pe);
    if (OP == 6) acc += nvshmem_uint64_atomic_swap(p, i, pe);
    if (OP == 7) { nvshmem_uint64_atomic_set(p, i, pe); nvshmem_quiet(); }
    if (OP == 8) { nvshmem_uint64_atomic_add(p, 1, pe); nvshmem_quiet(); }
    if (OP == 9) acc += nvshmem_uint64_atomic_fetch(p, pe);
    if (OP == 10) nvshmem_uint64_p(p, i, pe);
    if (OP == 11) nvshmem_quiet();
    if (OP == 12) nvshmem_fence();
    if (OP == 13) nvshmem_uint64_atomic_add(p, 1, pe);
  }
  long long t1 = clock64();
  *out = t1 - t0 + (acc == 0x1234567 ? 1 : 0);
  nvshmem_quiet();
}
__global__ void pingpong_signal(uint64_t* sig, int me, int iters, long long* out) {
  int peer = 1 - me;
  long long t0 = clock64();
  for (int i = 1; i <= iters; i++) {
    if (me == 0) { nvshmemx_signal_op(sig, i, NVSHMEM_SIGNAL_SET, peer); nvshmem_signal_wait_until(sig, NVSHMEM_CMP_EQ, i); }
    else { nvshmem_signal_wait_until(sig, NVSHMEM_CMP_EQ, i); nvshmemx_signal_op(sig, i, NVSHMEM_SIGNAL_SET, peer); }
  }
  *out = clock64() - t0;
}
__global__ void pingpong_p(uint64_t* f, int me, int iters, long long* out) {
  int peer = 1 - me;
  long long t0 = clock64();
  for (int i = 1; i <= iters; i++) {
    if (me == 0) { nvshmem_uint64_p(f, i, peer); nvshmem_uint64_wait_until(f, NVSHMEM_CMP_EQ, i); }
    else { nvshmem_uint64_wait_until(f, NVSHMEM_CMP_EQ, i); nvshmem_uint64_p(f, i, peer); }
  }
  *out = clock64() - t0;
}
__global__ void pingpong_atomic(uint64_t* f, int me, int iters, long long* out) {
  int peer = 1 - me;
  long long t0 = clock64();
  for (int i = 1; i <= iters; i++) {
    if (me == 0) { nvshmem_uint64_atomic_add(f, 1, peer); nvshmem_uint64_wait_until(f, NVSHMEM_CMP_GE, i); }
    else { nvshmem_uint64_wait_until(f, NVSHMEM_CMP_GE, i); nvshmem_uint64_atomic_add(f, 1, peer); }
  }
  *out = clock64() - t0;
}
template <int S>
__global__ void pingpong_put_signal(char* d, char* s, size_t n, uint64_t* sig, int me, int iters, long long* out) {
  int peer = 1 - me;
  sync_scope<S>();
  long long t0 = clock64();
  for (int i = 1; i <= iters; i++) {
    for (int half = 0; half < 2; half++) {
      if (half == me) {
        if (S == THREAD) nvshmem_putmem_signal(d, s, n, sig, i, NVSHMEM_SIGNAL_SET, peer);
        if (S == WARP) nvshmemx_putmem_signal_warp(d, s, n, sig, i, NVSHMEM_SIGNAL_SET, peer);
        if (S == BLOCK) nvshmemx_putmem_signal_block(d, s, n, sig, i, NVSHMEM_SIGNAL_SET, peer);
      } else {
        if (threadIdx.x == 0) nvshmem_signal_wait_until(sig, NVSHMEM_CMP_EQ, i);
        sync_scope<S>();
      }
    }
  }
  if (threadIdx.x == 0) *out = clock64() - t0;
}
// ---- bandwidth: grid of CTAs, each moves its slice ----
template <int S, int OP>  // OP 0 put, 1 get
__global__ void bw_rma(char* d, char* s, size_t n, int pe, int iters) {
  size_t per_cta = n / gridDim.x;
  char *dd = d + blockIdx.x * per_cta, *ss = s + blockIdx.x * per_cta;
  for (int i = 0; i < iters; i++) {
    if (S == BLOCK) {
      if (OP == 0) nvshmemx_putmem_nbi_block(dd, ss, per_cta, pe); else nvshmemx_getmem_nbi_block(dd, ss, per_cta, pe);
    } else if (S == WARP) {
      int w = threadIdx.x / 32, nw = blockDim.x / 32; size_t pw = per_cta / nw;
      if (OP == 0) nvshmemx_putmem_nbi_warp(dd + w * pw, ss + w * pw, pw, pe); else nvshmemx_getmem_nbi_warp(dd + w * pw, ss + w * pw, pw, pe);
    } else {
      size_t pt = per_cta / blockDim.x;
      if (OP == 0) nvshmem_putmem_nbi(dd + threadIdx.x * pt, ss + threadIdx.x * pt, pt, pe); else nvshmem_getmem_nbi(dd + threadIdx.x * pt, ss + threadIdx.x * pt, pt, pe);
    }
    __syncthreads();
    if (threadIdx.x == 0) nvshmem_quiet();
    __syncthreads();
  }
}
template <int OP, class T>  // element-wise: 0 p, 1 g, 2 st, 3 ld
__global__ void bw_scalar(T* d, const T* s, size_t count, int pe, int iters, T* remote) {
  size_t tid = blockIdx.x * (size_t)blockDim.x + threadIdx.x, nt = (size_t)gridDim.x * blockDim.x;
  for (int i = 0; i < iters; i++) {
    for (size_t k = tid; k < count; k += nt) {
      if constexpr (OP == 2) remote[k] = s[k];
      else if constexpr (OP == 3) d[k] = remote[k];
      else if constexpr (OP == 0) nvshmem_uint64_p((uint64_t*)d + k, s[k], pe);
      else if constexpr (OP == 1) ((uint64_t*)d)[k] = nvshmem_uint64_g((const uint64_t*)s + k, pe);
    }
    __syncthreads();
    if (threadIdx.x == 0) nvshmem_quiet();
    __syncthreads();
  }
}
__global__ void rate_atomic(uint64_t* p, int pe, int iters, int same, int fetch) {
  size_t tid = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  uint64_t acc = 0;
  for (int i = 0; i < iters; i++) {
    uint64_t* q = same ? p : p + tid;
    if (fetch) acc += nvshmem_uint64_atomic_fetch_add(q, 1, pe); else nvshmem_uint64_atomic_add(q, 1, pe);
  }
  if (acc == 0x123) p[0] = 1;
  nvshmem_quiet();
}
// ---- collectives on device ----
enum Coll { C_BARRIER, C_SYNC, C_BCAST, C_FCOLLECT, C_ALLTOALL, C_REDUCE, C_REDUCESCATTER };
static const char* coll_name[] = {"barrier_all", "sync_all", "broadcast", "fcollect", "alltoall", "reduce_sum", "reducescatter_sum"};
template <int S, int C>
__global__ void coll(float* d, float* s, size_t n, int iters, long long* out) {
  nvshmem_team_t t = NVSHMEM_TEAM_WORLD;
  sync_scope<S>();
  long long t0 = clock64();
  for (int i = 0; i < iters; i++) {
    if (S == THREAD) {
      if (C == C_BARRIER) nvshmem_barrier_all(); if (C == C_SYNC) nvshmem_sync_all();
      if (C == C_BCAST) nvshmem_float_broadcast(t, d, s, n, 0); if (C == C_FCOLLECT) nvshmem_float_fcollect(t, d, s, n);
      if (C == C_ALLTOALL) nvshmem_float_alltoall(t, d, s, n); if (C == C_REDUCE) nvshmem_float_sum_reduce(t, d, s, n);
      if (C == C_REDUCESCATTER) nvshmem_float_sum_reducescatter(t, d, s, n);
    } else if (S == WARP) {
      if (C == C_BARRIER) nvshmemx_barrier_all_warp(); if (C == C_SYNC) nvshmemx_sync_all_warp();
      if (C == C_BCAST) nvshmemx_float_broadcast_warp(t, d, s, n, 0); if (C == C_FCOLLECT) nvshmemx_float_fcollect_warp(t, d, s, n);
      if (C == C_ALLTOALL) nvshmemx_float_alltoall_warp(t, d, s, n); if (C == C_REDUCE) nvshmemx_float_sum_reduce_warp(t, d, s, n);
      if (C == C_REDUCESCATTER) nvshmemx_float_sum_reducescatter_warp(t, d, s, n);
    } else {
      if (C == C_BARRIER) nvshmemx_barrier_all_block(); if (C == C_SYNC) nvshmemx_sync_all_block();
      if (C == C_BCAST) nvshmemx_float_broadcast_block(t, d, s, n, 0); if (C == C_FCOLLECT) nvshmemx_float_fcollect_block(t, d, s, n);
      if (C == C_ALLTOALL) nvshmemx_float_alltoall_block(t, d, s, n); if (C == C_REDUCE) nvshmemx_float_sum_reduce_block(t, d, s, n);
      if (C == C_REDUCESCATTER) nvshmemx_float_sum_reducescatter_block(t, d, s, n);
    }
  }
  if (threadIdx.x == 0) *out = clock64() - t0;
}
__global__ void empty_kernel() {}

static long long* d_out;
static long long fetch_out() { long long v; CK(cudaMemcpyAsync(&v, d_out, 8, cudaMemcpyDeviceToHost, stream)); CK(cudaStreamSynchronize(stream)); return v; }
template <class F> static std::vector<double> timed_cycles(F launch, int iters, int reps = 7) {
  std::vector<double> v;
  launch(std::max(1, iters / 10)); fetch_out();
  if (repeat < 1) reps = 1;
  for (int r = 0; r < reps; r++) { launch(iters); v.push_back(fetch_out() / cycles_per_us / iters); }
  CK(cudaGetLastError());
  return v;
}
template <class F> static std::vector<double> timed_events(F launch, int reps = 7) {
  cudaEvent_t a, b; CK(cudaEventCreate(&a)); CK(cudaEventCreate(&b));
  std::vector<double> v; launch();
  if (repeat < 1) reps = 1;
  for (int r = 0; r < reps; r++) { CK(cudaEventRecord(a, stream)); launch(); CK(cudaEventRecord(b, stream)); CK(cudaEventSynchronize(b));
    float ms; CK(cudaEventElapsedTime(&ms, a, b)); v.push_back(ms * 1000.0); }
  CK(cudaGetLastError());
  return v;
}
static std::vector<double> map(std::vector<double> v, std::function<double(double)> f) { for (auto& x : v) x = f(x); return v; }
static void meet() { CK(cudaStreamSynchronize(stream)); nvshmem_barrier_all(); }

template <int S> static void section_rma(char* d, char* s) {
  int threads = S == THREAD ? 1 : S == WARP ? 32 : 1024;
  meet();
  if (me == 0) {
    for (size_t n = 8; n <= (4u << 20); n *= 4) {
      int it = n <= 16384 ? 500 : 50;
      if (npes > 1) row("put_quiet", scope_name[S], 1, threads, n, "latency_us", timed_cycles([&](int k) { lat_rma<S, 0><<<1, threads, 0, stream>>>(d, s, n, 1, k, d_out); }, it));
      if (npes > 1) row("get", scope_name[S], 1, threads, n, "latency_us", timed_cycles([&](int k) { lat_rma<S, 1><<<1, threads, 0, stream>>>(d, s, n, 1, k, d_out); }, it));
      if (npes > 1) row("put_nbi_issue", scope_name[S], 1, threads, n, "latency_us", timed_cycles([&](int k) { lat_rma<S, 2><<<1, threads, 0, stream>>>(d, s, n, 1, k, d_out); }, it));
      row("local_put_quiet", scope_name[S], 1, threads, n, "latency_us", timed_cycles([&](int k) { lat_rma<S, 0><<<1, threads, 0, stream>>>(d, s, n, 0, k, d_out); }, it));
    }
  }
  meet();
}
static void section_scalar(uint64_t* p) {
  const char* names[] = {"p_quiet", "g", "atomic_inc_quiet", "atomic_fetch_inc", "atomic_fetch_add", "atomic_compare_swap", "atomic_swap", "atomic_set_quiet", "atomic_add_quiet", "atomic_fetch", "p_issue", "quiet_only", "fence_only", "atomic_add_issue"};
  for (int pe = npes > 1 ? 1 : 0; pe >= 0; pe--) {
    meet();
    if (me == 0) {
#define L(OP) row((std::string(pe == 1 ? "" : "local_") + names[OP]).c_str(), "thread", 1, 1, 8, "latency_us", timed_cycles([&](int k) { lat_scalar<OP><<<1, 1, 0, stream>>>(p, pe, k, d_out); }, 500));
      L(0) L(1) L(2) L(3) L(4) L(5) L(6) L(7) L(8) L(9) L(10) L(11) L(12) L(13)
    }
    meet();
  }
}
static void section_pingpong(char* d, char* s, uint64_t* sig) {
  auto both = [&](const char* name, const char* scope, int threads, size_t n, std::function<void(int)> f, int it) {
    std::vector<double> v;
    for (int r = 0; r < (repeat < 1 ? 2 : 8); r++) {
      CK(cudaMemsetAsync(sig, 0, 64, stream)); meet();
      f(it); double us = fetch_out() / cycles_per_us / it / 2; if (r) v.push_back(us); meet();
    }
    if (me == 0) row(name, scope, 1, threads, n, "one_way_us", v);
  };
  both("pingpong_signal", "thread", 1, 8, [&](int k) { pingpong_signal<<<1, 1, 0, stream>>>(sig, me, k, d_out); }, 500);
  both("pingpong_p", "thread", 1, 8, [&](int k) { pingpong_p<<<1, 1, 0, stream>>>(sig, me, k, d_out); }, 500);
  both("pingpong_atomic_add", "thread", 1, 8, [&](int k) { pingpong_atomic<<<1, 1, 0, stream>>>(sig, me, k, d_out); }, 500);
  for (size_t n = 8; n <= (4u << 20); n *= 4) {
    int it = n <= 16384 ? 300 : 30;
    if (n <= 65536) both("pingpong_put_signal", "thread", 1, n, [&](int k) { pingpong_put_signal<THREAD><<<1, 1, 0, stream>>>(d, s, n, sig, me, k, d_out); }, it);
    both("pingpong_put_signal", "warp", 32, n, [&](int k) { pingpong_put_signal<WARP><<<1, 32, 0, stream>>>(d, s, n, sig, me, k, d_out); }, it);
    both("pingpong_put_signal", "block", 512, n, [&](int k) { pingpong_put_signal<BLOCK><<<1, 512, 0, stream>>>(d, s, n, sig, me, k, d_out); }, it);
  }
}
static void section_bw(char* d, char* s) {
  meet();
  if (me == 0) {
    size_t total = 64u << 20;
    for (int ctas : {1, 2, 4, 8, 16, 32, 64, 132})
      for (size_t per : {size_t(16) << 10, size_t(256) << 10}) {
        size_t n = std::min(total, per * ctas);
        if (n > most_bytes) continue;
        int it = 20;
        auto gbps = [&](double us) { return n * it / us / 1e3; };
        row("put_bw", "block", ctas, 1024, n, "bandwidth_GBps", map(timed_events([&] { bw_rma<BLOCK, 0><<<ctas, 1024, 0, stream>>>(d, s, n, 1, it); }), gbps));
        row("get_bw", "block", ctas, 1024, n, "bandwidth_GBps", map(timed_events([&] { bw_rma<BLOCK, 1><<<ctas, 1024, 0, stream>>>(d, s, n, 1, it); }), gbps));
        row("put_bw", "warp", ctas, 1024, n, "bandwidth_GBps", map(timed_events([&] { bw_rma<WARP, 0><<<ctas, 1024, 0, stream>>>(d, s, n, 1, it); }), gbps));
        row("put_bw", "thread", ctas, 1024, n, "bandwidth_GBps", map(timed_events([&] { bw_rma<THREAD, 0><<<ctas, 1024, 0, stream>>>(d, s, n, 1, it); }), gbps));
        row("local_put_bw", "block", ctas, 1024, n, "bandwidth_GBps", map(timed_events([&] { bw_rma<BLOCK, 0><<<ctas, 1024, 0, stream>>>(d, s, n, 0, it); }), gbps));
      }
    for (int ctas : {1, 8, 32, 132}) {
      size_t n = 32u << 20; int it = 5; size_t c = n / 8;
      if (n > most_bytes) continue;
      auto gbps = [&](double us) { return n * it / us / 1e3; };
      uint64_t* rem = (uint64_t*)nvshmem_ptr(d, 1); uint64_t* rems = (uint64_t*)nvshmem_ptr(s, 1);
      row("p_bw", "thread", ctas, 1024, n, "bandwidth_GBps", map(timed_events([&] { bw_scalar<0, uint64_t><<<ctas, 1024, 0, stream>>>((uint64_t*)d, (uint64_t*)s, c, 1, it, nullptr); }), gbps));
      row("g_bw", "thread", ctas, 1024, n, "bandwidth_GBps", map(timed_events([&] { bw_scalar<1, uint64_t><<<ctas, 1024, 0, stream>>>((uint64_t*)d, (uint64_t*)s, c, 1, it, nullptr); }), gbps));
      row("st_bw", "thread", ctas, 1024, n, "bandwidth_GBps", map(timed_events([&] { bw_scalar<2, uint64_t><<<ctas, 1024, 0, stream>>>((uint64_t*)d, (uint64_t*)s, c, 1, it, rem); }), gbps));
      row("ld_bw", "thread", ctas, 1024, n, "bandwidth_GBps", map(timed_events([&] { bw_scalar<3, uint64_t><<<ctas, 1024, 0, stream>>>((uint64_t*)d, (uint64_t*)s, c, 1, it, rems); }), gbps));
      row("st16_bw", "thread", ctas, 1024, n, "bandwidth_GBps", map(timed_events([&] { bw_scalar<2, uint4><<<ctas, 1024, 0, stream>>>((uint4*)d, (uint4*)s, n / 16, 1, it, (uint4*)rem); }), gbps));
      row("ld16_bw", "thread", ctas, 1024, n, "bandwidth_GBps", map(timed_events([&] { bw_scalar<3, uint4><<<ctas, 1024, 0, stream>>>((uint4*)d, (uint4*)s, n / 16, 1, it, (uint4*)rems); }), gbps));
    }
    for (int threads : {1, 32, 1024}) for (int ctas : {1, 32}) for (int same : {0, 1}) for (int fetch : {0, 1}) {
      int it = 100; double ops = double(it) * threads * ctas;
      row(same ? (fetch ? "atomic_fetch_add_rate_same" : "atomic_add_rate_same") : (fetch ? "atomic_fetch_add_rate_distinct" : "atomic_add_rate_distinct"), "thread", ctas, threads, 8, "Mops",
          map(timed_events([&] { rate_atomic<<<ctas, threads, 0, stream>>>((uint64_t*)d, 1, it, same, fetch); }), [&](double us) { return ops / us; }));
    }
  }
  meet();
  // both directions at once
  for (int ctas : {8, 32, 132}) {
    size_t n = size_t(ctas) * (256u << 10); int it = 200;
    if (n > most_bytes) continue;
    meet();
    auto v = map(timed_events([&] { bw_rma<BLOCK, 0><<<ctas, 1024, 0, stream>>>(d, s, n, 1 - me, it); }, 3), [&](double us) { return n * it / us / 1e3; });
    if (me == 0) row("put_bw_bidir_each", "block", ctas, 1024, n, "bandwidth_GBps", v);
    meet();
  }
}
template <int S, int C> static void one_coll(float* d, float* s) {
  int threads = S == THREAD ? 1 : S == WARP ? 32 : 256;
  bool sized = C > C_SYNC;
  for (size_t n = 4; n <= (sized ? (S == THREAD ? 16384u : S == WARP ? 262144u : 4u << 20) : 4u); n *= 4) {
    int it = n <= 16384 ? 200 : 20;
    std::vector<double> v;
    for (int r = 0; r < 6; r++) { meet(); coll<S, C><<<1, threads, 0, stream>>>(d, s, n / 4, it, d_out); CK(cudaGetLastError()); double us = fetch_out() / cycles_per_us / it; if (r) v.push_back(us); }
    if (me == 0) row(coll_name[C], scope_name[S], 1, threads, sized ? n : 0, "latency_us", v);
  }
}
template <int S> static void section_coll(float* d, float* s) {
  one_coll<S, C_BARRIER>(d, s); one_coll<S, C_SYNC>(d, s); one_coll<S, C_BCAST>(d, s); one_coll<S, C_FCOLLECT>(d, s);
  one_coll<S, C_ALLTOALL>(d, s); one_coll<S, C_REDUCE>(d, s); one_coll<S, C_REDUCESCATTER>(d, s);
}
static void section_on_stream(float* d, float* s) {
  nvshmem_team_t t = NVSHMEM_TEAM_WORLD;
  auto run = [&](const char* name, size_t n, std::function<void()> f, int it) {
    std::vector<double> v;
    for (int r = 0; r < 6; r++) { meet(); auto w = timed_events([&] { for (int i = 0; i < it; i++) f(); }, 1); if (r) v.push_back(w[0] / it); }
    if (me == 0) row(name, "on_stream", 0, 0, n, "latency_us", v);
  };
  run("barrier_all", 0, [&] { nvshmemx_barrier_all_on_stream(stream); }, 50);
  run("sync_all", 0, [&] { nvshmemx_sync_all_on_stream(stream); }, 50);
  for (size_t n = 4; n <= (64u << 20); n *= 4) {
    int it = n <= 65536 ? 50 : 10; size_t c = n / 4;
    run("broadcast", n, [&] { nvshmemx_float_broadcast_on_stream(t, d, s, c, 0, stream); }, it);
    run("fcollect", n, [&] { nvshmemx_float_fcollect_on_stream(t, d, s, c, stream); }, it);
    run("alltoall", n, [&] { nvshmemx_float_alltoall_on_stream(t, d, s, c, stream); }, it);
    run("reduce_sum", n, [&] { nvshmemx_float_sum_reduce_on_stream(t, d, s, c, stream); }, it);
    run("reducescatter_sum", n, [&] { nvshmemx_float_sum_reducescatter_on_stream(t, d, s, c, stream); }, it);
    run("putmem", n, [&] { nvshmemx_putmem_on_stream(d, s, n, 1 - me, stream); }, it);
  }
}

// On hardware: rank, ranks and the file that carries the unique id. Under emulation the PEs know all that.
static void initialise(int argc, char** argv) {
#ifdef __SHMEMU__
  nvshmem_init();
  CK(cudaSetDevice(nvshmem_my_pe()));
#else
  if (argc < 4) { fprintf(stderr, "usage: nvshmem_probe RANK RANKS UID_FILE [SECTION...]\n"); exit(2); }
  int rank = atoi(argv[1]), n = atoi(argv[2]); const char* uid_file = argv[3];
  CK(cudaSetDevice(rank));
  uid_start(rank, n, uid_file);
#endif
}
int main(int argc, char** argv) {
  initialise(argc, argv);
#ifdef __SHMEMU__
  const int first_section = 1;
  const double scale = 0.02;  // emulated loops repeat exactly: one repetition says it all
#else
  const int first_section = 4;
  const double scale = 1;
#endif
  repeat = scale;
  me = nvshmem_my_pe(); npes = nvshmem_n_pes();
  CK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CK(cudaMalloc(&d_out, 8));
  { // cycles per microsecond
    cudaEvent_t a, b; CK(cudaEventCreate(&a)); CK(cudaEventCreate(&b));
    spin_cycles<<<1, 1, 0, stream>>>(100000000 * repeat, d_out); fetch_out();
    CK(cudaEventRecord(a, stream)); spin_cycles<<<1, 1, 0, stream>>>(400000000 * repeat, d_out); CK(cudaEventRecord(b, stream)); CK(cudaEventSynchronize(b));
    float ms; CK(cudaEventElapsedTime(&ms, a, b)); cycles_per_us = fetch_out() / (ms * 1000.0);
    if (me == 0) printf("# clock %.1f cycles/us, npes %d\n", cycles_per_us, npes);
  }
  size_t bytes = 160u << 20;
  char* d = (char*)nvshmem_malloc(bytes); char* s = (char*)nvshmem_malloc(bytes);
  uint64_t* sig = (uint64_t*)nvshmem_calloc(64, 8);
  CK(cudaMemset(s, 1, bytes)); CK(cudaMemset(d, 0, bytes));
  std::vector<std::string> sections;
  for (int i = first_section; i < argc; i++) if (sscanf(argv[i], "bytes=%zu", &most_bytes) != 1) sections.push_back(argv[i]);
  auto want = [&](const char* w) { return sections.empty() || std::find(sections.begin(), sections.end(), w) != sections.end(); };
  if (me == 0) printf("test,scope,npes,ctas,threads,bytes,metric,median,min,max\n");
  if (want("launch")) {
    meet();
    if (me == 0) {
      row("empty_kernel_in_stream", "stream", 1, 1, 0, "latency_us", map(timed_events([&] { for (int i = 0; i < 1000; i++) empty_kernel<<<1, 1, 0, stream>>>(); }), [](double us) { return us / 1000; }));
      std::vector<double> v; for (int i = 0; i < 200; i++) { auto t0 = std::chrono::steady_clock::now(); empty_kernel<<<1, 1, 0, stream>>>(); CK(cudaStreamSynchronize(stream)); v.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - t0).count()); }
      row("launch_and_sync", "host", 1, 1, 0, "latency_us", v);
    }
    meet();
  }
  if (want("scalar")) section_scalar(sig);
  if (want("rma")) { section_rma<THREAD>(d, s); section_rma<WARP>(d, s); section_rma<BLOCK>(d, s); }
  if (want("pingpong") && npes == 2) section_pingpong(d, s, sig);
  if (want("bw") && npes == 2) section_bw(d, s);
  if (want("coll_thread")) section_coll<THREAD>((float*)d, (float*)s);
  if (want("coll_warp")) section_coll<WARP>((float*)d, (float*)s);
  if (want("coll_block")) section_coll<BLOCK>((float*)d, (float*)s);
  if (want("on_stream")) section_on_stream((float*)d, (float*)s);
  meet();
  nvshmem_finalize();
  if (me == 0) printf("# done\n");
  return 0;
}
