// expect: exit=1 message="value < 10"
// pes: 1
// assert in a kernel. The message has file, line, block, thread and the expression, as CUDA prints it.
#include "malformed.hpp"

#undef NDEBUG
#include <cassert>

__global__ void check(int value) { assert(value < 10); }

int main() {
  start();
  check<<<1, 32>>>(12);
  return finish();
}
