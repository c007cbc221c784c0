// expect: exit=1 message="not symmetric"
// pes: 2
// The remote side of a put called by the host is a variable of main.
#include "malformed.hpp"

int main() {
  start();
  int there = 0, here = 1;
  nvshmem_int_put(&there, &here, 1, 1 - nvshmem_my_pe());
  return finish();
}
