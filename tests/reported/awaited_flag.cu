// PE 1 puts data and then sets a flag; PE 0 waits for the flag and reads the data (pytorch/pytorch PR 158167, 159215,
// 163194, 163886: one hanging test, four public diagnoses). Needs 2 PEs on one node. Built with --check.
//
//   awaited_flag signal_u64 | signal_i64 | no_fence | peer_address | right
#include "../programs/program.hpp"

using Word = unsigned long long;
enum Variant { signal_u64, signal_i64, no_fence, peer_address, right, variants };
static const char* const kNames[variants] = {"signal_u64", "signal_i64", "no_fence", "peer_address", "right"};

__global__ void send_signal(int* data, const int* one, Word* flag) {
  nvshmem_int_put_signal(data, one, 1, reinterpret_cast<uint64_t*>(flag), 1, NVSHMEM_SIGNAL_SET, 0);
}
__global__ void send_without_fence(int* data, const int* one, Word* flag) {
  nvshmem_int_put(data, one, 1, 0);
  nvshmem_ulonglong_p(flag, 1, 0);
}
__global__ void send(int* data, const int* one, Word* flag) {
  nvshmem_int_put(data, one, 1, 0);
  nvshmem_fence();
  nvshmem_ulonglong_p(flag, 1, 0);
}
__global__ void await(Word* flag, const int* data, int* seen) {
  nvshmem_uint64_wait_until(reinterpret_cast<uint64_t*>(flag), NVSHMEM_CMP_EQ, 1);
  *seen = *data;
}
__global__ void await_as_signed(Word* flag, const int* data, int* seen) {
  nvshmem_longlong_wait_until(reinterpret_cast<long long*>(flag), NVSHMEM_CMP_EQ, 1);
  *seen = *data;
}

int main(int argc, char** argv) {
  int variant = 0;
  while (variant < variants && argc > 1 && strcmp(argv[1], kNames[variant]) != 0) ++variant;
  if (argc < 2 || variant == variants) return fprintf(stderr, "which variant?\n"), 2;
  const Pe pe = start(2);
  int *data = symmetric<int>(), *one = symmetric<int>(), *seen = symmetric<int>();
  Word* flag = symmetric<Word>();
  const int value = 1;
  CUDA_CHECK(cudaMemcpy(one, &value, sizeof value, cudaMemcpyHostToDevice));
  nvshmem_barrier_all();
  if (pe.me == 0) {
    auto* kernel = variant == signal_i64 ? await_as_signed : await;
    kernel<<<1, 1>>>(flag, data, seen);
  } else if (pe.me == 1) {
    auto* as_mapped = static_cast<Word*>(nvshmem_ptr(flag, 0));  // PE 0's copy, where the library wants PE 1's own
    auto* kernel = variant <= signal_i64 ? send_signal : variant == no_fence ? send_without_fence : send;
    kernel<<<1, 1>>>(data, one, variant == peer_address ? as_mapped : flag);
  }
  CUDA_CHECK(cudaDeviceSynchronize());
  nvshmem_barrier_all();
  return finish("awaited_flag", pe.me == 1 || value_of(seen) == 1);
}
