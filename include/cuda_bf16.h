/* __nv_bfloat16 and __nv_bfloat162: the upper half of a float, on both sides, with the intrinsics of CUDA.
 *
 * Two bytes of plain data with conversions from and to float; operators and arithmetic intrinsics, the same for both
 * small types, stand in shmemu/cuda/small_float_ops.h. Shuffles, __ldg and the like are the templates of
 * cuda_runtime.h. C++ only.
 */
#ifndef SHMEMU_CUDA_BF16_H
#define SHMEMU_CUDA_BF16_H
#ifdef __cplusplus
#include "cuda_fp16.h"
#include "cuda_runtime.h"
#include "shmemu/cuda/small_float.h"

struct __nv_bfloat16_raw {
  unsigned short x;
};
struct __attribute__((aligned(4))) __nv_bfloat162_raw {
  unsigned short x, y;
};

struct __nv_bfloat16 {
  unsigned short __x;

  __nv_bfloat16() = default;
  __host__ __device__ __nv_bfloat16(float value) : __x(pack(value)) {}
  __host__ __device__ __nv_bfloat16(double value) : __x(pack((float)value)) {}
  __host__ __device__ __nv_bfloat16(short value) : __x(pack((float)value)) {}
  __host__ __device__ __nv_bfloat16(unsigned short value) : __x(pack((float)value)) {}
  __host__ __device__ __nv_bfloat16(int value) : __x(pack((float)value)) {}
  __host__ __device__ __nv_bfloat16(unsigned int value) : __x(pack((float)value)) {}
  __host__ __device__ __nv_bfloat16(long value) : __x(pack((float)value)) {}
  __host__ __device__ __nv_bfloat16(unsigned long value) : __x(pack((float)value)) {}
  __host__ __device__ __nv_bfloat16(long long value) : __x(pack((float)value)) {}
  __host__ __device__ __nv_bfloat16(unsigned long long value) : __x(pack((float)value)) {}
  __host__ __device__ constexpr __nv_bfloat16(const __nv_bfloat16_raw& raw) : __x(raw.x) {}
  __host__ __device__ operator float() const { return unpack(__x); }
  __host__ __device__ operator __nv_bfloat16_raw() const { return __nv_bfloat16_raw{__x}; }

 private:
  static __host__ __device__ unsigned short pack(float value) { return __shmemu_pack_float<8, 7>(value); }
  static __host__ __device__ float unpack(unsigned short bits) { return __shmemu_unpack_float<8, 7>(bits); }
};
struct __attribute__((aligned(4))) __nv_bfloat162 {
  __nv_bfloat16 x, y;

  __nv_bfloat162() = default;
  __host__ __device__ constexpr __nv_bfloat162(const __nv_bfloat16& a, const __nv_bfloat16& b) : x(a), y(b) {}
  __host__ __device__ constexpr __nv_bfloat162(const __nv_bfloat162_raw& raw)
      : x(__nv_bfloat16_raw{raw.x}), y(__nv_bfloat16_raw{raw.y}) {}
  __host__ __device__ operator __nv_bfloat162_raw() const { return __nv_bfloat162_raw{x.__x, y.__x}; }
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

/* ---- conversions ---- */
SHMEMU_INLINE_HD __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) {
  return __nv_bfloat16(__nv_bfloat16_raw{bits});
}
SHMEMU_INLINE_HD __nv_bfloat16 __short_as_bfloat16(short bits) {
  return __nv_bfloat16(__nv_bfloat16_raw{(unsigned short)bits});
}
SHMEMU_INLINE_HD unsigned short __bfloat16_as_ushort(__nv_bfloat16 h) { return h.__x; }
SHMEMU_INLINE_HD short __bfloat16_as_short(__nv_bfloat16 h) { return (short)h.__x; }
SHMEMU_INLINE_HD float __bfloat162float(__nv_bfloat16 h) { return h; }
SHMEMU_INLINE_HD __nv_bfloat16 __float2bfloat16(float value) { return value; }
SHMEMU_INLINE_HD __nv_bfloat16 __double2bfloat16(double value) { return value; }
/* clang-format off */
#define SHMEMU_ROUNDED(suffix, rounding)                                                              \
  SHMEMU_INLINE_HD __nv_bfloat16 __float2bfloat16_##suffix(float value) {                                 \
    return __ushort_as_bfloat16(__shmemu_pack_float<8, 7>(value, rounding));                             \
  }                                                                                                   \
  SHMEMU_INTEGER(int, int, suffix, rounding)                                                          \
  SHMEMU_INTEGER(uint, unsigned int, suffix, rounding)                                                \
  SHMEMU_INTEGER(short, short, suffix, rounding)                                                      \
  SHMEMU_INTEGER(ushort, unsigned short, suffix, rounding)                                            \
  SHMEMU_INTEGER(ll, long long, suffix, rounding)                                                     \
  SHMEMU_INTEGER(ull, unsigned long long, suffix, rounding)
#define SHMEMU_INTEGER(name, type, suffix, rounding)                                                        \
  SHMEMU_INLINE_HD type __bfloat162##name##_##suffix(__nv_bfloat16 h) { return __shmemu_round_to<type>(h, rounding); } \
  SHMEMU_INLINE_HD __nv_bfloat16 __##name##2bfloat16_##suffix(type value) {                                     \
    return __ushort_as_bfloat16(__shmemu_pack_float<8, 7>((float)value, rounding));                            \
  }
SHMEMU_ROUNDED(rn, SHMEMU_ROUND_NEAREST)
SHMEMU_ROUNDED(rz, SHMEMU_ROUND_ZERO)
SHMEMU_ROUNDED(rd, SHMEMU_ROUND_DOWN)
SHMEMU_ROUNDED(ru, SHMEMU_ROUND_UP)
/* clang-format on */
#undef SHMEMU_INTEGER
#undef SHMEMU_ROUNDED

SHMEMU_INLINE_HD __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
SHMEMU_INLINE_HD __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
SHMEMU_INLINE_HD __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return __nv_bfloat162(a, a); }
SHMEMU_INLINE_HD __nv_bfloat162 __float2bfloat162_rn(float a) { return __nv_bfloat162(a, a); }
SHMEMU_INLINE_HD __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return __nv_bfloat162(a, b); }
SHMEMU_INLINE_HD __nv_bfloat162 __float22bfloat162_rn(float2 a) { return __nv_bfloat162(a.x, a.y); }
SHMEMU_INLINE_HD float2 __bfloat1622float2(__nv_bfloat162 a) { return float2{a.x, a.y}; }
SHMEMU_INLINE_HD __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
SHMEMU_INLINE_HD __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
SHMEMU_INLINE_HD __nv_bfloat162 __low2bfloat162(__nv_bfloat162 a) { return __nv_bfloat162(a.x, a.x); }
SHMEMU_INLINE_HD __nv_bfloat162 __high2bfloat162(__nv_bfloat162 a) { return __nv_bfloat162(a.y, a.y); }
SHMEMU_INLINE_HD __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(a.x, b.x);
}
SHMEMU_INLINE_HD __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(a.y, b.y);
}

#define SHMEMU_H __nv_bfloat16
#define SHMEMU_H2 __nv_bfloat162
#include "shmemu/cuda/small_float_ops.h"
#undef SHMEMU_H
#undef SHMEMU_H2

#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7F80)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7FFF)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7F7F)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3F80)
#endif
#endif
