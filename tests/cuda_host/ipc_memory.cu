// Handles of device memory between PEs of a node: everyone opens the memory of the next PE and writes into it.
#include <nvshmem.h>
#include <nvshmemx.h>

#include "check.hpp"

__global__ void store(int* p, int value) { *p = value; }

int main() {
  nvshmem_init();
  int me = nvshmem_my_pe(), n = nvshmem_n_pes();
  WORKS(cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE)));
  int* own = nullptr;
  WORKS(cudaMalloc(&own, 2 * sizeof(int)));
  WORKS(cudaMemset(own, 0, 2 * sizeof(int)));
  cudaIpcMemHandle_t handle;
  WORKS(cudaIpcGetMemHandle(&handle, own));
  if (n == 1) {
    void* again = nullptr;
    GIVES(cudaErrorDeviceUninitialized, cudaIpcOpenMemHandle(&again, handle, cudaIpcMemLazyEnablePeerAccess));
  } else {
    auto* handles = static_cast<cudaIpcMemHandle_t*>(nvshmem_calloc(n, sizeof handle));
    auto* mine = static_cast<cudaIpcMemHandle_t*>(nvshmem_calloc(1, sizeof handle));
    WORKS(cudaMemcpy(mine, &handle, sizeof handle, cudaMemcpyHostToDevice));
    nvshmem_fcollectmem(NVSHMEM_TEAM_WORLD, handles, mine, sizeof handle);
    cudaIpcMemHandle_t next;
    WORKS(cudaMemcpy(&next, handles + (me + 1) % n, sizeof next, cudaMemcpyDeviceToHost));
    void* opened = nullptr;
    GIVES(cudaErrorInvalidValue, cudaIpcOpenMemHandle(&opened, next, 0));
    WORKS(cudaIpcOpenMemHandle(&opened, next, cudaIpcMemLazyEnablePeerAccess));
    store<<<1, 1>>>(static_cast<int*>(opened) + 1, 100 + me);
    WORKS(cudaDeviceSynchronize());
    GIVES(cudaErrorInvalidValue, cudaFree(opened));  // belongs to the other one
    WORKS(cudaIpcCloseMemHandle(opened));
    GIVES(cudaErrorInvalidValue, cudaIpcCloseMemHandle(opened));
    nvshmem_barrier_all();
    int got[2];
    WORKS(cudaMemcpy(got, own, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(got[0] == 0 && got[1] == 100 + (me + n - 1) % n);
  }
  nvshmem_barrier_all();
  WORKS(cudaFree(own));
  nvshmem_finalize();
  return finish();
}
