// nvshmem_int_test in a loop that works between the tests: the loop must go on working and must end. Then test_any and
// test_all on several flags. Every PE is told by its left neighbour.
#include "program.hpp"

constexpr int kFlags = 4;

__global__ void overlap(int* ready, int* flag, int* flags, unsigned* work, int* bad) {
  const int me = nvshmem_my_pe(), n = nvshmem_n_pes(), right = (me + 1) % n;
  if (blockIdx.x == 0) {  // sends, some time after the right neighbour began to test
    nvshmem_int_wait_until(ready, NVSHMEM_CMP_EQ, 1);
    __nanosleep(5000);
    nvshmem_int_p(flag, 1, right);
    for (int i = kFlags - 1; i >= 0; --i) nvshmem_int_p(&flags[i], i + 1, right);
  } else {  // works until told
    nvshmem_int_p(ready, 1, (me + n - 1) % n);
    unsigned x = 1;
    while (!nvshmem_int_test(flag, NVSHMEM_CMP_EQ, 1)) {
      for (int i = 0; i < 16; ++i) x = x * 1664525u + 1013904223u;
      ++work[0];
    }
    work[1] = x;
    size_t which;
    while ((which = nvshmem_int_test_any(flags, kFlags, nullptr, NVSHMEM_CMP_NE, 0)) == SIZE_MAX) {
    }
    if (which >= kFlags) ++*bad;
    while (!nvshmem_int_test_all(flags, kFlags, nullptr, NVSHMEM_CMP_GT, 0)) {
    }
    for (int i = 0; i < kFlags; ++i)
      if (*static_cast<volatile int*>(&flags[i]) != i + 1) ++*bad;
  }
}

int main() {
  start();
  int *flag = symmetric<int>(), *flags = symmetric<int>(kFlags), *bad = symmetric<int>(), *ready = symmetric<int>();
  unsigned* work = symmetric<unsigned>(2);
  together(overlap, 2, 1, ready, flag, flags, work, bad);
  if (value_of(work) == 0) fprintf(stderr, "no work between the tests\n");
  return finish("test_loop", value_of(work) > 0 && value_of(bad) == 0);
}
