// __managed__ variables: host and device see one copy.
#include "check.hpp"

__managed__ int counter = 5;
__managed__ double values[4] = {1, 2, 3, 4};

__global__ void change() {
  if (threadIdx.x == 0) counter += 37;
  values[threadIdx.x] *= 2;
}

int main() {
  counter += 1;
  change<<<1, 4>>>();
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(counter == 43);
  CHECK(values[0] == 2 && values[3] == 8);
  return verdict();
}
