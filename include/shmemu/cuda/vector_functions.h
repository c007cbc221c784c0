/* make_int4(x, y, z, w) and the like: one function per short vector type.
 *
 * Usable in C, C++ and device code.
 */
#ifndef SHMEMU_CUDA_VECTOR_FUNCTIONS_H
#define SHMEMU_CUDA_VECTOR_FUNCTIONS_H
#include "vector_types.h"

/* clang-format off */
#define SHMEMU_MAKE(name, type)                                                                              \
  SHMEMU_INLINE_HD name##1 make_##name##1(type x) { name##1 v = {x}; return v; }                              \
  SHMEMU_INLINE_HD name##2 make_##name##2(type x, type y) { name##2 v = {x, y}; return v; }                   \
  SHMEMU_INLINE_HD name##3 make_##name##3(type x, type y, type z) { name##3 v = {x, y, z}; return v; }        \
  SHMEMU_INLINE_HD name##4 make_##name##4(type x, type y, type z, type w) { name##4 v = {x, y, z, w}; return v; }
SHMEMU_MAKE(char, signed char)
SHMEMU_MAKE(uchar, unsigned char)
SHMEMU_MAKE(short, short)
SHMEMU_MAKE(ushort, unsigned short)
SHMEMU_MAKE(int, int)
SHMEMU_MAKE(uint, unsigned int)
SHMEMU_MAKE(long, long int)
SHMEMU_MAKE(ulong, unsigned long int)
SHMEMU_MAKE(longlong, long long int)
SHMEMU_MAKE(ulonglong, unsigned long long int)
SHMEMU_MAKE(float, float)
SHMEMU_MAKE(double, double)
#undef SHMEMU_MAKE
/* clang-format on */
#endif
