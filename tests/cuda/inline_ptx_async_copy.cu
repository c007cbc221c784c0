// mbarrier objects, cp.async and 1-D bulk copies, with a wait loop written as PTX labels.
#include <cstdint>

#include "check.hpp"

__device__ void wait(unsigned barrier, unsigned parity) {
  asm volatile(
      "{\n"
      ".reg .pred P1;\n"
      "LAB_WAIT:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1, %2;\n"
      "@P1 bra DONE;\n"
      "bra LAB_WAIT;\n"
      "DONE:\n"
      "}" ::"r"(barrier), "r"(parity), "r"(0x989680));
}

__global__ void bulk(const int* in, int* out) {
  __shared__ __align__(128) int tile[256];
  __shared__ __align__(8) uint64_t full;
  unsigned barrier = static_cast<unsigned>(__cvta_generic_to_shared(&full));
  unsigned target = static_cast<unsigned>(__cvta_generic_to_shared(tile));
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%1], %0;" ::"r"(1), "r"(barrier));
    asm volatile("fence.mbarrier_init.release.cluster;" ::);
  }
  __syncthreads();
  for (unsigned round = 0; round < 3; ++round) {
    if (threadIdx.x == 0) {
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%1], %0;" ::"r"(1024), "r"(barrier) : "memory");
      asm volatile(
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, [%3], %4;" ::"r"(target),
          "l"(in + 256 * round), "r"(1024), "r"(barrier), "l"(0ull)
          : "memory");
    }
    wait(barrier, round & 1);
    tile[threadIdx.x] += 1;
    __syncthreads();
    if (threadIdx.x == 0) {
      asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out + 256 * round), "r"(target), "r"(1024)
                   : "memory");
      asm volatile("cp.async.bulk.commit_group;");
      asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(0) : "memory");
    }
    __syncthreads();
  }
}

/// Threads arrive on an mbarrier that one thread waits for.
__global__ void arrivals(int* sum) {
  __shared__ __align__(8) uint64_t barrier_word;
  __shared__ int total;
  unsigned barrier = static_cast<unsigned>(__cvta_generic_to_shared(&barrier_word));
  if (threadIdx.x == 0) {
    total = 0;
    asm volatile("mbarrier.init.shared::cta.b64 [%1], %0;" ::"r"(31), "r"(barrier));
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    wait(barrier, 0);
    *sum = total;
  } else {
    atomicAdd(&total, int(threadIdx.x));
    uint64_t state;
    asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(state) : "r"(barrier) : "memory");
  }
}

__global__ void small(const int4* in, int4* out) {
  __shared__ int4 tile[32];
  unsigned target = static_cast<unsigned>(__cvta_generic_to_shared(tile + threadIdx.x));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(target), "l"(in + threadIdx.x) : "memory");
  asm volatile("cp.async.commit_group;");
  asm volatile("cp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  out[threadIdx.x] = tile[31 - threadIdx.x];
}

int main() {
  std::vector<int> values(768);
  for (int i = 0; i < 768; ++i) values[i] = i * 5;
  DeviceArray<int> in(values), out(768), sum(1);
  bulk<<<1, 256>>>(in, out);
  std::vector<int> r = out.read();
  for (int i = 0; i < 768; ++i) CHECK(r[i] == i * 5 + 1);
  arrivals<<<1, 32>>>(sum);
  CHECK(sum.read()[0] == 496);
  small<<<1, 32>>>((const int4*)in.data(), (int4*)out.data());
  CHECK(out.read()[0] == 31 * 4 * 5);
  return verdict();
}
