// Waits for whichever of several words changes first: by a spin on two flags, by wait_until_any, by wait_until_some.
// Every PE is told by its left neighbour; which word it uses depends on its number.
#include "program.hpp"

constexpr int kFlags = 4;

__global__ void exchange(int* a, int* b, int* any, int* some, int* bad) {
  const int me = nvshmem_my_pe(), n = nvshmem_n_pes(), right = (me + 1) % n, left = (me + n - 1) % n;

  nvshmem_int_p(me % 2 == 0 ? a : b, me + 1, right);
  while (*static_cast<volatile int*>(a) == 0 && *static_cast<volatile int*>(b) == 0) {
  }
  if (*static_cast<volatile int*>(left % 2 == 0 ? a : b) != left + 1) ++*bad;

  nvshmem_int_p(&any[me % kFlags], me + 1, right);
  if (nvshmem_int_wait_until_any(any, kFlags, nullptr, NVSHMEM_CMP_NE, 0) != static_cast<size_t>(left % kFlags)) ++*bad;

  size_t indices[kFlags];
  int status[kFlags] = {};
  status[(left + 1) % kFlags] = 1;  // left out: it would be satisfied at once
  some[(left + 1) % kFlags] = 1;
  nvshmem_int_p(&some[me % kFlags], me + 1, right);
  const size_t count = nvshmem_int_wait_until_some(some, kFlags, indices, status, NVSHMEM_CMP_GT, 0);
  if (count != 1 || indices[0] != static_cast<size_t>(left % kFlags)) ++*bad;

  for (int& s : status) s = 1;  // nothing to wait for: returns at once
  if (nvshmem_int_wait_until_any(any, kFlags, status, NVSHMEM_CMP_EQ, -1) != SIZE_MAX) ++*bad;
}

int main() {
  start();
  int *a = symmetric<int>(), *b = symmetric<int>(), *any = symmetric<int>(kFlags), *some = symmetric<int>(kFlags);
  int* bad = symmetric<int>();
  together(exchange, 1, 1, a, b, any, some, bad);
  return finish("wait_two_addresses", value_of(bad) == 0);
}
