/* The short vectors (char1 .. double4) and dim3: plain data with the alignment that CUDA gives them.
 *
 * Kernels read them with one load, so the alignment is part of the contract. make_* stand in vector_functions.h.
 * Values; usable in C, C++ and device code.
 */
#ifndef SHMEMU_CUDA_VECTOR_TYPES_H
#define SHMEMU_CUDA_VECTOR_TYPES_H
#include "keywords.h"

/* clang-format off */
#define SHMEMU_VECTOR(name, type, align2, align4)                    \
  struct name##1 { type x; };                                        \
  struct __attribute__((aligned(align2))) name##2 { type x, y; };    \
  struct name##3 { type x, y, z; };                                  \
  struct __attribute__((aligned(align4))) name##4 { type x, y, z, w; }; \
  typedef struct name##1 name##1;                                    \
  typedef struct name##2 name##2;                                    \
  typedef struct name##3 name##3;                                    \
  typedef struct name##4 name##4;
SHMEMU_VECTOR(char, signed char, 2, 4)
SHMEMU_VECTOR(uchar, unsigned char, 2, 4)
SHMEMU_VECTOR(short, short, 4, 8)
SHMEMU_VECTOR(ushort, unsigned short, 4, 8)
SHMEMU_VECTOR(int, int, 8, 16)
SHMEMU_VECTOR(uint, unsigned int, 8, 16)
SHMEMU_VECTOR(long, long int, 16, 16)
SHMEMU_VECTOR(ulong, unsigned long int, 16, 16)
SHMEMU_VECTOR(longlong, long long int, 16, 16)
SHMEMU_VECTOR(ulonglong, unsigned long long int, 16, 16)
SHMEMU_VECTOR(float, float, 8, 16)
SHMEMU_VECTOR(double, double, 16, 16)
#undef SHMEMU_VECTOR
/* clang-format on */

struct dim3 {
  unsigned int x, y, z;
#ifdef __cplusplus
  __host__ __device__ constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
      : x(vx), y(vy), z(vz) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
#endif
};
typedef struct dim3 dim3;
#endif
