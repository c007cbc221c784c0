// Wrong: right, but a remote atomic for each value.
#include "course.hpp"

constexpr int kBins = 16, kValues = 2048;  // bins per PE, values per PE

__device__ int value_of(int me, int i, int n) { return (i * i + me) % (kBins * n); }

__global__ void count(int* bins, int* local, int me, int n) {
  for (int i = threadIdx.x; i < kValues; i += blockDim.x) {
    const int b = value_of(me, i, n);
    nvshmem_int_atomic_fetch_add(bins + b % kBins, 1, b / kBins);
  }
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
