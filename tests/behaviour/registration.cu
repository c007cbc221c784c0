// Buffers of the program: registered local ones, and memory of cuMemCreate that becomes a part of the symmetric heap:
// the same bytes under both addresses.
#include <cuda.h>

#include "check.hpp"

__global__ void put_right(int* place, int value, int right) { nvshmem_int_p(place + 1, value, right); }

int main() {
  nvshmem_init();
  int me = nvshmem_my_pe(), n = nvshmem_n_pes(), device = nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE);
  CUDA(cudaSetDevice(device));
  CUdeviceptr address = 0;
  CUmemAllocationProp properties = {};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
  CUmemGenericAllocationHandle handle;
  CUmemAccessDesc access = {properties.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  constexpr size_t kBytes = 2 << 20;
  CHECK(cuMemCreate(&handle, kBytes, &properties, 0) == CUDA_SUCCESS);
  CHECK(cuMemAddressReserve(&address, kBytes, 0, 0, 0) == CUDA_SUCCESS);
  CHECK(cuMemMap(address, kBytes, 0, handle, 0) == CUDA_SUCCESS);
  CHECK(cuMemSetAccess(address, kBytes, &access, 1) == CUDA_SUCCESS);
  auto* mine = reinterpret_cast<int*>(address);
  CUDA(cudaMemset(mine, 0, kBytes));
  CUDA(cudaDeviceSynchronize());

  auto* place = static_cast<int*>(nvshmemx_buffer_register_symmetric(mine, kBytes, 0));
  CHECK(place != nullptr && place != mine && nvshmem_ptr(place, me) == place);
  put_right<<<1, 1>>>(place, 100 + me, (me + 1) % n);
  nvshmemx_barrier_all_on_stream(0);
  int got = -1;
  CUDA(cudaMemcpy(&got, mine + 1, sizeof got, cudaMemcpyDeviceToHost));  // seen through the program's own address
  CHECK(got == 100 + (me + n - 1) % n);
  CHECK(nvshmemx_buffer_unregister_symmetric(place, kBytes / 2) != 0);
  CHECK(nvshmemx_buffer_unregister_symmetric(place, kBytes) == 0);
  CUDA(cudaMemcpy(&got, mine + 1, sizeof got, cudaMemcpyDeviceToHost));  // the memory is the program's and stays
  CHECK(got == 100 + (me + n - 1) % n);

  int* ordinary;
  CUDA(cudaMalloc(&ordinary, kBytes));
  CHECK(nvshmemx_buffer_register_symmetric(ordinary, kBytes, 0) ==
        nullptr);  // has no handle that could be mapped again
  CHECK(nvshmemx_buffer_register(ordinary, kBytes) == 0);
  CHECK(nvshmemx_buffer_register(ordinary, kBytes) != 0);  // twice
  CHECK(nvshmemx_buffer_unregister(ordinary) == 0 && nvshmemx_buffer_unregister(ordinary) != 0);
  CHECK(nvshmemx_buffer_register(ordinary, kBytes) == 0);
  nvshmemx_buffer_unregister_all();
  CHECK(nvshmemx_buffer_unregister(ordinary) != 0);
  CHECK(nvshmemx_mc_ptr(NVSHMEM_TEAM_WORLD, place) == nullptr);  // no team has multicast memory
  CUDA(cudaFree(ordinary));
  CHECK(cuMemUnmap(address, kBytes) == CUDA_SUCCESS && cuMemAddressFree(address, kBytes) == CUDA_SUCCESS);
  CHECK(cuMemRelease(handle) == CUDA_SUCCESS);
  if (me == 0) std::puts("ok");
  nvshmem_finalize();
}
