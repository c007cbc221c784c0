// expect: exit=4 message="nobody has written it"
// pes: 2
// PE 0 waits for a value that no PE writes. The message names the wait, its address and the value now.
#include "malformed.hpp"

__global__ void wait_for_seven(int* flag) {
  if (nvshmem_my_pe() == 0) nvshmem_int_wait_until(flag, NVSHMEM_CMP_EQ, 7);
}

int main() {
  start();
  int* flag = static_cast<int*>(nvshmem_calloc(1, sizeof(int)));
  wait_for_seven<<<1, 1>>>(flag);
  return finish();
}
