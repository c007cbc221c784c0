// For the programs of this folder: they compute the right answer themselves (a serial reference), say the first thing
// that is wrong, and print "ok" on PE 0.
#pragma once
#include <nvshmem.h>
#include <nvshmemx.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

// ---- the element types of NVSHMEM 3.3.9, written a second time so that a hole in the headers' lists is found ----
// clang-format off
#define RMA_TYPES(X)                                                                                                  \
  X(half, half) X(bfloat16, __nv_bfloat16) X(float, float) X(double, double) X(char, char) X(schar, signed char)       \
  X(short, short) X(int, int) X(long, long) X(longlong, long long) X(uchar, unsigned char) X(ushort, unsigned short)   \
  X(uint, unsigned) X(ulong, unsigned long) X(ulonglong, unsigned long long) X(int8, int8_t) X(int16, int16_t)         \
  X(int32, int32_t) X(int64, int64_t) X(uint8, uint8_t) X(uint16, uint16_t) X(uint32, uint32_t) X(uint64, uint64_t)    \
  X(size, size_t) X(ptrdiff, ptrdiff_t)
#define BITWISE_TYPES(X)                                                                                              \
  X(uchar, unsigned char) X(ushort, unsigned short) X(uint, unsigned) X(ulong, unsigned long)                          \
  X(ulonglong, unsigned long long) X(int8, int8_t) X(int16, int16_t) X(int32, int32_t) X(int64, int64_t)               \
  X(uint8, uint8_t) X(uint16, uint16_t) X(uint32, uint32_t) X(uint64, uint64_t) X(size, size_t)
#define ARITHMETIC_TYPES(X)                                                                                           \
  BITWISE_TYPES(X) X(char, char) X(schar, signed char) X(short, short) X(int, int) X(long, long)                       \
  X(longlong, long long) X(bfloat16, __nv_bfloat16) X(half, half) X(float, float) X(double, double)
// clang-format on

inline void check_cuda(cudaError_t e, int line) {
  if (e == cudaSuccess) return;
  std::printf("PE %d line %d: %s\n", nvshmem_my_pe(), line, cudaGetErrorString(e));
  std::exit(1);
}
#define CUDA(call) check_cuda(call, __LINE__)
#define CHECK(condition)                                                                         \
  do {                                                                                           \
    if (!(condition)) {                                                                          \
      std::printf("PE %d %s:%d: failed: %s\n", nvshmem_my_pe(), __FILE__, __LINE__, #condition); \
      std::exit(1);                                                                              \
    }                                                                                            \
  } while (0)

// A symmetric array that starts with zeros, and its contents on the host.
template <class T>
class Symmetric {
 public:
  explicit Symmetric(size_t count) : count_(count), data_(static_cast<T*>(nvshmem_calloc(count, sizeof(T)))) {}
  ~Symmetric() { nvshmem_free(data_); }
  Symmetric(const Symmetric&) = delete;
  Symmetric& operator=(const Symmetric&) = delete;
  T* data() const { return data_; }
  std::vector<T> read() const {
    std::vector<T> host(count_);
    CUDA(cudaMemcpy(host.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
  }
  void write(const std::vector<T>& host) {
    CUDA(cudaMemcpy(data_, host.data(), count_ * sizeof(T), cudaMemcpyHostToDevice));
    CUDA(cudaDeviceSynchronize());
  }

 private:
  size_t count_;
  T* data_;
};

// Equal bytes: exact also for half and bfloat16.
template <class T>
bool same(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}
// What PE `pe` has as element i: small, so that every type holds it exactly.
template <class T>
__host__ __device__ T value(int pe, int i) {
  return static_cast<T>(static_cast<float>(1 + (pe * 7 + i * 3) % 100));
}
