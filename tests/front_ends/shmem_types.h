/* The element types of OpenSHMEM 1.5, written here a second time so that a hole in our headers' lists is found. */
#pragma once
#include <stddef.h>
#include <stdint.h>
/* clang-format off */
#define RMA_TYPES(X) X(float, float) X(double, double) X(longdouble, long double) X(char, char)                       \
  X(schar, signed char) X(short, short) X(int, int) X(long, long) X(longlong, long long) X(uchar, unsigned char)      \
  X(ushort, unsigned short) X(uint, unsigned) X(ulong, unsigned long) X(ulonglong, unsigned long long)                \
  X(int8, int8_t) X(int16, int16_t) X(int32, int32_t) X(int64, int64_t) X(uint8, uint8_t) X(uint16, uint16_t)         \
  X(uint32, uint32_t) X(uint64, uint64_t) X(size, size_t) X(ptrdiff, ptrdiff_t)
#define AMO_TYPES(X)                                                                                                  \
  X(int, int) X(long, long) X(longlong, long long) X(uint, unsigned) X(ulong, unsigned long)                          \
  X(ulonglong, unsigned long long) X(int32, int32_t) X(int64, int64_t) X(uint32, uint32_t) X(uint64, uint64_t)         \
  X(size, size_t) X(ptrdiff, ptrdiff_t)
#define BITWISE_AMO_TYPES(X)                                                                                          \
  X(uint, unsigned) X(ulong, unsigned long) X(ulonglong, unsigned long long) X(int32, int32_t) X(int64, int64_t)       \
  X(uint32, uint32_t) X(uint64, uint64_t)
#define WAIT_TYPES(X) X(short, short) X(ushort, unsigned short) AMO_TYPES(X)
#define BITWISE_TYPES(X)                                                                                              \
  X(uchar, unsigned char) X(ushort, unsigned short) X(uint, unsigned) X(ulong, unsigned long)                         \
  X(ulonglong, unsigned long long) X(int8, int8_t) X(int16, int16_t) X(int32, int32_t) X(int64, int64_t)               \
  X(uint8, uint8_t) X(uint16, uint16_t) X(uint32, uint32_t) X(uint64, uint64_t) X(size, size_t)
/* clang-format on */
