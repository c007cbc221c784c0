// Streams that write words and wait for words, with each condition; kernels, streams and the host as the other side.
#include "check.hpp"

__global__ void store(volatile unsigned* p, unsigned value) { *p = value; }
__global__ void store_late(volatile unsigned* p, unsigned value, long long cycles) {
  long long start = clock64();
  while (clock64() - start < cycles) {
  }
  *p = value;
}

int main() {
  WORKS(cudaSetDevice(0));
  unsigned *words, *pinned, back[8];
  WORKS(cudaMalloc(&words, 64));
  WORKS(cudaMemset(words, 0, 64));
  WORKS(cudaHostAlloc(&pinned, 64, cudaHostAllocMapped));
  memset(pinned, 0, 64);
  auto address = (CUdeviceptr)words;
  CUstream a, b;
  DRIVER_WORKS(cuStreamCreate(&a, CU_STREAM_NON_BLOCKING));
  DRIVER_WORKS(cuStreamCreate(&b, CU_STREAM_NON_BLOCKING));
  // code is loaded at the first launch, which a waiting stream can hold up
  store<<<1, 1>>>(words, 0);
  store_late<<<1, 1>>>(words, 0, 0);
  WORKS(cudaDeviceSynchronize());

  // one stream waits for the word of another
  DRIVER_WORKS(cuStreamWaitValue32(a, address, 7, CU_STREAM_WAIT_VALUE_EQ));
  store<<<1, 1, 0, a>>>(words + 1, 70);
  DRIVER_WORKS(cuStreamWriteValue32(b, address, 7, CU_STREAM_WRITE_VALUE_DEFAULT));
  DRIVER_WORKS(cuStreamSynchronize(a));
  // and for that of a kernel
  DRIVER_WORKS(cuStreamWaitValue32(a, address, 9, CU_STREAM_WAIT_VALUE_GEQ));
  store<<<1, 1, 0, a>>>(words + 2, 90);
  GIVES(cudaErrorNotReady, cudaStreamQuery(a));
  store_late<<<1, 1, 0, b>>>(words, 12, 100000);
  DRIVER_WORKS(cuStreamSynchronize(a));
  // bits that are set, bits that are not
  DRIVER_WORKS(cuStreamWaitValue32(a, address, 0x10, CU_STREAM_WAIT_VALUE_AND));
  DRIVER_WORKS(cuStreamWriteValue32(b, address, 0x18, CU_STREAM_WRITE_VALUE_DEFAULT));
  DRIVER_WORKS(cuStreamWaitValue32(a, address, 0xffff, CU_STREAM_WAIT_VALUE_NOR));
  DRIVER_WORKS(cuStreamSynchronize(a));
  // cyclic: 2 is after 0xfffffff0
  DRIVER_WORKS(cuStreamWriteValue32(b, address, 2, CU_STREAM_WRITE_VALUE_DEFAULT));
  DRIVER_WORKS(cuStreamWaitValue32(a, address, 0xfffffff0u, CU_STREAM_WAIT_VALUE_GEQ));
  // 64 bits
  DRIVER_WORKS(cuStreamWaitValue64(a, address + 32, 1ull << 40, CU_STREAM_WAIT_VALUE_EQ));
  DRIVER_WORKS(cuStreamWriteValue64(b, address + 32, 1ull << 40, CU_STREAM_WRITE_VALUE_DEFAULT));
  DRIVER_WORKS(cuStreamSynchronize(a));
  DRIVER_WORKS(cuStreamSynchronize(b));
  WORKS(cudaMemcpy(back, words, sizeof back, cudaMemcpyDeviceToHost));
  CHECK(back[0] == 2 && back[1] == 70 && back[2] == 90);

  // a word of the host
  DRIVER_WORKS(cuStreamWaitValue32(a, (CUdeviceptr)pinned, 3, CU_STREAM_WAIT_VALUE_EQ));
  DRIVER_WORKS(cuStreamWriteValue32(a, (CUdeviceptr)(pinned + 1), 33, CU_STREAM_WRITE_VALUE_DEFAULT));
  GIVES(cudaErrorNotReady, cudaStreamQuery(a));
  CHECK(pinned[1] == 0);
  *(volatile unsigned*)pinned = 3;
  DRIVER_WORKS(cuStreamSynchronize(a));
  CHECK(pinned[1] == 33);

  // several at once
  CUstreamBatchMemOpParams batch[3] = {};
  batch[0].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
  batch[0].writeValue.address = address + 12;
  batch[0].writeValue.value = 123;
  batch[1].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
  batch[1].waitValue.address = address + 12;
  batch[1].waitValue.value = 123;
  batch[1].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
  batch[2].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_64;
  batch[2].writeValue.address = address + 40;
  batch[2].writeValue.value64 = 0x100000002ull;
  DRIVER_WORKS(cuStreamBatchMemOp(a, 3, batch, 0));
  DRIVER_WORKS(cuStreamSynchronize(a));
  unsigned long long wide = 0;
  WORKS(cudaMemcpy(&wide, words + 10, sizeof wide, cudaMemcpyDeviceToHost));
  CHECK(wide == 0x100000002ull);

  DRIVER_GIVES(CUDA_ERROR_INVALID_VALUE, cuStreamWriteValue32(a, address + 1, 7, 0));
  DRIVER_GIVES(CUDA_ERROR_INVALID_VALUE, cuStreamWriteValue32(a, 16, 7, 0));
  DRIVER_GIVES(CUDA_ERROR_INVALID_VALUE, cuStreamWriteValue32(a, address, 7, 0x77));
  DRIVER_GIVES(CUDA_ERROR_INVALID_VALUE, cuStreamWaitValue32(a, address, 7, 0x77));
  return finish();
}
