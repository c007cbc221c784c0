// Address ranges, physical memory, and mapping one into the other. Codes as an H200 gives them.
#include "check.hpp"

__global__ void fill(int* p, int n, int value) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] = value + i;
}

int main() {
  constexpr size_t kPage = 2 << 20;
  WORKS(cudaSetDevice(0));
  WORKS(cudaFree(nullptr));
  CUmemAllocationProp properties = {};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  size_t granularity = 0;
  DRIVER_WORKS(cuMemGetAllocationGranularity(&granularity, &properties, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED));
  CHECK(granularity == kPage);

  CUmemGenericAllocationHandle first, second, handle;
  DRIVER_GIVES(CUDA_ERROR_INVALID_VALUE, cuMemCreate(&first, 100, &properties, 0));
  size_t before, after, total;
  DRIVER_WORKS(cuMemGetInfo(&before, &total));
  DRIVER_WORKS(cuMemCreate(&first, kPage, &properties, 0));
  DRIVER_WORKS(cuMemCreate(&second, kPage, &properties, 0));
  DRIVER_WORKS(cuMemGetInfo(&after, &total));
  CHECK(before - after == 2 * kPage);
  CUdeviceptr range;
  DRIVER_GIVES(CUDA_ERROR_INVALID_VALUE, cuMemAddressReserve(&range, 100, 0, 0, 0));
  DRIVER_WORKS(cuMemAddressReserve(&range, 4 * kPage, 0, 0, 0));

  // two pages with different memory, and the first one once more behind them
  DRIVER_GIVES(CUDA_ERROR_NOT_SUPPORTED, cuMemMap(range, 2 * kPage, 0, first, 0));
  DRIVER_WORKS(cuMemMap(range, kPage, 0, first, 0));
  DRIVER_GIVES(CUDA_ERROR_INVALID_VALUE, cuMemMap(range, kPage, 0, second, 0));
  DRIVER_WORKS(cuMemMap(range + kPage, kPage, 0, second, 0));
  DRIVER_WORKS(cuMemMap(range + 2 * kPage, kPage, 0, first, 0));
  int host[2] = {};
  DRIVER_GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(range, host, sizeof host));  // no access yet
  CUmemAccessDesc access = {};
  access.location = properties.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  DRIVER_WORKS(cuMemSetAccess(range, 3 * kPage, &access, 1));
  DRIVER_GIVES(CUDA_ERROR_INVALID_VALUE, cuMemSetAccess(range, 4 * kPage, &access, 1));
  unsigned long long flags = 0;
  DRIVER_WORKS(cuMemGetAccess(&flags, &access.location, range));
  CHECK(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);

  constexpr int kWords = kPage / sizeof(int);
  fill<<<1, 256>>>((int*)range, 2 * kWords, 1000);  // across both pages
  WORKS(cudaDeviceSynchronize());
  DRIVER_WORKS(cuMemcpyDtoH(host, range + kPage - sizeof(int), sizeof host));
  CHECK(host[0] == 1000 + kWords - 1 && host[1] == 1000 + kWords);
  DRIVER_WORKS(cuMemcpyDtoH(host, range + 2 * kPage, sizeof host));  // the second mapping of the first memory
  CHECK(host[0] == 1000 && host[1] == 1001);

  // memory lives as long as a mapping
  DRIVER_WORKS(cuMemRelease(first));
  DRIVER_WORKS(cuMemcpyDtoH(host, range, sizeof host));
  CHECK(host[0] == 1000);
  DRIVER_WORKS(cuMemRetainAllocationHandle(&handle, (void*)range));
  CUmemAllocationProp read;
  DRIVER_WORKS(cuMemGetAllocationPropertiesFromHandle(&read, handle));
  CHECK(read.location.id == 0 && read.location.type == CU_MEM_LOCATION_TYPE_DEVICE);

  // by way of a file descriptor it is the same memory
  int file = -1;
  CUmemGenericAllocationHandle imported;
  DRIVER_WORKS(cuMemExportToShareableHandle(&file, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
  DRIVER_WORKS(cuMemImportFromShareableHandle(&imported, (void*)(intptr_t)file, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
  DRIVER_WORKS(cuMemMap(range + 3 * kPage, kPage, 0, imported, 0));
  DRIVER_WORKS(cuMemSetAccess(range + 3 * kPage, kPage, &access, 1));
  fill<<<1, 32>>>((int*)(range + 3 * kPage), 32, 5);
  WORKS(cudaDeviceSynchronize());
  DRIVER_WORKS(cuMemcpyDtoH(host, range, sizeof host));
  CHECK(host[0] == 5 && host[1] == 6);

  DRIVER_WORKS(cuMemRelease(handle));
  DRIVER_WORKS(cuMemRelease(imported));
  DRIVER_WORKS(cuMemUnmap(range, 2 * kPage));
  DRIVER_GIVES(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(host, range, sizeof host));
  DRIVER_GIVES(CUDA_ERROR_INVALID_VALUE, cuMemAddressFree(range, 4 * kPage));  // still mapped
  DRIVER_WORKS(cuMemUnmap(range + 2 * kPage, 2 * kPage));
  DRIVER_GIVES(CUDA_ERROR_INVALID_VALUE, cuMemAddressFree(range, kPage));
  DRIVER_WORKS(cuMemAddressFree(range, 4 * kPage));
  DRIVER_WORKS(cuMemRelease(second));
  DRIVER_GIVES(CUDA_ERROR_INVALID_VALUE, cuMemRelease(second));
  DRIVER_WORKS(cuMemGetInfo(&after, &total));
  CHECK(before - after < 32 * kPage || after >= before);

  // the address space can be used again
  void* p = nullptr;
  WORKS(cudaMalloc(&p, 4 * kPage));
  WORKS(cudaMemset(p, 1, 4 * kPage));
  WORKS(cudaDeviceSynchronize());
  return finish();
}
