// expect: exit=4 message="nvshmem_malloc"
// pes: 2
// A collective allocation that only PE 0 makes; PE 1 goes on to its end.
#include "malformed.hpp"

int main() {
  start();
  if (nvshmem_my_pe() == 0) nvshmem_malloc(1024);
  return 0;
}
