// expect: exit=0 message="invalid configuration argument"
// pes: 1
// A block may have 1024 threads. CUDA reports it as an error of the launch; this program expects exactly that.
#include "malformed.hpp"

__global__ void nothing() {}

int main() {
  start();
  nothing<<<1, 2048>>>();
  const cudaError_t error = cudaGetLastError();
  printf("%s\n", cudaGetErrorString(error));
  if (error != cudaErrorInvalidConfiguration) return 1;
  return finish();
}
