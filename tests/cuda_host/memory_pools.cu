// Stream-ordered allocation: memory is there at once and goes when its stream gets to the free.
#include "check.hpp"

__global__ void fill(int* p, int n, int value) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] = value;
}

unsigned long long attribute(cudaMemPool_t pool, cudaMemPoolAttr which) {
  unsigned long long value = 0;
  WORKS(cudaMemPoolGetAttribute(pool, which, &value));
  return value;
}

int main() {
  constexpr int kCount = 250;
  cudaStream_t stream;
  WORKS(cudaStreamCreate(&stream));
  cudaMemPool_t pool, same;
  WORKS(cudaDeviceGetDefaultMemPool(&pool, 0));
  WORKS(cudaDeviceGetMemPool(&same, 0));
  CHECK(pool == same);

  int *p = nullptr, back = 0;
  WORKS(cudaMallocAsync(&p, kCount * sizeof(int), stream));
  CHECK(attribute(pool, cudaMemPoolAttrUsedMemCurrent) == 1000 && attribute(pool, cudaMemPoolAttrReservedMemCurrent) >= 1000);
  fill<<<1, 64, 0, stream>>>(p, kCount, 42);
  WORKS(cudaMemcpyAsync(&back, p + kCount - 1, sizeof back, cudaMemcpyDeviceToHost, stream));
  WORKS(cudaFreeAsync(p, stream));
  GIVES(cudaErrorInvalidValue, cudaFreeAsync(p, stream));
  WORKS(cudaStreamSynchronize(stream));
  CHECK(back == 42 && attribute(pool, cudaMemPoolAttrUsedMemCurrent) == 0);
  CHECK(attribute(pool, cudaMemPoolAttrUsedMemHigh) == 1000);

  // cudaFree takes it too, cudaFreeAsync takes what cudaMalloc gave
  WORKS(cudaMallocAsync(&p, 64, stream));
  WORKS(cudaFree(p));
  WORKS(cudaMalloc(&p, 64));
  WORKS(cudaFreeAsync(p, stream));
  WORKS(cudaFreeAsync(nullptr, stream));
  GIVES(cudaErrorInvalidValue, cudaFreeAsync(&back, stream));
  GIVES(cudaErrorMemoryAllocation, cudaMallocAsync(&p, size_t{1} << 44, stream));

  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  cudaMemPool_t own;
  WORKS(cudaMemPoolCreate(&own, &properties));
  WORKS(cudaDeviceSetMemPool(0, own));
  WORKS(cudaStreamSynchronize(stream));
  unsigned long long used = attribute(pool, cudaMemPoolAttrUsedMemCurrent);
  WORKS(cudaMallocAsync(&p, 64, stream));
  CHECK(attribute(own, cudaMemPoolAttrUsedMemCurrent) == 64 && attribute(pool, cudaMemPoolAttrUsedMemCurrent) == used);
  WORKS(cudaMallocFromPoolAsync(&p, 64, pool, stream));
  CHECK(attribute(pool, cudaMemPoolAttrUsedMemCurrent) == used + 64);
  unsigned long long threshold = 12345;
  WORKS(cudaMemPoolSetAttribute(own, cudaMemPoolAttrReleaseThreshold, &threshold));
  CHECK(attribute(own, cudaMemPoolAttrReleaseThreshold) == 12345);
  GIVES(cudaErrorInvalidValue, cudaMemPoolSetAttribute(own, cudaMemPoolAttrUsedMemCurrent, &threshold));
  WORKS(cudaMemPoolTrimTo(own, 0));
  properties.location.id = 4096;
  GIVES(cudaErrorInvalidValue, cudaMemPoolCreate(&same, &properties));
  GIVES(cudaErrorInvalidValue, cudaMemPoolDestroy(pool));
  WORKS(cudaDeviceSetMemPool(0, pool));
  WORKS(cudaMemPoolDestroy(own));
  return finish();
}
