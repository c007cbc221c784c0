/* Integer intrinsics that clang's device headers lack: funnel shifts, packed dot products, the n-th set bit.
 *
 * Pure functions of their arguments.
 */
#ifndef SHMEMU_CUDA_DEVICE_BITS_H
#define SHMEMU_CUDA_DEVICE_BITS_H
#include <stdint.h>
#include "vector_types.h"

/* 32 bits out of the 64 bits hi:lo; l and r take the shift modulo 32, lc and rc stop at 32 */
SHMEMU_INLINE_D unsigned int __funnelshift_l(unsigned int lo, unsigned int hi, unsigned int shift) {
  return (unsigned int)(((((uint64_t)hi << 32) | lo) << (shift & 31)) >> 32);
}
SHMEMU_INLINE_D unsigned int __funnelshift_r(unsigned int lo, unsigned int hi, unsigned int shift) {
  return (unsigned int)((((uint64_t)hi << 32) | lo) >> (shift & 31));
}
SHMEMU_INLINE_D unsigned int __funnelshift_lc(unsigned int lo, unsigned int hi, unsigned int shift) {
  return shift >= 32 ? lo : __funnelshift_l(lo, hi, shift);
}
SHMEMU_INLINE_D unsigned int __funnelshift_rc(unsigned int lo, unsigned int hi, unsigned int shift) {
  return shift >= 32 ? hi : __funnelshift_r(lo, hi, shift);
}

SHMEMU_INLINE_D int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 4; i++) c += (int)(int8_t)(a >> (8 * i)) * (int)(int8_t)(b >> (8 * i));
  return c;
}
SHMEMU_INLINE_D unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c) {
  for (int i = 0; i < 4; i++) c += ((a >> (8 * i)) & 255) * ((b >> (8 * i)) & 255);
  return c;
}
/* two 16-bit values of a times the low (lo) or high (hi) two bytes of b */
SHMEMU_INLINE_D int __dp2a_lo(int a, int b, int c) {
  return c + (int)(int16_t)a * (int)(int8_t)b + (a >> 16) * (int)(int8_t)(b >> 8);
}
SHMEMU_INLINE_D int __dp2a_hi(int a, int b, int c) { return __dp2a_lo(a, b >> 16, c); }
SHMEMU_INLINE_D unsigned int __dp2a_lo(unsigned int a, unsigned int b, unsigned int c) {
  return c + (a & 0xffff) * (b & 255) + (a >> 16) * ((b >> 8) & 255);
}
SHMEMU_INLINE_D unsigned int __dp2a_hi(unsigned int a, unsigned int b, unsigned int c) {
  return __dp2a_lo(a, b >> 16, c);
}

/* position of the |offset|-th set bit of mask, from bit `base` up (offset > 0) or down (offset < 0); offset 0 asks for
 * bit `base` itself; all ones when there is none */
SHMEMU_INLINE_D unsigned int __fns(unsigned int mask, unsigned int base, int offset) {
  int step = offset < 0 ? -1 : 1, left = offset < 0 ? -offset : offset;
  if (offset == 0) return base < 32 && (mask >> base & 1) ? base : 0xffffffffu;
  for (int bit = (int)base; bit >= 0 && bit < 32; bit += step)
    if ((mask >> bit & 1) && --left == 0) return (unsigned int)bit;
  return 0xffffffffu;
}
#endif
