// Virtual functions on the device: objects on the stack and on the device heap.
#include <new>

#include "check.hpp"

struct Shape {
  __device__ virtual int area(int x) const = 0;
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  __device__ int area(int x) const override { return x * x; }
};
struct Strip : Shape {
  int height;
  __device__ explicit Strip(int h) : height(h) {}
  __device__ int area(int x) const override { return x * height; }
};

__global__ void areas(int* out) {
  Strip strip(3);
  const Shape* shape = &strip;
  Shape* heap = threadIdx.x % 2 ? (Shape*)new Square : (Shape*)new Strip(5);
  out[2 * threadIdx.x] = shape->area(threadIdx.x);
  out[2 * threadIdx.x + 1] = heap->area(threadIdx.x);
  delete heap;
}

int main() {
  DeviceArray<int> out(16);
  areas<<<1, 8>>>(out);
  std::vector<int> r = out.read();
  for (int t = 0; t < 8; ++t) {
    CHECK(r[2 * t] == 3 * t);
    CHECK(r[2 * t + 1] == (t % 2 ? t * t : 5 * t));
  }
  return verdict();
}
