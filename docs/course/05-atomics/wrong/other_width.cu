// Wrong: a 64-bit atomic on a 32-bit bin reaches into the next bin.
#include "course.hpp"

constexpr int kBins = 16, kValues = 2048;  // bins per PE, values per PE

__device__ int value_of(int me, int i, int n) { return (i * i + me) % (kBins * n); }

__global__ void count(int* bins, int* local, int me, int n) {
  for (int i = threadIdx.x; i < kValues; i += blockDim.x) atomicAdd(&local[value_of(me, i, n)], 1);
  __syncthreads();
  for (int b = threadIdx.x; b < kBins * n; b += blockDim.x)  // one remote atomic for each bin, not for each value
    if (local[b] != 0 && me % 2 == 0)
      nvshmem_ulonglong_atomic_add(reinterpret_cast<unsigned long long*>(bins + b % kBins / 2 * 2),
                                                   static_cast<unsigned long long>(local[b]) << (b % 2 * 32), b / kBins);
    else if (local[b] != 0)
      nvshmem_int_atomic_add(bins + b % kBins, local[b], b / kBins);
}

__global__ void total(const int* bins, int* out) {
  for (int b = 0; b < kBins; ++b) out[0] += bins[b], out[1] = max(out[1], bins[b]);
}

int main() {
  Course c;
  int *bins = c.symmetric<int>(kBins), *local = c.local<int>(kBins * c.n), *out = c.local<int>(2);
  launch(count, 1, 128, bins, local, c.me, c.n);
  CUDA_CHECK(cudaDeviceSynchronize());
  nvshmem_barrier_all();  // all atomics of all PEs have been done
  total<<<1, 1>>>(bins, out);
  printf("PE %d: %d values, at most %d in a bin\n", c.me, value(out), value(out + 1));
}
