// expect: exit=1 message="nvshmem_free"
// pes: 2
// Memory of cudaMalloc is given to nvshmem_free.
#include "malformed.hpp"

int main() {
  start();
  void* p;
  CUDA_CHECK(cudaMalloc(&p, 1024));
  nvshmem_free(p);
  return finish();
}
