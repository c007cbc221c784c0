/* Mathematics in kernels: clang's own device headers, and the few overloads that they expect from elsewhere.
 *
 * The names <cmath> must not make host-and-device are declared by __clang_cuda_math_forward_declares.h, which
 * cuda_runtime.h includes first of all. Everything ends in an __nv_* function of src/emu/cpu/libdevice.cpp or in an
 * LLVM intrinsic. Brings barriers with a vote, fences, clock and clock64 as well; the plugin maps their intrinsics.
 */
#ifndef SHMEMU_CUDA_DEVICE_MATH_H
#define SHMEMU_CUDA_DEVICE_MATH_H
/* clang-format off */
#include <limits.h>
#include <math.h>
#include "vector_types.h"

/* asked for as CUDA 9.0, the packed integer functions (__vadd4 ..) are __nv_* calls and not PTX text */
#pragma push_macro("CUDA_VERSION")
#undef CUDA_VERSION
#define CUDA_VERSION 9000
#include <__clang_cuda_libdevice_declares.h>
#include <__clang_cuda_device_functions.h>
#pragma pop_macro("CUDA_VERSION")
#include <__clang_cuda_math.h>

/* float overloads: first those clang declares and leaves without a body, then those only CUDA has */
#define SHMEMU_MATH1(name) SHMEMU_INLINE_D float name(float x) { return name##f(x); }
#define SHMEMU_MATH2(name) SHMEMU_INLINE_D float name(float x, float y) { return name##f(x, y); }
#define SHMEMU_MATH_TO(type, name) SHMEMU_INLINE_D type name(float x) { return name##f(x); }
SHMEMU_MATH1(acosh) SHMEMU_MATH1(asinh) SHMEMU_MATH1(atanh) SHMEMU_MATH1(cbrt) SHMEMU_MATH1(erf) SHMEMU_MATH1(erfc)
SHMEMU_MATH1(exp2) SHMEMU_MATH1(expm1) SHMEMU_MATH1(lgamma) SHMEMU_MATH1(log1p) SHMEMU_MATH1(log2) SHMEMU_MATH1(logb)
SHMEMU_MATH1(nearbyint) SHMEMU_MATH1(rint) SHMEMU_MATH1(round) SHMEMU_MATH1(tgamma) SHMEMU_MATH1(trunc)
SHMEMU_MATH2(copysign) SHMEMU_MATH2(fdim) SHMEMU_MATH2(fmax) SHMEMU_MATH2(fmin) SHMEMU_MATH2(hypot)
SHMEMU_MATH2(nextafter) SHMEMU_MATH2(remainder)
SHMEMU_MATH_TO(int, ilogb) SHMEMU_MATH_TO(long, lrint) SHMEMU_MATH_TO(long, lround)
SHMEMU_MATH_TO(long long, llrint) SHMEMU_MATH_TO(long long, llround)
SHMEMU_INLINE_D float fma(float x, float y, float z) { return fmaf(x, y, z); }
SHMEMU_INLINE_D float remquo(float x, float y, int *q) { return remquof(x, y, q); }
SHMEMU_INLINE_D float scalbn(float x, int n) { return scalbnf(x, n); }
SHMEMU_INLINE_D float scalbln(float x, long n) { return scalblnf(x, n); }
SHMEMU_INLINE_D double nan(const char *) { return __builtin_nan(""); }
SHMEMU_INLINE_D float nanf(const char *) { return __builtin_nanf(""); }

SHMEMU_MATH1(rsqrt) SHMEMU_MATH1(rcbrt) SHMEMU_MATH1(sinpi) SHMEMU_MATH1(cospi) SHMEMU_MATH1(erfinv)
SHMEMU_MATH1(erfcinv) SHMEMU_MATH1(normcdfinv) SHMEMU_MATH1(normcdf) SHMEMU_MATH1(erfcx) SHMEMU_MATH1(exp10)
SHMEMU_MATH1(j0) SHMEMU_MATH1(j1) SHMEMU_MATH1(y0) SHMEMU_MATH1(y1)
SHMEMU_MATH2(rhypot) SHMEMU_MATH2(fdivide)
SHMEMU_INLINE_D void sincospi(float x, float *s, float *c) { sincospif(x, s, c); }
SHMEMU_INLINE_D void sincos(float x, float *s, float *c) { sincosf(x, s, c); }
SHMEMU_INLINE_D float norm3d(float x, float y, float z) { return norm3df(x, y, z); }
#undef SHMEMU_MATH1
#undef SHMEMU_MATH2
#undef SHMEMU_MATH_TO

#include <__clang_cuda_cmath.h>
#include <__clang_cuda_complex_builtins.h>

/* the same names for host code, where nvcc has them too */
static inline __host__ float rsqrtf(float x) { return 1.0f / __builtin_sqrtf(x); }
static inline __host__ double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
static inline __host__ float rsqrt(float x) { return rsqrtf(x); }
static inline __host__ float rcbrtf(float x) { return 1.0f / __builtin_cbrtf(x); }
static inline __host__ double rcbrt(double x) { return 1.0 / __builtin_cbrt(x); }
static inline __host__ float fdividef(float x, float y) { return x / y; }
static inline __host__ double fdivide(double x, double y) { return x / y; }

/* min and max of mixed types: the result has the unsigned, or the wider, of the two. (int, int) of the device comes with
 * clang's header. */
static inline __host__ int min(int a, int b) { return a < b ? a : b; }
static inline __host__ int max(int a, int b) { return a < b ? b : a; }
#define SHMEMU_MINMAX(result, first, second)                                                                        \
  SHMEMU_INLINE_HD result min(first a, second b) { return (result)a < (result)b ? (result)a : (result)b; }          \
  SHMEMU_INLINE_HD result max(first a, second b) { return (result)a < (result)b ? (result)b : (result)a; }
#define SHMEMU_MINMAX_INTEGER(type)                       \
  SHMEMU_MINMAX(unsigned type, unsigned type, unsigned type) \
  SHMEMU_MINMAX(unsigned type, type, unsigned type)       \
  SHMEMU_MINMAX(unsigned type, unsigned type, type)
SHMEMU_MINMAX_INTEGER(int)
SHMEMU_MINMAX(long, long, long)
SHMEMU_MINMAX_INTEGER(long)
SHMEMU_MINMAX(long long, long long, long long)
SHMEMU_MINMAX_INTEGER(long long)
#undef SHMEMU_MINMAX_INTEGER
#undef SHMEMU_MINMAX
/* a NaN loses against a number, as in fmin */
#define SHMEMU_MINMAX(result, first, second, suffix)                                                     \
  SHMEMU_INLINE_HD result min(first a, second b) { return __builtin_fmin##suffix((result)a, (result)b); } \
  SHMEMU_INLINE_HD result max(first a, second b) { return __builtin_fmax##suffix((result)a, (result)b); }
SHMEMU_MINMAX(float, float, float, f)
SHMEMU_MINMAX(double, double, double, )
SHMEMU_MINMAX(double, float, double, )
SHMEMU_MINMAX(double, double, float, )
#undef SHMEMU_MINMAX
#endif
