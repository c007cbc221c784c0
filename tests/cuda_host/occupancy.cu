// How many blocks an SM holds, as an H200 answers; attributes of kernels; launches with attributes.
#include "check.hpp"

__global__ void plain(int* p) { *p = 1; }
__global__ void fixed(int* p) {
  __shared__ int s[1024];
  s[threadIdx.x] = *p;
  __syncthreads();
  *p = s[(threadIdx.x + 1) % blockDim.x];
}
__global__ void dynamic(int* p, int words) {
  extern __shared__ int s[];
  for (int i = threadIdx.x; i < words; i += blockDim.x) s[i] = i;
  __syncthreads();
  if (threadIdx.x == 0) *p = s[words - 1];
}
__global__ void __launch_bounds__(128) bounded(int* p) { *p = 1; }
__global__ void count_blocks(int* p) {
  if (threadIdx.x == 0) atomicAdd(p, 1);
}

template <class F>
int blocks(F* f, int threads, size_t shared) {
  int n = -1;
  WORKS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, f, threads, shared));
  return n;
}

int main() {
  // threads, then shared memory, then blocks are what runs out
  CHECK(blocks(plain, 1, 0) == 32);
  CHECK(blocks(plain, 64, 0) == 32);
  CHECK(blocks(plain, 128, 0) == 16);
  CHECK(blocks(plain, 129, 0) == 12);
  CHECK(blocks(plain, 768, 0) == 2);
  CHECK(blocks(plain, 1024, 0) == 2);
  CHECK(blocks(plain, 1025, 0) == 0);
  CHECK(blocks(plain, 1024, 50000) == 0);  // more than 48 KiB without asking
  CHECK(blocks(fixed, 128, 0) == 16);
  WORKS(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448));
  CHECK(blocks(dynamic, 32, 100000) == 2);
  CHECK(blocks(dynamic, 32, 232448) == 1);
  CHECK(blocks(dynamic, 32, 232449) == 0);
  CHECK(blocks(dynamic, 32, 49152) == 4);
  int n;
  GIVES(cudaErrorInvalidValue, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, plain, 0, 0));
  GIVES(cudaErrorInvalidValue, cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&n, plain, 32, 0, 7));
  size_t available = 0;
  WORKS(cudaOccupancyAvailableDynamicSMemPerBlock(&available, dynamic, 1, 128));
  CHECK(available == 232448);
  WORKS(cudaOccupancyAvailableDynamicSMemPerBlock(&available, fixed, 1, 128));
  CHECK(available == 49152 - 4096);  // more must be asked for
#ifdef __SHMEMU__  // an H200 promises the block's reserved 1 KiB as well
  WORKS(cudaOccupancyAvailableDynamicSMemPerBlock(&available, dynamic, 3, 128));
  CHECK(blocks(dynamic, 128, available) == 3 && blocks(dynamic, 128, available + 1024) == 2);
#endif
  GIVES(cudaErrorInvalidValue, cudaOccupancyAvailableDynamicSMemPerBlock(&available, dynamic, 3, 1024));
  int grid = 0, block = 0;
  WORKS(cudaOccupancyMaxPotentialBlockSize(&grid, &block, plain));
  CHECK(grid == 264 && block == 1024);

  cudaFuncAttributes a;
  WORKS(cudaFuncGetAttributes(&a, plain));
  CHECK(a.sharedSizeBytes == 0 && a.maxThreadsPerBlock == 1024 && a.maxDynamicSharedSizeBytes == 49152);
  CHECK(a.numRegs > 0 && a.ptxVersion >= 90 && a.binaryVersion == 90);
  WORKS(cudaFuncGetAttributes(&a, fixed));
  CHECK(a.sharedSizeBytes == 4096 && a.maxDynamicSharedSizeBytes == 45056);
  WORKS(cudaFuncGetAttributes(&a, bounded));
  CHECK(a.maxThreadsPerBlock == 128);
  WORKS(cudaFuncGetAttributes(&a, dynamic));
  CHECK(a.maxDynamicSharedSizeBytes == 232448);
  GIVES(cudaErrorInvalidValue, cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 232449));
  GIVES(cudaErrorInvalidValue, cudaFuncSetAttribute(fixed, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448));
  GIVES(cudaErrorInvalidValue, cudaFuncSetAttribute(dynamic, cudaFuncAttributePreferredSharedMemoryCarveout, 101));
  WORKS(cudaFuncSetAttribute(dynamic, cudaFuncAttributePreferredSharedMemoryCarveout, 100));
  GIVES(cudaErrorInvalidValue, cudaFuncSetAttribute(dynamic, (cudaFuncAttribute)99, 1));
  WORKS(cudaFuncSetCacheConfig(plain, cudaFuncCachePreferShared));
  GIVES(cudaErrorInvalidValue, cudaFuncSetCacheConfig(plain, (cudaFuncCache)9));
  const char* name = "";
  WORKS(cudaFuncGetName(&name, plain));
  CHECK(strcmp(name, "_Z5plainPi") == 0);

  // a launch with as much shared memory as a block may have
  int *p, word = 0;
  WORKS(cudaMalloc(&p, sizeof(int)));
  dynamic<<<1, 256, 232448>>>(p, 232448 / 4);
  WORKS(cudaGetLastError());
  WORKS(cudaMemcpy(&word, p, sizeof word, cudaMemcpyDeviceToHost));
  CHECK(word == 232448 / 4 - 1);

  // launches with attributes
  WORKS(cudaMemset(p, 0, sizeof(int)));
  cudaLaunchConfig_t c = {};
  c.gridDim = dim3(264);
  c.blockDim = dim3(64);
  cudaLaunchAttribute attributes[2] = {};
  attributes[0].id = cudaLaunchAttributeCooperative;
  attributes[0].val.cooperative = 1;
  attributes[1].id = cudaLaunchAttributePriority;
  c.attrs = attributes;
  c.numAttrs = 2;
  WORKS(cudaLaunchKernelEx(&c, count_blocks, p));
  WORKS(cudaMemcpy(&word, p, sizeof word, cudaMemcpyDeviceToHost));
  CHECK(word == 264);
  c.gridDim = dim3(132 * 32 + 1);
  GIVES(cudaErrorCooperativeLaunchTooLarge, cudaLaunchKernelEx(&c, count_blocks, p));
#ifdef __SHMEMU__
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim.x = 2;
  attributes[0].val.clusterDim.y = attributes[0].val.clusterDim.z = 1;
  c.gridDim = dim3(4);
  GIVES(cudaErrorNotSupported, cudaLaunchKernelEx(&c, count_blocks, p));
  GIVES(cudaErrorInvalidDeviceFunction, cudaFuncGetAttributes(&a, (const void*)main));
#endif
  return finish();
}
