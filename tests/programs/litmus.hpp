// A litmus test: PEs run a few operations, readers note what they saw, PE 0 prints it as one line "outcome a b …".
// The test driver collects the lines over many seeds and compares the set with what the specification allows.
#ifndef SHMEMU_TESTS_PROGRAMS_LITMUS_HPP
#define SHMEMU_TESTS_PROGRAMS_LITMUS_HPP
#include "program.hpp"

// What stands between two operations of one thread; chosen by the first argument of the program.
enum class Between { none, fence, quiet };

inline Between between(int argc, char** argv) {
  const char* word = argc > 1 ? argv[1] : "none";
  if (strcmp(word, "none") == 0) return Between::none;
  if (strcmp(word, "fence") == 0) return Between::fence;
  if (strcmp(word, "quiet") == 0) return Between::quiet;
  fprintf(stderr, "unknown variant '%s'\n", word);
  exit(2);
}

__device__ inline void order(Between b) {
  if (b == Between::fence) nvshmem_fence();
  if (b == Between::quiet) nvshmem_quiet();
}

__device__ inline int look(const int* word) { return *static_cast<const volatile int*>(word); }

static __global__ void fetch_seen(int* all, const int* seen, int words, const int* readers, int count) {
  for (int r = 0; r < count; ++r)
    for (int w = 0; w < words; ++w) all[r * words + w] = nvshmem_int_g(seen + w, readers[r]);
}

// seen: symmetric, `words` ints that each reader has filled. Collective; prints on PE 0.
template <int Words, int Readers>
void print_outcome(const int* seen, const int (&readers)[Readers]) {
  nvshmem_barrier_all();
  if (nvshmem_my_pe() == 0) {
    int *list, *all, host[Words * Readers];
    CUDA_CHECK(cudaMalloc(&list, sizeof(readers)));
    CUDA_CHECK(cudaMalloc(&all, sizeof(host)));
    CUDA_CHECK(cudaMemcpy(list, readers, sizeof(readers), cudaMemcpyHostToDevice));
    fetch_seen<<<1, 1>>>(all, seen, Words, list, Readers);
    CUDA_CHECK(cudaMemcpy(host, all, sizeof(host), cudaMemcpyDeviceToHost));
    printf("outcome");
    for (int word : host) printf(" %d", word);
    printf("\n");
  }
  nvshmem_barrier_all();
  nvshmem_finalize();
}
#endif
