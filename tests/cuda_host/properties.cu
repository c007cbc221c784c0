// What a device says about itself, and settings that a program can read back.
#include <string>

#include "check.hpp"

int main() {
  int count = 0;
  WORKS(cudaGetDeviceCount(&count));
  CHECK(count >= 1);
  int driver = 0, runtime = 0;
  WORKS(cudaDriverGetVersion(&driver));
  WORKS(cudaRuntimeGetVersion(&runtime));
  CHECK(driver >= runtime && runtime >= 12000);

  for (int d = 0; d < count; ++d) {
    cudaDeviceProp p;
    WORKS(cudaGetDeviceProperties(&p, d));
    CHECK(std::string(p.name).find("NVIDIA") == 0);
    CHECK(p.warpSize == 32 && p.major == 9 && p.minor == 0);
    CHECK(p.multiProcessorCount == 132 && p.maxThreadsPerMultiProcessor == 2048 && p.maxThreadsPerBlock == 1024);
    CHECK(p.sharedMemPerBlock == 49152 && p.sharedMemPerBlockOptin == 232448 && p.sharedMemPerMultiprocessor == 233472);
    CHECK(p.totalGlobalMem > (size_t{100} << 30));
    CHECK(p.maxThreadsDim[0] == 1024 && p.maxThreadsDim[2] == 64 && p.maxGridSize[0] == 0x7fffffff);
    int value = 0;
    WORKS(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, d));
    CHECK(value == p.multiProcessorCount);
    WORKS(cudaDeviceGetAttribute(&value, cudaDevAttrL2CacheSize, d));
    CHECK(value == p.l2CacheSize);
    WORKS(cudaDeviceGetAttribute(&value, cudaDevAttrCooperativeLaunch, d));
    CHECK(value == 1 && p.cooperativeLaunch == 1);
    WORKS(cudaDeviceGetAttribute(&value, cudaDevAttrPciBusId, d));
    CHECK(value == p.pciBusID);

    char id[32];
    WORKS(cudaDeviceGetPCIBusId(id, sizeof id, d));
    int found = -1;
    WORKS(cudaDeviceGetByPCIBusId(&found, id));
    CHECK(found == d);
    for (int other = 0; other < count; ++other) {
      int can = -1, back = -1;
      WORKS(cudaDeviceCanAccessPeer(&can, d, other));
      WORKS(cudaDeviceCanAccessPeer(&back, other, d));
      CHECK(can == back && (d != other || can == 0));
      if (d != other) {
        WORKS(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrNativeAtomicSupported, d, other));
        CHECK(value == can);
      }
    }
  }

  size_t before = 0, after = 0, total = 0;
  void* p = nullptr;
  WORKS(cudaMemGetInfo(&before, &total));
  WORKS(cudaMalloc(&p, 64 << 20));
  WORKS(cudaMemGetInfo(&after, &total));
  CHECK(before - after >= (64 << 20) && after < total);
  WORKS(cudaFree(p));

  size_t limit = 0;
  WORKS(cudaDeviceGetLimit(&limit, cudaLimitStackSize));
  CHECK(limit == 1024);
  WORKS(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
  WORKS(cudaDeviceGetLimit(&limit, cudaLimitStackSize));
  CHECK(limit == 4096);
  WORKS(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
  CHECK(limit == 8 << 20);

  int least = -1, greatest = 1;
  WORKS(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  CHECK(least == 0 && greatest < 0);
  unsigned flags = 0;
  WORKS(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
  WORKS(cudaGetDeviceFlags(&flags));
  CHECK(flags & cudaDeviceScheduleBlockingSync);
  cudaFuncCache cache;
  WORKS(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
  WORKS(cudaDeviceGetCacheConfig(&cache));
  CHECK(cache == cudaFuncCachePreferL1);

  // a reset gives everything back
  WORKS(cudaMalloc(&p, 64 << 20));
  WORKS(cudaDeviceReset());
  WORKS(cudaDeviceGetLimit(&limit, cudaLimitStackSize));
  CHECK(limit == 1024);
  WORKS(cudaMemGetInfo(&after, &total));
  CHECK(before - after < (32 << 20));
  return finish();
}
