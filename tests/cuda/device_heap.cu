// new, delete, malloc and free in kernels.
#include "check.hpp"

__global__ void allocate(int** pointers) {
  int* p = new int[4];
  for (int i = 0; i < 4; ++i) p[i] = threadIdx.x * 4 + i;
  pointers[threadIdx.x] = p;
}
__global__ void sum_and_release(int** pointers, int* sum) {
  int* p = pointers[threadIdx.x];
  int* copy = (int*)malloc(4 * sizeof(int));
  memcpy(copy, p, 4 * sizeof(int));
  for (int i = 0; i < 4; ++i) atomicAdd(sum, copy[i]);
  free(copy);
  delete[] p;
}

int main() {
  DeviceArray<int*> pointers(8);
  DeviceArray<int> sum(1);
  allocate<<<1, 8>>>(pointers);
  sum_and_release<<<1, 8>>>(pointers, sum);
  CHECK(sum.read()[0] == 31 * 32 / 2);
  return verdict();
}
