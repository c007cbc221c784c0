// Host memory that CUDA knows: allocated or registered, used by kernels in place, and what pointers are.
#include "check.hpp"

__global__ void square(int* p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] *= p[i];
}

int main() {
  constexpr int kCount = 1000;
  constexpr size_t kBytes = kCount * sizeof(int);
  auto* owned = static_cast<char*>(aligned_alloc(4096, 8192));
  auto* numbers = reinterpret_cast<int*>(owned + 64);
  for (int i = 0; i < kCount; ++i) numbers[i] = i;

  WORKS(cudaHostRegister(owned, 8192, cudaHostRegisterMapped));
  GIVES(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(owned, 8192, 0));
  GIVES(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(owned + 4096, 8192, 0));
  int* mapped = nullptr;
  WORKS(cudaHostGetDevicePointer(&mapped, numbers, 0));
  square<<<8, 128>>>(mapped, kCount);
  WORKS(cudaDeviceSynchronize());
  bool good = true;
  for (int i = 0; i < kCount; ++i) good = good && numbers[i] == i * i;
  CHECK(good);

  // a copy from registered memory takes its source when the stream gets there
  int *device, back = 0;
  cudaStream_t stream;
  WORKS(cudaStreamCreate(&stream));
  WORKS(cudaMalloc(&device, kBytes));
  WORKS(cudaMemcpyAsync(device, numbers, kBytes, cudaMemcpyHostToDevice, stream));
  WORKS(cudaStreamSynchronize(stream));
  WORKS(cudaMemcpy(&back, device + 30, sizeof back, cudaMemcpyDeviceToHost));
  CHECK(back == 900);

  cudaPointerAttributes a;
  WORKS(cudaPointerGetAttributes(&a, numbers + 3));
  CHECK(a.type == cudaMemoryTypeHost && a.devicePointer == numbers + 3 && a.hostPointer == numbers + 3);
  WORKS(cudaPointerGetAttributes(&a, device + 3));
  CHECK(a.type == cudaMemoryTypeDevice && a.device == 0 && a.devicePointer == device + 3 && a.hostPointer == nullptr);
  WORKS(cudaPointerGetAttributes(&a, &back));
  CHECK(a.type == cudaMemoryTypeUnregistered && a.hostPointer == &back && a.devicePointer == nullptr);
  WORKS(cudaPointerGetAttributes(&a, nullptr));
  CHECK(a.type == cudaMemoryTypeUnregistered);
  GIVES(cudaErrorInvalidValue, cudaPointerGetAttributes(nullptr, device));

  unsigned flags = 0;
  WORKS(cudaHostGetFlags(&flags, owned));
  CHECK(flags & cudaHostRegisterMapped);
  GIVES(cudaErrorInvalidValue, cudaHostGetFlags(&flags, &back));
  GIVES(cudaErrorInvalidValue, cudaHostGetDevicePointer(&mapped, &back, 0));
  GIVES(cudaErrorInvalidValue, cudaHostGetDevicePointer(&mapped, numbers, 1));
  GIVES(cudaErrorInvalidValue, cudaFreeHost(owned));  // the program's own
  GIVES(cudaErrorInvalidValue, cudaHostUnregister(owned + 1));
  WORKS(cudaHostUnregister(owned));
  GIVES(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(owned));
  GIVES(cudaErrorInvalidValue, cudaHostRegister(nullptr, 4096, 0));
  GIVES(cudaErrorInvalidValue, cudaHostRegister(owned, 0, 0));
  GIVES(cudaErrorInvalidValue, cudaHostRegister(owned, 4096, 0x100));

  int* pinned = nullptr;
  WORKS(cudaHostAlloc(&pinned, kBytes, cudaHostAllocPortable | cudaHostAllocMapped));
  for (int i = 0; i < kCount; ++i) pinned[i] = 3;
  square<<<8, 128, 0, stream>>>(pinned, kCount);  // one address space
  WORKS(cudaStreamSynchronize(stream));
  CHECK(pinned[0] == 9 && pinned[kCount - 1] == 9);
  WORKS(cudaHostGetFlags(&flags, pinned));
  CHECK((flags & cudaHostAllocPortable) && (flags & cudaHostAllocMapped));
  GIVES(cudaErrorInvalidValue, cudaHostUnregister(pinned));
  GIVES(cudaErrorInvalidValue, cudaHostRegister(pinned, 100, 0));
  GIVES(cudaErrorInvalidValue, cudaFreeHost(pinned + 1));
  WORKS(cudaFreeHost(pinned));
  GIVES(cudaErrorInvalidValue, cudaHostAlloc(&pinned, 100, 0x80));
  free(owned);
  return finish();
}
