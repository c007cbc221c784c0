// Which PEs nvshmem_ptr gives an address for: '.' none, 'o' the own one, 'x' another's. Stores through each.
//
//   peer_pattern [null | stale]      then PE 0 stores through a null pointer it got, or through one whose memory is
//   freed
#include "../programs/program.hpp"

#include <string>

__global__ void store(int* to, int value) { *to = value; }

int main(int argc, char** argv) {
  const Pe pe = start();
  int* words = symmetric<int>(pe.n);
  std::string row;
  int *null = nullptr, *peer = nullptr;
  for (int other = pe.n - 1; other >= 0; --other) {
    auto* there = static_cast<int*>(nvshmem_ptr(words, other));
    row.insert(row.begin(), !there ? '.' : there == words ? 'o' : 'x');
    if (there) store<<<1, 1>>>(there + pe.me, 1 + pe.me);
    if (there && other != pe.me) peer = there;
  }
  nvshmemx_barrier_all_on_stream(nullptr);
  CUDA_CHECK(cudaDeviceSynchronize());
  bool good = true;
  for (int other = 0; other < pe.n; ++other) good &= words[other] == (row[other] == '.' ? 0 : 1 + other);
  printf("%2d %s\n", pe.me, row.c_str());
  nvshmem_barrier_all();
  if (argc > 1 && strcmp(argv[1], "null") == 0 && pe.me == 0) {
    null = static_cast<int*>(nvshmem_ptr(words, pe.n - 1));
    store<<<1, 1>>>(null, 5);
  }
  CUDA_CHECK(cudaDeviceSynchronize());
  nvshmem_free(words);
  if (argc > 1 && strcmp(argv[1], "stale") == 0 && pe.me == 0) store<<<1, 1>>>(peer, 5);
  CUDA_CHECK(cudaDeviceSynchronize());
  return finish("peer_pattern", good);
}
