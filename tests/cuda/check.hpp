// What the CUDA test programs share: a check that says FAIL with its place, device arrays, and the verdict.
#pragma once
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

inline int failures = 0;

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      std::printf("FAIL %s:%d: %s\n", __FILE__, __LINE__, #condition);         \
      ++failures;                                                              \
    }                                                                          \
  } while (0)

/// Device memory with a host view: fill or set before the launch, read after it.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(size_t size) : size_(size) {
    CHECK(cudaMalloc(&data_, size * sizeof(T)) == cudaSuccess);
    CHECK(cudaMemset(data_, 0, size * sizeof(T)) == cudaSuccess);
  }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
    CHECK(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice) == cudaSuccess);
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { cudaFree(data_); }

  T* data() const { return data_; }
  operator T*() const { return data_; }

  std::vector<T> read() const {
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    std::vector<T> values(size_);
    CHECK(cudaMemcpy(values.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost) == cudaSuccess);
    return values;
  }

 private:
  T* data_ = nullptr;
  size_t size_;
};

inline int verdict() {
  if (failures == 0) std::puts("ok");
  return failures != 0;
}
