// broken_deadlock: everybody waits, nobody sends.
//
//   shmemu run -n 2 ./broken_deadlock            reports the deadlock: who waits where, for which value (exit code 4)
//   shmemu run -n 2 ./broken_deadlock repaired   "ok"
//
// Every PE wants a signal from its left neighbour and would signal its right neighbour afterwards. WRONG: all wait
// first, so no signal is ever sent. On hardware the program hangs without a word. REPAIR: send before waiting (or let
// one PE, say PE 0, begin). Any number of PEs; one alone waits for itself.
#include <cuda_runtime.h>
#include <nvshmem.h>
#include <nvshmemx.h>
#include <cstdio>
#include <cstring>

#define CUDA_CHECK(call)                                                         \
  do {                                                                           \
    cudaError_t e = (call);                                                      \
    if (e != cudaSuccess) {                                                      \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); \
      nvshmem_global_exit(1);                                                    \
    }                                                                            \
  } while (0)

__global__ void handshake(uint64_t* signal, bool repaired) {
  const int right = (nvshmem_my_pe() + 1) % nvshmem_n_pes();
  if (repaired) nvshmemx_signal_op(signal, 1, NVSHMEM_SIGNAL_SET, right);
  nvshmem_signal_wait_until(signal, NVSHMEM_CMP_EQ, 1);  // <- all PEs stop here
  if (!repaired) nvshmemx_signal_op(signal, 1, NVSHMEM_SIGNAL_SET, right);
}

int main(int argc, char** argv) {
  bool repaired = argc > 1 && strcmp(argv[1], "repaired") == 0;
  nvshmem_init();
  CUDA_CHECK(cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE)));
  const int me = nvshmem_my_pe();

  uint64_t* signal = static_cast<uint64_t*>(nvshmem_calloc(1, sizeof(uint64_t)));
  void* args[] = {&signal, &repaired};
  if (nvshmemx_collective_launch(reinterpret_cast<const void*>(handshake), dim3(1), dim3(1), args, 0, nullptr)) {
    fprintf(stderr, "PE %d: collective launch failed\n", me);
    nvshmem_global_exit(1);
  }
  CUDA_CHECK(cudaDeviceSynchronize());
  if (me == 0) printf("deadlock ok: everybody got a signal\n");
  nvshmem_barrier_all();
  nvshmem_free(signal);
  nvshmem_finalize();
  return 0;
}
