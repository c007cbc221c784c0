// expect: exit=1 message="invalid device ordinal"
// pes: 1
// cudaSetDevice of a GPU that the node does not have; the program prints CUDA's own error text.
#include "malformed.hpp"

int main() {
  nvshmem_init();
  CUDA_CHECK(cudaSetDevice(99));
  return finish();
}
