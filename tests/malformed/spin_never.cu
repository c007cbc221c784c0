// expect: exit=4 message="spins"
// pes: 1
// A plain spin on a word that nobody changes.
#include "malformed.hpp"

__global__ void spin(int* flag) {
  while (*static_cast<volatile int*>(flag) == 0) {
  }
}

int main() {
  start();
  int* flag = static_cast<int*>(nvshmem_calloc(1, sizeof(int)));
  spin<<<1, 1>>>(flag);
  return finish();
}
