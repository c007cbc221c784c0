/* Two-byte floating point: bits to float and back, for any split between exponent and mantissa.
 *
 * Shared by cuda_fp16.h (5 + 10 bits) and cuda_bf16.h (8 + 7 bits). Pure functions on both sides; the rounding is done
 * on integers, so that every compiler and target gives the same bits.
 */
#ifndef SHMEMU_CUDA_SMALL_FLOAT_H
#define SHMEMU_CUDA_SMALL_FLOAT_H
#include <stdint.h>
#include "keywords.h"

enum shmemu_rounding { SHMEMU_ROUND_NEAREST = 0, SHMEMU_ROUND_ZERO, SHMEMU_ROUND_DOWN, SHMEMU_ROUND_UP };

template <int exponent_bits, int mantissa_bits>
SHMEMU_INLINE_HD unsigned short __shmemu_pack_float(float value, int rounding = SHMEMU_ROUND_NEAREST) {
  uint32_t bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  const uint32_t sign = bits >> 31, magnitude = bits & 0x7fffffffu;
  const uint32_t infinity = ((1u << exponent_bits) - 1) << mantissa_bits;
  if (magnitude > 0x7f800000u) return 0x7fff; /* the NaN that the hardware makes */
  if (magnitude == 0x7f800000u) return (unsigned short)(sign << 15 | infinity);

  const int field = (int)(magnitude >> 23), exponent = field ? field : 1;
  const uint64_t significand = (magnitude & 0x7fffffu) | (field ? 0x800000u : 0);
  const int target = exponent - 127 + (1 << (exponent_bits - 1)) - 1; /* exponent field, <= 0: subnormal */
  int shift = 23 - mantissa_bits + (target < 1 ? 1 - target : 0);
  if (shift > 40) shift = 40;
  uint64_t kept = significand >> shift;
  const uint64_t rest = significand & ((1ull << shift) - 1), half = 1ull << (shift - 1);
  if (rounding == SHMEMU_ROUND_NEAREST ? rest > half || (rest == half && (kept & 1))
      : rounding == SHMEMU_ROUND_DOWN  ? rest && sign
      : rounding == SHMEMU_ROUND_UP    ? rest && !sign
                                       : false)
    kept++;
  uint32_t result = (uint32_t)kept + ((target > 1 ? (uint32_t)(target - 1) : 0u) << mantissa_bits);
  if (result >= infinity) {
    const bool finite = rounding == SHMEMU_ROUND_ZERO || (rounding == SHMEMU_ROUND_DOWN && !sign) ||
                        (rounding == SHMEMU_ROUND_UP && sign);
    result = finite ? infinity - 1 : infinity;
  }
  return (unsigned short)(sign << 15 | result);
}

template <int exponent_bits, int mantissa_bits>
SHMEMU_INLINE_HD float __shmemu_unpack_float(unsigned short bits) {
  const uint32_t sign = (uint32_t)(bits >> 15) << 31, mantissa = bits & ((1u << mantissa_bits) - 1);
  const uint32_t field = (uint32_t)(bits >> mantissa_bits) & ((1u << exponent_bits) - 1);
  const int bias = (1 << (exponent_bits - 1)) - 1;
  uint32_t result = mantissa << (23 - mantissa_bits);
  float value;
  if (field == (1u << exponent_bits) - 1) {
    result |= 0x7f800000u;
  } else if (field != 0 || exponent_bits == 8) {
    result |= (field + 127 - bias) << 23;
  } else { /* subnormal: a multiple of its smallest value, exact in float */
    const uint32_t unit_bits = (uint32_t)(127 + 1 - bias - mantissa_bits) << 23;
    float unit;
    __builtin_memcpy(&unit, &unit_bits, sizeof unit);
    value = (float)mantissa * unit;
    __builtin_memcpy(&result, &value, sizeof result);
  }
  result |= sign;
  __builtin_memcpy(&value, &result, sizeof value);
  return value;
}

/* the _sat forms: into [0, 1], NaN to 0 */
SHMEMU_INLINE_HD float __shmemu_clip01(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }

/* a float as an integer, rounded; out of range saturates, NaN gives 0, as the hardware does */
template <class Integer>
SHMEMU_INLINE_HD Integer __shmemu_round_to(float value, int rounding) {
  const Integer lowest = (Integer)-1 < 0 ? (Integer)((Integer)1 << (sizeof(Integer) * 8 - 1)) : (Integer)0;
  const Integer highest = (Integer)~lowest;
  const float whole = rounding == SHMEMU_ROUND_NEAREST ? __builtin_rintf(value)
                      : rounding == SHMEMU_ROUND_DOWN  ? __builtin_floorf(value)
                      : rounding == SHMEMU_ROUND_UP    ? __builtin_ceilf(value)
                                                       : __builtin_truncf(value);
  if (whole != whole) return 0;
  if (whole <= (float)lowest) return lowest;
  if (whole >= (float)highest) return highest;
  return (Integer)whole;
}
#endif
