// Variables of device code from the host: addresses, sizes, copies with offsets and in streams.
#include "check.hpp"

__device__ int counters[4];
__constant__ float factors[3];
__device__ double single = 2.5;
static __device__ int hidden = 7;

__global__ void use(float* out) {
  for (int i = 0; i < 3; ++i) out[i] = factors[i] * (float)counters[i + 1] + (float)single;
  atomicAdd(&counters[0], 100);
  hidden += 1;
}

int main() {
  size_t bytes = 0;
  WORKS(cudaGetSymbolSize(&bytes, counters));
  CHECK(bytes == 16);
  WORKS(cudaGetSymbolSize(&bytes, factors));
  CHECK(bytes == 12);

  int values[4] = {1, 2, 3, 4};
  float scale[3] = {10, 20, 30};
  WORKS(cudaMemcpyToSymbol(counters, values, sizeof values));
  WORKS(cudaMemcpyToSymbol(factors, scale, sizeof scale));
  int nine = 9;
  WORKS(cudaMemcpyToSymbol(counters, &nine, 4, 8));  // counters[2]

  float* device = nullptr;
  WORKS(cudaMalloc(&device, 3 * sizeof(float)));
  use<<<1, 1>>>(device);
  float result[3];
  WORKS(cudaMemcpy(result, device, sizeof result, cudaMemcpyDeviceToHost));
  CHECK(result[0] == 22.5f && result[1] == 182.5f && result[2] == 122.5f);
  int back[4];
  WORKS(cudaMemcpyFromSymbol(back, counters, sizeof back));
  CHECK(back[0] == 101 && back[1] == 2 && back[2] == 9 && back[3] == 4);
  int seen = 0;
  WORKS(cudaMemcpyFromSymbol(&seen, hidden, sizeof seen));
  CHECK(seen == 8);

  // by address, and in a stream
  void* address = nullptr;
  WORKS(cudaGetSymbolAddress(&address, counters));
  WORKS(cudaMemset(address, 0, 8));
  cudaPointerAttributes a;
  WORKS(cudaPointerGetAttributes(&a, address));
  CHECK(a.type == cudaMemoryTypeDevice && a.devicePointer == address);
  cudaStream_t stream;
  WORKS(cudaStreamCreate(&stream));
  WORKS(cudaMemcpyToSymbolAsync(counters, values, 4, 12, cudaMemcpyHostToDevice, stream));
  WORKS(cudaMemcpyFromSymbolAsync(back, counters, sizeof back, 0, cudaMemcpyDeviceToHost, stream));
  WORKS(cudaStreamSynchronize(stream));
  CHECK(back[0] == 0 && back[1] == 0 && back[2] == 9 && back[3] == 1);

  GIVES(cudaErrorInvalidValue, cudaMemcpyToSymbol(counters, values, 17));
  GIVES(cudaErrorInvalidValue, cudaMemcpyToSymbol(counters, values, 8, 12));
  GIVES(cudaErrorInvalidMemcpyDirection, cudaMemcpyToSymbol(counters, values, 4, 0, cudaMemcpyDeviceToHost));
  GIVES(cudaErrorInvalidSymbol, cudaGetSymbolAddress(&address, values));
  return finish();
}
