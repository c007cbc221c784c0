// Loops around NVSHMEM operations, the shapes of NVIDIA's perftest programs: what published tables measured. Prints
// "ROW us" for every row asked for; `shmemu validate` puts that beside the measured values.
//
//   loop_probe TEST:SCOPE:BLOCKS:THREADS:BYTES:ITERATIONS…      us of one iteration
//     put_loop, get_loop (block), p_loop, g_loop (thread)   all blocks, a barrier of the grid, no completion before the end
//     put_latency         put and quiet, one block                          (thread, warp, block)
//     put_issue, put_quiet, put_signal_round_trip                 one thread, one operation at a time
//     put_signal_ping_pong                                  the whole round trip  (thread, warp, block)
//     ping_pong, p_ping_pong, signal_ping_pong              put or p, fence, signal; the whole round trip
//     barrier, barrier_all                                  over all PEs    (thread, warp, block)
//     rate                small puts of all threads of all blocks, then quiet; us per put
//     quiet_walk          put of 8 B and quiet over the queue pairs that there are
#include <cuda_runtime.h>
#include <nvshmem.h>
#include <nvshmemx.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#define CHECK(call)                                                                           \
  do {                                                                                        \
    cudaError_t e = (call);                                                                   \
    if (e != cudaSuccess) fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e)), exit(1); \
  } while (0)

enum Scope { THREAD, WARP, BLOCK };

struct Row {
  std::string test, scope_name;
  int scope, blocks, threads, iterations;
  size_t bytes;
};

static int me, npes;
static char* data;
static uint64_t* flag;
static unsigned* counter;  // of the grid's barrier
static long long* cycles;
static double cycles_per_us;
static const size_t kMost = 256 << 20;

// All blocks meet; `round` counts from 1. counter[0] arrivals, counter[1] finished rounds.
__device__ void meet(volatile unsigned* counter, unsigned round) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    if (atomicInc((unsigned*)counter, 0xffffffffu) == gridDim.x * round - 1) counter[1] = counter[1] + 1;
    while (counter[1] != round) {}
  }
  __syncthreads();
}

// The blocks' shares are divided in every round, as perftest does it.
template <bool PUT> __global__ void bulk_loop(double* data, volatile unsigned* counter, size_t count, int peer, int n) {
  int blocks = gridDim.x;
  for (int i = 1; i <= n; ++i) {
    double* mine = data + blockIdx.x * (count / blocks);
    if (PUT) nvshmemx_double_put_nbi_block(mine, mine, count / blocks, peer);
    else nvshmemx_double_get_nbi_block(mine, mine, count / blocks, peer);
    meet(counter, i);
  }
  if (threadIdx.x == 0) nvshmem_quiet();
}

// Two elements of a thread, the threads of the grid side by side; a block stays together from one pair to the next.
template <bool P> __device__ inline void scalar(int* at, int peer) {
  if (P) nvshmem_int_p(at, *at, peer);
  else *at = nvshmem_int_g(at, peer);
}

template <bool P> __global__ void scalar_loop(int* data, volatile unsigned* counter, int count, int peer, int n) {
  int threads = gridDim.x * blockDim.x, first = blockIdx.x * blockDim.x + threadIdx.x, slice = 2 * threads, j;
  for (int i = 1; i <= n; ++i) {
    for (j = 0; j < count - slice; j += slice) {
      for (int u = 0; u < 2; ++u) scalar<P>(data + j + u * threads + first, peer);
      __syncthreads();
    }
    for (int u = 0; u < 2; ++u)
      if (int at = j + u * threads + first; at < count) scalar<P>(data + at, peer);
    meet(counter, i);
  }
  if (threadIdx.x == 0) nvshmem_quiet();
}

__device__ void put(int scope, char* data, size_t bytes, int peer) {
  if (scope == THREAD) nvshmem_putmem_nbi(data, data, bytes, peer);
  else if (scope == WARP) nvshmemx_putmem_warp(data, data, bytes, peer);
  else nvshmemx_putmem_block(data, data, bytes, peer);
}

__global__ void put_latency(int scope, char* data, size_t bytes, int peer, int n) {
  for (int i = 0; i < n; ++i) {
    put(scope, data, bytes, peer);
    if (scope != THREAD) __syncthreads();
    if (threadIdx.x == 0) nvshmem_quiet();
    if (scope != THREAD) __syncthreads();
  }
}

// what 0: issue of a put, 1: put and quiet, 2: the round trip of put with signal
__global__ void one_op(int what, char* data, uint64_t* flag, int me, int n, uint64_t base, long long* cycles) {
  long long spent = 0;
  for (uint64_t i = base + 1; i <= base + n; ++i) {
    if (what == 2 && me == 1) nvshmem_signal_wait_until(flag, NVSHMEM_CMP_GE, i);
    long long since = clock64();
    if (what == 2) {
      nvshmem_putmem_signal_nbi(data, data, 8, flag, i, NVSHMEM_SIGNAL_SET, !me);
      if (me == 0) nvshmem_signal_wait_until(flag, NVSHMEM_CMP_GE, i);
    } else {
      nvshmem_putmem_nbi(data, data, 8, !me);
    }
    if (what == 1) nvshmem_quiet();
    spent += clock64() - since;
    if (what == 0) nvshmem_quiet();
  }
  *cycles = spent / n;
}

__global__ void put_signal(int scope, char* data, uint64_t* flag, size_t bytes, int me, int n, uint64_t base) {
  for (uint64_t i = base + 1; i <= base + n; ++i)
    for (int turn = 0; turn < 2; ++turn) {
      if (turn != me) {
        if (threadIdx.x == 0) nvshmem_uint64_wait_until(flag, NVSHMEM_CMP_GE, i);
        __syncthreads();
        continue;
      }
      if (scope == THREAD) nvshmem_putmem_signal_nbi(data, data, bytes, flag, i, NVSHMEM_SIGNAL_SET, !me);
      else if (scope == WARP) nvshmemx_putmem_signal_nbi_warp(data, data, bytes, flag, i, NVSHMEM_SIGNAL_SET, !me);
      else nvshmemx_putmem_signal_nbi_block(data, data, bytes, flag, i, NVSHMEM_SIGNAL_SET, !me);
    }
  nvshmem_quiet();
}

// kind 0: signal alone, 1: put of one thread, 2: p of all threads
__global__ void ping_pong(int kind, char* data, uint64_t* flag, size_t bytes, int me, int n, uint64_t base) {
  int* values = (int*)data;
  for (uint64_t i = base + 1; i <= base + n; ++i)
    for (int turn = 0; turn < 2; ++turn) {
      if (turn != me) {
        if (threadIdx.x == 0) nvshmem_uint64_wait_until(flag, NVSHMEM_CMP_GE, i);
        if (kind == 2) __syncthreads();
        continue;
      }
      if (kind == 1) nvshmem_putmem_nbi(data, data, bytes, !me);
      if (kind == 2) {
        for (size_t j = threadIdx.x; j < bytes / 4; j += blockDim.x) nvshmem_int_p(values + j, values[j], !me);
        __syncthreads();
      }
      if (threadIdx.x == 0) {
        if (kind) nvshmem_fence();
        nvshmemx_signal_op(flag, i, NVSHMEM_SIGNAL_SET, !me);
      }
      if (kind == 2) __syncthreads();
    }
  if (threadIdx.x == 0) nvshmem_quiet();
}

__global__ void barriers(int scope, bool all, int n) {
  for (int i = 0; i < n; ++i) {
    if (scope == BLOCK) all ? nvshmemx_barrier_all_block() : (void)nvshmemx_barrier_block(NVSHMEM_TEAM_WORLD);
    else if (threadIdx.x >= (scope == WARP ? 32 : 1)) return;
    else if (scope == WARP) all ? nvshmemx_barrier_all_warp() : (void)nvshmemx_barrier_warp(NVSHMEM_TEAM_WORLD);
    else all ? nvshmem_barrier_all() : (void)nvshmem_barrier(NVSHMEM_TEAM_WORLD);
  }
}

__global__ void rate(char* data, size_t bytes, int peer, int n) {
  char* mine = data + (blockIdx.x * blockDim.x + threadIdx.x) * bytes;
  for (int i = 0; i < n; ++i) {
    if (bytes == 8) nvshmem_uint64_p((uint64_t*)mine, i, peer);
    else nvshmem_putmem_nbi(mine, mine, bytes, peer);
  }
  __syncthreads();
  if (threadIdx.x == 0) nvshmem_quiet();
}

// The µs that events around `launch` see; the first launch is a warm-up with few iterations.
template <class F> static double timed(F launch, int iterations) {
  static cudaEvent_t start, stop;
  if (!start) {
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
  }
  float ms = 0;
  for (int n : {2, iterations}) {
    CHECK(cudaMemset(counter, 0, 2 * sizeof(unsigned)));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventRecord(start));
    launch(n);
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));
    CHECK(cudaEventElapsedTime(&ms, start, stop));
  }
  return ms * 1e3 / iterations;
}

static double measure(const Row& r) {
  static uint64_t base = 0;  // flags only grow
  double us = 0;
  int peer = !me;
  auto alone = [&](auto launch) { us = me == 0 ? timed(launch, r.iterations) : 0; };
  auto together = [&](auto launch) {
    us = timed(
        [&](int n) {
          launch(n);
          base += n;
        },
        r.iterations);
  };
  if (r.test == "put_loop") alone([&](int n) { bulk_loop<true><<<r.blocks, r.threads>>>((double*)data, counter, r.bytes / 8, peer, n); });
  else if (r.test == "get_loop") alone([&](int n) { bulk_loop<false><<<r.blocks, r.threads>>>((double*)data, counter, r.bytes / 8, peer, n); });
  else if (r.test == "p_loop") alone([&](int n) { scalar_loop<true><<<r.blocks, r.threads>>>((int*)data, counter, r.bytes / 4, peer, n); });
  else if (r.test == "g_loop")  // perftest counts bytes as elements
    alone([&](int n) { scalar_loop<false><<<r.blocks, r.threads>>>((int*)data, counter, r.bytes, peer, n); });
  else if (r.test == "put_latency") alone([&](int n) { put_latency<<<1, r.threads>>>(r.scope, data, r.bytes, peer, n); });
  else if (r.test == "quiet_walk") alone([&](int n) { put_latency<<<1, 1>>>(THREAD, data, r.bytes, peer, n); });
  else if (r.test == "rate")
    alone([&](int n) { rate<<<r.blocks, r.threads>>>(data, r.bytes, peer, n); }), us /= double(r.blocks) * r.threads;
  else if (r.test == "put_signal_ping_pong")
    together([&](int n) { put_signal<<<1, r.threads>>>(r.scope, data, flag, r.bytes, me, n, base); });
  else if (r.test == "ping_pong" || r.test == "p_ping_pong" || r.test == "signal_ping_pong") {
    int kind = r.test == "signal_ping_pong" ? 0 : r.test == "ping_pong" ? 1 : 2;
    together([&](int n) { ping_pong<<<1, r.threads>>>(kind, data, flag, r.bytes, me, n, base); });
  } else if (r.test == "barrier" || r.test == "barrier_all") {
    together([&](int n) { barriers<<<1, r.threads>>>(r.scope, r.test == "barrier_all", n); });
  } else if (r.test == "put_issue" || r.test == "put_quiet" || r.test == "put_signal_round_trip") {
    int what = r.test == "put_issue" ? 0 : r.test == "put_quiet" ? 1 : 2;
    long long host = 0;
    if (what == 2 || me == 0) one_op<<<1, 1>>>(what, data, flag, me, r.iterations, base, cycles);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(&host, cycles, sizeof host, cudaMemcpyDeviceToHost));
    base += r.iterations;
    us = host / cycles_per_us;
  } else {
    fprintf(stderr, "unknown test '%s'\n", r.test.c_str());
    exit(2);
  }
  return us;
}

static Row row_of(const char* text) {
  Row r;
  char test[64], scope[16];
  if (sscanf(text, "%63[^:]:%15[^:]:%d:%d:%zu:%d", test, scope, &r.blocks, &r.threads, &r.bytes, &r.iterations) != 6 ||
      r.blocks < 1 || r.threads < 1 || r.iterations < 1 || r.bytes * 4 > kMost) {
    fprintf(stderr, "'%s' is no TEST:SCOPE:BLOCKS:THREADS:BYTES:ITERATIONS\n", text);
    exit(2);
  }
  r.test = test, r.scope_name = scope;
  r.scope = r.scope_name == "warp" ? WARP : r.scope_name == "block" ? BLOCK : THREAD;
  return r;
}

int main(int argc, char** argv) {
  nvshmem_init();
  CHECK(cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE)));
  me = nvshmem_my_pe(), npes = nvshmem_n_pes();
  size_t most = 4096;
  for (int i = 1; i < argc; ++i) {
    Row r = row_of(argv[i]);
    size_t needed = r.test == "g_loop" ? 4 * r.bytes : r.test == "rate" ? r.bytes * r.blocks * r.threads : r.bytes;
    if (needed > most) most = needed;
  }
  data = (char*)nvshmem_calloc(most, 1);
  flag = (uint64_t*)nvshmem_calloc(1, 8);
  CHECK(cudaMalloc(&counter, 2 * sizeof(unsigned)));
  CHECK(cudaMalloc(&cycles, sizeof(long long)));
  int khz = 0;
  CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
  cycles_per_us = khz * 1e-3;
  for (int i = 1; i < argc; ++i) {
    nvshmem_barrier_all();
    double us = measure(row_of(argv[i]));
    if (me == 0) printf("%s %.4f\n", argv[i], us), fflush(stdout);
  }
  nvshmem_barrier_all();
  nvshmem_finalize();
  return 0;
}
