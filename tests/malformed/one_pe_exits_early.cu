// expect: exit=4 message="PE 1"
// pes: 2
// PE 1 returns from main while PE 0 waits for its signal.
#include "malformed.hpp"

__global__ void wait_for_signal(uint64_t* signal) { nvshmem_signal_wait_until(signal, NVSHMEM_CMP_GE, 1); }

int main() {
  start();
  uint64_t* signal = static_cast<uint64_t*>(nvshmem_calloc(1, sizeof(uint64_t)));
  if (nvshmem_my_pe() == 1) return 0;
  wait_for_signal<<<1, 1>>>(signal);
  CUDA_CHECK(cudaDeviceSynchronize());
  return 0;
}
