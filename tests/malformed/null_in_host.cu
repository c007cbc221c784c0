// expect: exit=1 message="null"
// pes: 2
// Host code of PE 1 stores through a null pointer. The message says which PE it was.
#include "malformed.hpp"

int main() {
  start();
  int* volatile p = nullptr;
  if (nvshmem_my_pe() == 1) *p = 1;
  return finish();
}
