/* __half and __half2: IEEE binary16, on both sides, with the intrinsics of CUDA.
 *
 * Two bytes of plain data with conversions from and to float; operators and arithmetic intrinsics, the same for both
 * small types, stand in shmemu/cuda/small_float_ops.h. Shuffles, __ldg and the like are the templates of
 * cuda_runtime.h. C++ only.
 */
#ifndef SHMEMU_CUDA_FP16_H
#define SHMEMU_CUDA_FP16_H
#ifdef __cplusplus
#include "cuda_runtime.h"
#include "shmemu/cuda/small_float.h"

struct __half_raw {
  unsigned short x;
};
struct __attribute__((aligned(4))) __half2_raw {
  unsigned short x, y;
};

struct __half {
  unsigned short __x;

  __half() = default;
  __host__ __device__ __half(float value) : __x(pack(value)) {}
  __host__ __device__ __half(double value) : __x(pack((float)value)) {}
  __host__ __device__ __half(short value) : __x(pack((float)value)) {}
  __host__ __device__ __half(unsigned short value) : __x(pack((float)value)) {}
  __host__ __device__ __half(int value) : __x(pack((float)value)) {}
  __host__ __device__ __half(unsigned int value) : __x(pack((float)value)) {}
  __host__ __device__ __half(long value) : __x(pack((float)value)) {}
  __host__ __device__ __half(unsigned long value) : __x(pack((float)value)) {}
  __host__ __device__ __half(long long value) : __x(pack((float)value)) {}
  __host__ __device__ __half(unsigned long long value) : __x(pack((float)value)) {}
  __host__ __device__ constexpr __half(const __half_raw& raw) : __x(raw.x) {}
  __host__ __device__ operator float() const { return unpack(__x); }
  __host__ __device__ operator __half_raw() const { return __half_raw{__x}; }

 private:
  static __host__ __device__ unsigned short pack(float value) {
#ifdef __FLT16_MANT_DIG__ /* the compiler's own type: one instruction on most CPUs */
    const _Float16 rounded = (_Float16)value;
    unsigned short bits;
    __builtin_memcpy(&bits, &rounded, sizeof bits);
    return value != value ? 0x7fff : bits;
#else
    return __shmemu_pack_float<5, 10>(value);
#endif
  }
  static __host__ __device__ float unpack(unsigned short bits) {
#ifdef __FLT16_MANT_DIG__
    _Float16 value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return (float)value;
#else
    return __shmemu_unpack_float<5, 10>(bits);
#endif
  }
};
struct __attribute__((aligned(4))) __half2 {
  __half x, y;

  __half2() = default;
  __host__ __device__ constexpr __half2(const __half& a, const __half& b) : x(a), y(b) {}
  __host__ __device__ constexpr __half2(const __half2_raw& raw) : x(__half_raw{raw.x}), y(__half_raw{raw.y}) {}
  __host__ __device__ operator __half2_raw() const { return __half2_raw{x.__x, y.__x}; }
};
typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half __nv_half;
typedef __half2 nv_half2;
typedef __half2 __nv_half2;

/* ---- conversions ---- */
SHMEMU_INLINE_HD __half __ushort_as_half(unsigned short bits) { return __half(__half_raw{bits}); }
SHMEMU_INLINE_HD __half __short_as_half(short bits) { return __half(__half_raw{(unsigned short)bits}); }
SHMEMU_INLINE_HD unsigned short __half_as_ushort(__half h) { return h.__x; }
SHMEMU_INLINE_HD short __half_as_short(__half h) { return (short)h.__x; }
SHMEMU_INLINE_HD float __half2float(__half h) { return h; }
SHMEMU_INLINE_HD __half __float2half(float value) { return value; }
SHMEMU_INLINE_HD __half __double2half(double value) { return value; }
/* clang-format off */
#define SHMEMU_ROUNDED(suffix, rounding)                                                              \
  SHMEMU_INLINE_HD __half __float2half_##suffix(float value) {                                 \
    return __ushort_as_half(__shmemu_pack_float<5, 10>(value, rounding));                             \
  }                                                                                                   \
  SHMEMU_INTEGER(int, int, suffix, rounding)                                                          \
  SHMEMU_INTEGER(uint, unsigned int, suffix, rounding)                                                \
  SHMEMU_INTEGER(short, short, suffix, rounding)                                                      \
  SHMEMU_INTEGER(ushort, unsigned short, suffix, rounding)                                            \
  SHMEMU_INTEGER(ll, long long, suffix, rounding)                                                     \
  SHMEMU_INTEGER(ull, unsigned long long, suffix, rounding)
#define SHMEMU_INTEGER(name, type, suffix, rounding)                                                        \
  SHMEMU_INLINE_HD type __half2##name##_##suffix(__half h) { return __shmemu_round_to<type>(h, rounding); } \
  SHMEMU_INLINE_HD __half __##name##2half_##suffix(type value) {                                     \
    return __ushort_as_half(__shmemu_pack_float<5, 10>((float)value, rounding));                            \
  }
SHMEMU_ROUNDED(rn, SHMEMU_ROUND_NEAREST)
SHMEMU_ROUNDED(rz, SHMEMU_ROUND_ZERO)
SHMEMU_ROUNDED(rd, SHMEMU_ROUND_DOWN)
SHMEMU_ROUNDED(ru, SHMEMU_ROUND_UP)
/* clang-format on */
#undef SHMEMU_INTEGER
#undef SHMEMU_ROUNDED

SHMEMU_INLINE_HD __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
SHMEMU_INLINE_HD __half2 make_half2(__half a, __half b) { return __half2(a, b); }
SHMEMU_INLINE_HD __half2 __half2half2(__half a) { return __half2(a, a); }
SHMEMU_INLINE_HD __half2 __float2half2_rn(float a) { return __half2(a, a); }
SHMEMU_INLINE_HD __half2 __floats2half2_rn(float a, float b) { return __half2(a, b); }
SHMEMU_INLINE_HD __half2 __float22half2_rn(float2 a) { return __half2(a.x, a.y); }
SHMEMU_INLINE_HD float2 __half22float2(__half2 a) { return float2{a.x, a.y}; }
SHMEMU_INLINE_HD __half __low2half(__half2 a) { return a.x; }
SHMEMU_INLINE_HD __half __high2half(__half2 a) { return a.y; }
SHMEMU_INLINE_HD __half2 __low2half2(__half2 a) { return __half2(a.x, a.x); }
SHMEMU_INLINE_HD __half2 __high2half2(__half2 a) { return __half2(a.y, a.y); }
SHMEMU_INLINE_HD __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
SHMEMU_INLINE_HD __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }

#define SHMEMU_H __half
#define SHMEMU_H2 __half2
#include "shmemu/cuda/small_float_ops.h"
#undef SHMEMU_H
#undef SHMEMU_H2

#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7C00)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7FFF)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7BFF)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3C00)
#endif
#endif
