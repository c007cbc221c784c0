// Loops over the network between two PEs on two nodes, the shapes of NVIDIA's perftest programs: what published tables of
// IBGDA and IBRC measured. Prints the CSV of nvshmem_probe; compare.py puts it beside platforms/measurements.
//
//   shmemu run -q -n 2 -p coreweave-2x8 --pes-per-node 1 network_probe loops     with NVSHMEM_IB_ENABLE_IBGDA=1
//     loops: bandwidth loops of 32 blocks; one quiet at their end  (published with NVSHMEM_IBGDA_NUM_RC_PER_PE=1)
//     one_op: a single operation of one thread, with IBGDA
//     proxy: ping-pongs without IBGDA
// A row's time is that of one iteration.
#include <cuda_runtime.h>
#include <nvshmem.h>
#include <nvshmemx.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#define CHECK(call)                                                                           \
  do {                                                                                        \
    cudaError_t e = (call);                                                                   \
    if (e != cudaSuccess) fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e)), exit(1); \
  } while (0)

static const int kBlocks = 32, kThreads = 256;
static int me;

static void row(const char* test, const char* scope, int blocks, int threads, size_t bytes, double us) {
  if (me == 0) printf("%s,%s,2,%d,%d,%zu,latency_us,%.4f,%.4f,%.4f\n", test, scope, blocks, threads, bytes, us, us, us);
}

// All blocks meet; `round` counts from 1. counter[0] arrivals, counter[1] finished rounds.
__device__ void meet(volatile unsigned* counter, unsigned round) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    if (atomicInc((unsigned*)counter, 0xffffffffu) == gridDim.x * round - 1) counter[1] = round;
    while (counter[1] != round) {}
  }
  __syncthreads();
}

enum Kind { PUT, GET, P, G };

__global__ void loop(int kind, int* data, volatile unsigned* counter, size_t bytes, int peer, int iterations) {
  size_t part = bytes / gridDim.x / 8 * 8, count = kind == P ? bytes / 4 : bytes;  // g asks for four times as much
  size_t stride = (size_t)gridDim.x * blockDim.x, first = blockIdx.x * blockDim.x + threadIdx.x;
  char* mine = (char*)data + blockIdx.x * part;
  for (int i = 1; i <= iterations; ++i) {
    if (kind == PUT) nvshmemx_putmem_nbi_block(mine, mine, part, peer);
    if (kind == GET) nvshmemx_getmem_nbi_block(mine, mine, part, peer);
    if (kind == P)
      for (size_t j = first; j < count; j += stride) nvshmem_int_p(data + j, data[j], peer);
    if (kind == G)
      for (size_t j = first; j < count; j += stride) data[j] = nvshmem_int_g(data + j, peer);
    meet(counter, i);
  }
  if (threadIdx.x == 0) nvshmem_quiet();
}

static double timed_loop(int kind, int* data, unsigned* counter, size_t bytes, int iterations) {
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  float ms = 0;
  for (int warm = 1; warm >= 0; --warm) {
    CHECK(cudaMemset(counter, 0, 2 * sizeof(unsigned)));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventRecord(start));
    loop<<<kBlocks, kThreads>>>(kind, data, counter, bytes, !me, warm ? 2 : iterations);
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));
    CHECK(cudaEventElapsedTime(&ms, start, stop));
  }
  return ms * 1e3 / iterations;
}

static void loops() {
  int* data = (int*)nvshmem_calloc(1 << 20, 4);
  unsigned* counter;
  CHECK(cudaMalloc(&counter, 2 * sizeof(unsigned)));
  const struct {
    Kind kind;
    const char *name, *scope;
    size_t least, most, step;
  } tables[] = {{PUT, "ibgda_put", "block", 256, 1 << 20, 2},
                {GET, "ibgda_get", "block", 256, 256, 2},
                {P, "ibgda_p", "thread", 4, 1 << 16, 4},
                {G, "ibgda_g", "thread", 4, 256, 64}};
  for (auto& t : tables)
    for (size_t bytes = t.least; bytes <= t.most; bytes *= t.step) {
      if (me == 0) row(t.name, t.scope, kBlocks, kThreads, bytes, timed_loop(t.kind, data, counter, bytes, 50));
      nvshmem_barrier_all();
    }
}

// what 0: issue of a put, 1: put and quiet, 2: half of the round trip of put with signal
__global__ void one_op(int what, char* data, uint64_t* flag, int me, int n, long long* cycles) {
  long long spent = 0;
  for (int i = 1; i <= n; ++i) {
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

static double cycles_per_us() {
  int khz = 0;
  CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
  return khz * 1e-3;
}

static void one_ops() {
  char* data = (char*)nvshmem_calloc(64, 1);
  uint64_t* flag = (uint64_t*)nvshmem_calloc(1, 8);
  long long *cycles, host;
  CHECK(cudaMalloc(&cycles, sizeof(long long)));
  const char* names[] = {"ibgda_put_issue", "ibgda_put_quiet", "ibgda_put_signal_round_trip"};
  for (int what = 0; what < 3; ++what) {
    nvshmem_barrier_all();
    if (what == 2 || me == 0) one_op<<<1, 1>>>(what, data, flag, me, 20, cycles);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(&host, cycles, sizeof host, cudaMemcpyDeviceToHost));
    row(names[what], "thread", 1, 1, 8, host / cycles_per_us());
  }
}

__global__ void ping_pong(char* data, uint64_t* flag, size_t bytes, int me, int n, uint64_t base, long long* cycles) {
  long long since = clock64();
  for (uint64_t i = base + 1; i <= base + n; ++i)
    for (int turn = 0; turn < 2; ++turn) {
      if (turn != me) {
        nvshmem_uint64_wait_until(flag, NVSHMEM_CMP_GE, i);
        continue;
      }
      if (bytes) {
        nvshmem_putmem_nbi(data, data, bytes, !me);
        nvshmem_fence();
      }
      nvshmemx_signal_op(flag, i, NVSHMEM_SIGNAL_SET, !me);
    }
  nvshmem_quiet();
  *cycles = (clock64() - since) / n;
}

static void proxy() {
  char* data = (char*)nvshmem_calloc(1 << 20, 1);
  uint64_t* flag = (uint64_t*)nvshmem_calloc(1, 8);
  long long *cycles, host;
  CHECK(cudaMalloc(&cycles, sizeof(long long)));
  uint64_t base = 0;
  for (size_t bytes : {0, 4, 1024, 4096, 32768, 65536, 262144, 524288}) {
    nvshmem_barrier_all();
    ping_pong<<<1, 1>>>(data, flag, bytes, me, 50, base, cycles);
    base += 50;
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(&host, cycles, sizeof host, cudaMemcpyDeviceToHost));
    row(bytes ? "ibrc_put_fence_signal_round_trip" : "ibrc_signal_round_trip", "thread", 1, 1, bytes ? bytes : 8,
        host / cycles_per_us());
  }
}

int main(int argc, char** argv) {
  nvshmem_init();
  CHECK(cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE)));
  me = nvshmem_my_pe();
  for (int i = 1; i < argc; ++i) {
    std::string section = argv[i];
    if (section == "loops") loops();
    if (section == "one_op") one_ops();
    if (section == "proxy") proxy();
  }
  nvshmem_barrier_all();
  nvshmem_finalize();
  return 0;
}
