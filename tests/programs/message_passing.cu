// MP: PE 0 writes data and then a flag into PE 1; PE 1 waits for the flag and reads the data. Needs 2 PEs.
//
//   message_passing none | fence | quiet | put_signal | signal | atomic | signal_fence
//
// Prints "outcome flag data". Data 0 (stale) is allowed for none, signal and atomic: nothing orders the two operations
// (spec 1.3, memory ordering; a signal operation orders only its own payload). Forbidden for the others.
#include "litmus.hpp"

enum Variant { none, fence, quiet, put_signal, signal, atomic, signal_fence, variants };
static const char* const kNames[variants] = {"none",   "fence",  "quiet",       "put_signal",
                                             "signal", "atomic", "signal_fence"};

__global__ void message_passing(int* data, const int* one, int* flag, uint64_t* sig, int* seen, int variant) {
  const int me = nvshmem_my_pe();
  const bool by_signal = variant == put_signal || variant == signal || variant == signal_fence;
  if (me == 0) {
    if (variant == put_signal) {
      nvshmem_int_put_signal(data, one, 1, sig, 1, NVSHMEM_SIGNAL_SET, 1);
      return;
    }
    nvshmem_int_put(data, one, 1, 1);
    if (variant == fence || variant == signal_fence) nvshmem_fence();
    if (variant == quiet) nvshmem_quiet();
    if (by_signal)
      nvshmemx_signal_op(sig, 1, NVSHMEM_SIGNAL_SET, 1);
    else if (variant == atomic)
      nvshmem_int_atomic_set(flag, 1, 1);
    else
      nvshmem_int_p(flag, 1, 1);
  }
  if (me == 1) {
    if (by_signal)
      nvshmem_signal_wait_until(sig, NVSHMEM_CMP_EQ, 1);
    else
      nvshmem_int_wait_until(flag, NVSHMEM_CMP_EQ, 1);
    seen[0] = 1;
    seen[1] = look(data);
  }
}

int main(int argc, char** argv) {
  int variant = 0;
  while (variant < variants && argc > 1 && strcmp(argv[1], kNames[variant]) != 0) ++variant;
  if (variant == variants) return fprintf(stderr, "unknown variant '%s'\n", argv[1]), 2;
  start(2);
  int *data = symmetric<int>(), *flag = symmetric<int>(), *one = symmetric<int>(), *seen = symmetric<int>(2);
  uint64_t* sig = symmetric<uint64_t>();
  const int value = 1;
  CUDA_CHECK(cudaMemcpy(one, &value, sizeof(int), cudaMemcpyHostToDevice));
  together(message_passing, 1, 1, data, one, flag, sig, seen, variant);
  print_outcome<2>(seen, {1});
  return 0;
}
