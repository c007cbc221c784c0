// expect: exit=1 message="PE 1"
// pes: 3
// PE 1 ends with 3, the others with 0. The run has failed and says which PE it was.
#include "malformed.hpp"

int main() {
  start();
  const int me = nvshmem_my_pe();
  finish();
  return me == 1 ? 3 : 0;
}
