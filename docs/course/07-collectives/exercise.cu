// Exercise: every PE has a vector. All get the element-wise maximum; PE 0 chooses a factor and tells it to all.
#include "course.hpp"

constexpr int kCount = 512;

__global__ void work(int* largest, int* vector, int* factor, int* choice, int* sum, int me) {
  for (int i = threadIdx.x; i < kCount; i += blockDim.x) vector[i] = (37 * me + 11 * i) % 101;
  __syncthreads();
  // TODO: `largest` becomes the element-wise maximum of all vectors
  if (me == 0 && threadIdx.x == 0) *choice = largest[7] % 5 + 2;
  __syncthreads();
  // TODO: `factor` of all PEs becomes `choice` of PE 0
  for (int i = threadIdx.x; i < kCount; i += blockDim.x) atomicAdd(sum, largest[i] * *factor);
}

int main() {
  Course c;
  int *largest = c.symmetric<int>(kCount), *vector = c.symmetric<int>(kCount);
  int *factor = c.symmetric<int>(1), *choice = c.symmetric<int>(1), *sum = c.local<int>(1);
  launch(work, 1, 128, largest, vector, factor, choice, sum, c.me);
  printf("PE %d: factor %d, sum %d\n", c.me, value(factor), value(sum));
}
