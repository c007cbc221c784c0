// Recursion and a switch, with another depth in every thread.
#include "check.hpp"

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

__device__ int classify(int n) {
  switch (n % 7) {
    case 0: return 5;
    case 1: return 8;
    case 2: return -3;
    case 3: return 99;
    default: return 1;
  }
}

__global__ void compute(int* numbers, int* classes) {
  numbers[threadIdx.x] = fibonacci(threadIdx.x);
  classes[threadIdx.x] = classify(threadIdx.x);
}

int main() {
  DeviceArray<int> numbers(15), classes(15);
  compute<<<1, 15>>>(numbers, classes);
  CHECK(numbers.read()[11] == 89 && numbers.read()[14] == 377);
  std::vector<int> c = classes.read();
  CHECK(c[7] == 5 && c[8] == 8 && c[9] == -3 && c[10] == 99 && c[11] == 1);
  return verdict();
}
