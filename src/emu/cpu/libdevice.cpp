// The device mathematics library: the __nv_* functions that clang's CUDA headers call.
//
// Plain C symbols of the runtime, pure functions of their arguments. The plugin may replace those with an LLVM
// counterpart (__nv_sqrtf ..) before it links; the rest is called here. Semantics from the CUDA math documentation;
// results are those of the host's libm, so the last bits differ from a GPU and "fast" forms are as exact as the others.
// Directed rounding switches the rounding mode around one operation; this file must not be compiled with -ffast-math.

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace {

using i64 = long long;
using u64 = unsigned long long;
using u32 = unsigned int;

constexpr double kPi = 3.14159265358979323846;
constexpr double kSqrtHalf = 0.70710678118654752440;
constexpr double kSqrtTwoPi = 2.50662827463100050242;

// ---- directed rounding ----

struct RoundingMode {
  explicit RoundingMode(int mode) : before_(std::fegetround()) { std::fesetround(mode); }
  ~RoundingMode() { std::fesetround(before_); }
  RoundingMode(const RoundingMode&) = delete;
  int before_;
};

// Keeps the compiler from moving a computation of x across the switch of the mode.
template <class T>
void pin(T& x) {
  asm volatile("" : "+m"(x));
}

template <class Operation, class... Operands>
auto rounded(int mode, Operation operation, Operands... operands) {
  RoundingMode scope(mode);
  (pin(operands), ...);
  auto result = operation(operands...);
  pin(result);
  return result;
}

constexpr auto add = [](auto a, auto b) { return a + b; };
constexpr auto subtract = [](auto a, auto b) { return a - b; };
constexpr auto multiply = [](auto a, auto b) { return a * b; };
constexpr auto divide = [](auto a, auto b) { return a / b; };
constexpr auto reciprocal = [](auto a) { return decltype(a)(1) / a; };
constexpr auto square_root = [](auto a) { return std::sqrt(a); };
constexpr auto fused = [](auto a, auto b, auto c) { return std::fma(a, b, c); };
template <class To>
constexpr auto convert = [](auto a) { return static_cast<To>(a); };

// A whole-valued double or float as an integer; out of range saturates, NaN gives 0 (high bit for 64-bit targets).
template <class Integer, class Real>
Integer to_integer(Real whole) {
  using Limits = std::numeric_limits<Integer>;
  if (std::isnan(whole)) return sizeof(Integer) == 8 ? Integer(u64{1} << 63) : Integer{0};
  if (whole <= static_cast<Real>(Limits::min())) return Limits::min();
  if (whole >= static_cast<Real>(Limits::max())) return Limits::max();
  return static_cast<Integer>(whole);
}

// ---- special functions ----

double erfcx_of(double x) {
  if (x < 25.0) return std::exp(x * x) * std::erfc(x);
  const double r = 1.0 / (x * x);  // asymptotic series, 4 terms: below 1e-13 relative from 25 on
  return 1.0 / (x * std::sqrt(kPi)) * (1.0 - 0.5 * r * (1.0 - 1.5 * r * (1.0 - 2.5 * r)));
}

double normcdf_of(double x) { return 0.5 * std::erfc(-x * kSqrtHalf); }

// Acklam's rational approximation of the inverse normal distribution (1e-9), then one step of Halley's method.
double normcdfinv_of(double p) {
  if (std::isnan(p) || p < 0.0 || p > 1.0) return std::numeric_limits<double>::quiet_NaN();
  if (p == 0.0) return -std::numeric_limits<double>::infinity();
  if (p == 1.0) return std::numeric_limits<double>::infinity();
  constexpr double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                          1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
  constexpr double b[] = {-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02, 6.680131188771972e+01,
                          -1.328068155288572e+01};
  constexpr double c[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                          -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
  constexpr double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00, 3.754408661907416e+00};
  const auto tail = [&](double q) {
    return (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
           ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1.0);
  };
  double x;
  if (p < 0.02425) {
    x = tail(std::sqrt(-2.0 * std::log(p)));
  } else if (p > 1.0 - 0.02425) {
    x = -tail(std::sqrt(-2.0 * std::log1p(-p)));
  } else {
    const double q = p - 0.5, r = q * q;
    x = (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
        (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1.0);
  }
  const double scale = std::exp(0.5 * x * x);
  if (!std::isfinite(scale)) return x;
  const double u = (normcdf_of(x) - p) * kSqrtTwoPi * scale;
  return x - u / (1.0 + 0.5 * x * u);
}

double erfcinv_of(double y) { return -normcdfinv_of(0.5 * y) * kSqrtHalf; }

double erfinv_of(double x) {
  if (std::fabs(x) > 0.5) return std::copysign(erfcinv_of(1.0 - std::fabs(x)), x);
  double y = normcdfinv_of(0.5 * (x + 1.0)) * kSqrtHalf;
  for (int step = 0; step < 2; step++) y -= (std::erf(y) - x) * std::sqrt(kPi) / 2.0 * std::exp(y * y);
  return x == 0.0 ? x : y;
}

// sin and cos of pi*x, exact at multiples of one half
double sinpi_of(double x) {
  if (!std::isfinite(x)) return std::numeric_limits<double>::quiet_NaN();
  const double r = std::fmod(std::fabs(x), 2.0);  // [0, 2)
  const double half_turn = r >= 1.0 ? r - 1.0 : r;
  if (half_turn == 0.0) return std::copysign(0.0, x);
  const double s = half_turn > 0.5 ? std::sin(kPi * (1.0 - half_turn)) : std::sin(kPi * half_turn);
  return std::copysign(1.0, x) * (r >= 1.0 ? -s : s);
}
double cospi_of(double x) {
  if (!std::isfinite(x)) return std::numeric_limits<double>::quiet_NaN();
  double r = std::fmod(std::fabs(x), 2.0);
  if (r > 1.0) r = 2.0 - r;  // [0, 1]
  if (r == 0.5) return 0.0;
  return r > 0.5 ? -std::cos(kPi * (1.0 - r)) : std::cos(kPi * r);
}

double norm_of(int count, const double* values) {
  double largest = 0.0, sum = 0.0;
  for (int i = 0; i < count; i++) {
    if (std::isinf(values[i])) return std::numeric_limits<double>::infinity();
    largest = std::fmax(largest, std::fabs(values[i]));
  }
  if (largest == 0.0) {
    for (int i = 0; i < count; i++) sum += values[i];  // keeps a NaN
    return sum;
  }
  for (int i = 0; i < count; i++) sum += (values[i] / largest) * (values[i] / largest);
  return largest * std::sqrt(sum);
}
float norm_of(int count, const float* values) {
  double sum = 0.0;
  for (int i = 0; i < count; i++) {
    if (std::isinf(values[i])) return std::numeric_limits<float>::infinity();
    sum += double(values[i]) * values[i];
  }
  return float(std::sqrt(sum));
}

// ---- half precision bits, as in include/shmemu/cuda/small_float.h ----

float half_to_float(unsigned short h) {
  const u32 sign = u32(h >> 15) << 31, exponent = (h >> 10) & 31, mantissa = h & 1023;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | mantissa << 13);
  if (exponent == 0) return std::copysign(float(mantissa) * 0x1p-24f, sign ? -1.0f : 1.0f);
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
}
unsigned short float_to_half(float value) {
  const unsigned short sign = std::signbit(value) ? 0x8000 : 0;
  const float magnitude = std::fabs(value);
  if (std::isnan(value)) return 0x7fff;
  if (magnitude >= 65520.0f) return sign | 0x7c00;
  if (magnitude < 0x1p-14f) return sign | static_cast<unsigned short>(std::nearbyint(magnitude * 0x1p24f));
  const u32 bits = std::bit_cast<u32>(magnitude);
  return sign | static_cast<unsigned short>((bits + 0xfff + ((bits >> 13) & 1) - (112u << 23)) >> 13);
}

// ---- bits ----

u64 reverse_bits(u64 value, int width) {
  u64 result = 0;
  for (int i = 0; i < width; i++) result |= ((value >> i) & 1) << (width - 1 - i);
  return result;
}
u32 absolute_difference(i64 a, i64 b) { return u32(a > b ? a - b : b - a); }

// ---- packed integers: `width` 8 or 16 bits, S the signed and U the unsigned lane type ----

template <class Lane, class Operation>
int lanes(int a, int b, Operation operation) {
  constexpr int width = sizeof(Lane) * 8;
  using Bits = std::make_unsigned_t<Lane>;
  u32 result = 0;
  for (int shift = 0; shift < 32; shift += width) {
    const int left = Lane(u32(a) >> shift), right = Lane(u32(b) >> shift);
    result |= u32(Bits(operation(left, right))) << shift;
  }
  return int(result);
}
template <class Lane>
int clamp(int value) {
  using Limits = std::numeric_limits<Lane>;
  return value < Limits::min() ? Limits::min() : value > Limits::max() ? Limits::max() : value;
}
template <class Lane>
int difference_sum(int a, int b) {
  int sum = 0;
  for (unsigned shift = 0; shift < 32; shift += sizeof(Lane) * 8)
    sum += int(absolute_difference(Lane(u32(a) >> shift), Lane(u32(b) >> shift)));
  return sum;
}

}  // namespace

extern "C" {

// clang-format off
// ---- functions that libm has under the same name ----
#define UNARY(name)                                          \
  double __nv_##name(double x) { return ::name(x); }         \
  float __nv_##name##f(float x) { return ::name##f(x); }
UNARY(acos) UNARY(acosh) UNARY(asin) UNARY(asinh) UNARY(atan) UNARY(atanh) UNARY(cbrt) UNARY(ceil) UNARY(cos)
UNARY(cosh) UNARY(erf) UNARY(erfc) UNARY(exp) UNARY(exp2) UNARY(expm1) UNARY(fabs) UNARY(floor) UNARY(j0) UNARY(j1)
UNARY(lgamma) UNARY(log) UNARY(log10) UNARY(log1p) UNARY(log2) UNARY(logb) UNARY(nearbyint) UNARY(rint) UNARY(round)
UNARY(sin) UNARY(sinh) UNARY(sqrt) UNARY(tan) UNARY(tanh) UNARY(tgamma) UNARY(trunc) UNARY(y0) UNARY(y1)
#undef UNARY
#define BINARY(name)                                                       \
  double __nv_##name(double x, double y) { return ::name(x, y); }          \
  float __nv_##name##f(float x, float y) { return ::name##f(x, y); }
BINARY(atan2) BINARY(copysign) BINARY(fdim) BINARY(fmax) BINARY(fmin) BINARY(fmod) BINARY(hypot) BINARY(nextafter)
BINARY(pow) BINARY(remainder)
#undef BINARY
#define TO_INTEGER(type, name)                             \
  type __nv_##name(double x) { return ::name(x); }         \
  type __nv_##name##f(float x) { return ::name##f(x); }
TO_INTEGER(int, ilogb) TO_INTEGER(i64, llrint) TO_INTEGER(i64, llround)
#undef TO_INTEGER
#define WITH_INTEGER(name)                                               \
  double __nv_##name(double x, int n) { return ::name(x, n); }           \
  float __nv_##name##f(float x, int n) { return ::name##f(x, n); }
WITH_INTEGER(ldexp) WITH_INTEGER(scalbn)
#undef WITH_INTEGER
#define BESSEL(name)                                                     \
  double __nv_##name(int n, double x) { return ::name(n, x); }           \
  float __nv_##name##f(int n, float x) { return ::name##f(n, x); }
BESSEL(jn) BESSEL(yn)
#undef BESSEL
double __nv_fma(double a, double b, double c) { return std::fma(a, b, c); }
float __nv_fmaf(float a, float b, float c) { return std::fma(a, b, c); }
double __nv_frexp(double x, int *e) { return std::frexp(x, e); }
float __nv_frexpf(float x, int *e) { return std::frexp(x, e); }
double __nv_modf(double x, double *whole) { return std::modf(x, whole); }
float __nv_modff(float x, float *whole) { return std::modf(x, whole); }
double __nv_remquo(double a, double b, int *q) { return std::remquo(a, b, q); }
float __nv_remquof(float a, float b, int *q) { return std::remquo(a, b, q); }
double __nv_nan(const signed char *) { return std::numeric_limits<double>::quiet_NaN(); }
float __nv_nanf(const signed char *) { return std::numeric_limits<float>::quiet_NaN(); }
double __nv_powi(double x, int n) { return std::pow(x, n); }
float __nv_powif(float x, int n) { return float(std::pow(double(x), n)); }
void __nv_sincos(double x, double *s, double *c) { ::sincos(x, s, c); }
void __nv_sincosf(float x, float *s, float *c) { ::sincosf(x, s, c); }

// ---- functions of CUDA alone; float goes through double ----
#define SPECIAL(name, value)                                                        \
  double __nv_##name(double x) { return value; }                                    \
  float __nv_##name##f(float argument) { const double x = argument; return float(value); }
SPECIAL(exp10, ::exp10(x))
SPECIAL(rsqrt, 1.0 / std::sqrt(x))
SPECIAL(rcbrt, 1.0 / std::cbrt(x))
SPECIAL(sinpi, sinpi_of(x))
SPECIAL(cospi, cospi_of(x))
SPECIAL(erfcx, erfcx_of(x))
SPECIAL(erfinv, erfinv_of(x))
SPECIAL(erfcinv, erfcinv_of(x))
SPECIAL(normcdf, normcdf_of(x))
SPECIAL(normcdfinv, normcdfinv_of(x))
SPECIAL(cyl_bessel_i0, std::cyl_bessel_i(0.0, std::fabs(x)))
SPECIAL(cyl_bessel_i1, std::copysign(std::cyl_bessel_i(1.0, std::fabs(x)), x))
#undef SPECIAL
void __nv_sincospi(double x, double *s, double *c) { *s = sinpi_of(x), *c = cospi_of(x); }
void __nv_sincospif(float x, float *s, float *c) { *s = float(sinpi_of(x)), *c = float(cospi_of(x)); }
#define NORMS(suffix, type)                                                                                           \
  type __nv_norm##suffix(int n, const type *v) { return norm_of(n, v); }                                              \
  type __nv_rnorm##suffix(int n, const type *v) { return type(1) / norm_of(n, v); }                                   \
  type __nv_norm3d##suffix(type a, type b, type c) { const type v[] = {a, b, c}; return norm_of(3, v); }              \
  type __nv_rnorm3d##suffix(type a, type b, type c) { const type v[] = {a, b, c}; return type(1) / norm_of(3, v); }   \
  type __nv_norm4d##suffix(type a, type b, type c, type d) { const type v[] = {a, b, c, d}; return norm_of(4, v); }   \
  type __nv_rnorm4d##suffix(type a, type b, type c, type d) {                                                         \
    const type v[] = {a, b, c, d};                                                                                    \
    return type(1) / norm_of(4, v);                                                                                   \
  }                                                                                                                   \
  type __nv_rhypot##suffix(type a, type b) { return type(1) / std::hypot(a, b); }
NORMS(, double)
NORMS(f, float)
#undef NORMS

// ---- fast approximations: the exact functions ----
float __nv_fast_cosf(float x) { return ::cosf(x); }
float __nv_fast_sinf(float x) { return ::sinf(x); }
float __nv_fast_tanf(float x) { return ::tanf(x); }
float __nv_fast_expf(float x) { return ::expf(x); }
float __nv_fast_exp10f(float x) { return ::exp10f(x); }
float __nv_fast_logf(float x) { return ::logf(x); }
float __nv_fast_log2f(float x) { return ::log2f(x); }
float __nv_fast_log10f(float x) { return ::log10f(x); }
float __nv_fast_powf(float x, float y) { return ::powf(x, y); }
float __nv_fast_fdividef(float x, float y) { return x / y; }
void __nv_fast_sincosf(float x, float *s, float *c) { ::sincosf(x, s, c); }

// ---- arithmetic in a given rounding mode ----
#define ROUNDING(r, mode)                                                                                          \
  float __nv_fadd_##r(float a, float b) { return rounded(mode, add, a, b); }                                       \
  float __nv_fsub_##r(float a, float b) { return rounded(mode, subtract, a, b); }                                  \
  float __nv_fmul_##r(float a, float b) { return rounded(mode, multiply, a, b); }                                  \
  float __nv_fdiv_##r(float a, float b) { return rounded(mode, divide, a, b); }                                    \
  float __nv_frcp_##r(float a) { return rounded(mode, reciprocal, a); }                                            \
  float __nv_fsqrt_##r(float a) { return rounded(mode, square_root, a); }                                          \
  float __nv_fmaf_##r(float a, float b, float c) { return rounded(mode, fused, a, b, c); }                         \
  float __nv_fmaf_ieee_##r(float a, float b, float c) { return rounded(mode, fused, a, b, c); }                    \
  double __nv_dadd_##r(double a, double b) { return rounded(mode, add, a, b); }                                    \
  double __nv_dsub_##r(double a, double b) { return rounded(mode, subtract, a, b); }                               \
  double __nv_dmul_##r(double a, double b) { return rounded(mode, multiply, a, b); }                               \
  double __nv_ddiv_##r(double a, double b) { return rounded(mode, divide, a, b); }                                 \
  double __nv_drcp_##r(double a) { return rounded(mode, reciprocal, a); }                                          \
  double __nv_dsqrt_##r(double a) { return rounded(mode, square_root, a); }                                        \
  double __nv_fma_##r(double a, double b, double c) { return rounded(mode, fused, a, b, c); }                      \
  float __nv_double2float_##r(double a) { return rounded(mode, convert<float>, a); }                               \
  float __nv_int2float_##r(int a) { return rounded(mode, convert<float>, a); }                                     \
  float __nv_uint2float_##r(u32 a) { return rounded(mode, convert<float>, a); }                                    \
  float __nv_ll2float_##r(i64 a) { return rounded(mode, convert<float>, a); }                                      \
  float __nv_ull2float_##r(u64 a) { return rounded(mode, convert<float>, a); }                                     \
  double __nv_ll2double_##r(i64 a) { return rounded(mode, convert<double>, a); }                                   \
  double __nv_ull2double_##r(u64 a) { return rounded(mode, convert<double>, a); }
ROUNDING(rn, FE_TONEAREST)
ROUNDING(rz, FE_TOWARDZERO)
ROUNDING(rd, FE_DOWNWARD)
ROUNDING(ru, FE_UPWARD)
#undef ROUNDING
float __nv_frsqrt_rn(float a) { return float(1.0 / std::sqrt(double(a))); }
double __nv_int2double_rn(int a) { return a; }
double __nv_uint2double_rn(u32 a) { return a; }
#define TO_WHOLE(r, whole)                                                          \
  int __nv_float2int_##r(float a) { return to_integer<int>(whole(a)); }             \
  u32 __nv_float2uint_##r(float a) { return to_integer<u32>(whole(a)); }            \
  i64 __nv_float2ll_##r(float a) { return to_integer<i64>(whole(a)); }              \
  u64 __nv_float2ull_##r(float a) { return to_integer<u64>(whole(a)); }             \
  int __nv_double2int_##r(double a) { return to_integer<int>(whole(a)); }           \
  u32 __nv_double2uint_##r(double a) { return to_integer<u32>(whole(a)); }          \
  i64 __nv_double2ll_##r(double a) { return to_integer<i64>(whole(a)); }            \
  u64 __nv_double2ull_##r(double a) { return to_integer<u64>(whole(a)); }
TO_WHOLE(rn, std::nearbyint)
TO_WHOLE(rz, std::trunc)
TO_WHOLE(rd, std::floor)
TO_WHOLE(ru, std::ceil)
#undef TO_WHOLE

// ---- classification, bits, small arithmetic ----
int __nv_isinfd(double a) { return std::isinf(a); }
int __nv_isinff(float a) { return std::isinf(a); }
int __nv_isnand(double a) { return std::isnan(a); }
int __nv_isnanf(float a) { return std::isnan(a); }
int __nv_isfinited(double a) { return std::isfinite(a); }
int __nv_finitef(float a) { return std::isfinite(a); }
int __nv_signbitd(double a) { return std::signbit(a); }
int __nv_signbitf(float a) { return std::signbit(a); }
float __nv_saturatef(float a) { return a > 0.0f ? (a < 1.0f ? a : 1.0f) : 0.0f; }
double __nv_rcp64h(double a) { return 1.0 / a; }

int __nv_float_as_int(float a) { return std::bit_cast<int>(a); }
u32 __nv_float_as_uint(float a) { return std::bit_cast<u32>(a); }
float __nv_int_as_float(int a) { return std::bit_cast<float>(a); }
float __nv_uint_as_float(u32 a) { return std::bit_cast<float>(a); }
u64 __nv_double_as_longlong(double a) { return std::bit_cast<u64>(a); }
double __nv_longlong_as_double(i64 a) { return std::bit_cast<double>(a); }
int __nv_double2hiint(double a) { return int(std::bit_cast<u64>(a) >> 32); }
int __nv_double2loint(double a) { return int(std::bit_cast<u64>(a)); }
double __nv_hiloint2double(int high, int low) { return std::bit_cast<double>(u64(u32(high)) << 32 | u32(low)); }
unsigned short __nv_float2half_rn(float a) { return float_to_half(a); }
float __nv_half2float(unsigned short h) { return half_to_float(h); }

int __nv_abs(int a) { return a < 0 ? int(0u - u32(a)) : a; }
i64 __nv_llabs(i64 a) { return a < 0 ? i64(0ull - u64(a)) : a; }
int __nv_min(int a, int b) { return a < b ? a : b; }
int __nv_max(int a, int b) { return a < b ? b : a; }
u32 __nv_umin(u32 a, u32 b) { return a < b ? a : b; }
u32 __nv_umax(u32 a, u32 b) { return a < b ? b : a; }
i64 __nv_llmin(i64 a, i64 b) { return a < b ? a : b; }
i64 __nv_llmax(i64 a, i64 b) { return a < b ? b : a; }
u64 __nv_ullmin(u64 a, u64 b) { return a < b ? a : b; }
u64 __nv_ullmax(u64 a, u64 b) { return a < b ? b : a; }
int __nv_clz(int a) { return std::countl_zero(u32(a)); }
int __nv_clzll(i64 a) { return std::countl_zero(u64(a)); }
int __nv_popc(u32 a) { return std::popcount(a); }
int __nv_popcll(u64 a) { return std::popcount(a); }
int __nv_ffs(int a) { return a ? std::countr_zero(u32(a)) + 1 : 0; }
int __nv_ffsll(i64 a) { return a ? std::countr_zero(u64(a)) + 1 : 0; }
int __nv_brev(int a) { return int(reverse_bits(u32(a), 32)); }
i64 __nv_brevll(i64 a) { return i64(reverse_bits(u64(a), 64)); }
int __nv_byte_perm(int a, int b, int selector) {
  const u64 bytes = u64(u32(b)) << 32 | u32(a);
  u32 result = 0;
  for (int i = 0; i < 4; i++) result |= u32(bytes >> (((u32(selector) >> (4 * i)) & 7) * 8) & 255) << (8 * i);
  return int(result);
}
int __nv_mul24(int a, int b) { return int(u32(i64(a << 8 >> 8) * (b << 8 >> 8))); }
u32 __nv_umul24(u32 a, u32 b) { return u32(u64(a & 0xffffff) * (b & 0xffffff)); }
int __nv_mulhi(int a, int b) { return int((i64(a) * b) >> 32); }
u32 __nv_umulhi(u32 a, u32 b) { return u32((u64(a) * b) >> 32); }
i64 __nv_mul64hi(i64 a, i64 b) { return i64((static_cast<__int128>(a) * b) >> 64); }
u64 __nv_umul64hi(u64 a, u64 b) { return u64((static_cast<unsigned __int128>(a) * b) >> 64); }
int __nv_sad(int a, int b, int c) { return int(absolute_difference(a, b) + u32(c)); }
u32 __nv_usad(u32 a, u32 b, u32 c) { return absolute_difference(a, b) + c; }
int __nv_hadd(int a, int b) { return int((i64(a) + b) >> 1); }
int __nv_rhadd(int a, int b) { return int((i64(a) + b + 1) >> 1); }
int __nv_uhadd(u32 a, u32 b) { return int((u64(a) + b) >> 1); }
u32 __nv_urhadd(u32 a, u32 b) { return u32((u64(a) + b + 1) >> 1); }

// ---- packed integers: two 16-bit or four 8-bit lanes ----
#define LANES(name, lane2, lane4, value)                                                                       \
  int __nv_v##name##2(int x, int y) { using Lane = lane2; return lanes<Lane>(x, y, [](int a, int b) { return value; }); } \
  int __nv_v##name##4(int x, int y) { using Lane = lane4; return lanes<Lane>(x, y, [](int a, int b) { return value; }); }
#define SIGNED(name, value) LANES(name, int16_t, int8_t, value)
#define UNSIGNED(name, value) LANES(name, uint16_t, uint8_t, value)
UNSIGNED(add, a + b)
UNSIGNED(sub, a - b)
SIGNED(addss, clamp<Lane>(a + b))
SIGNED(subss, clamp<Lane>(a - b))
UNSIGNED(addus, clamp<Lane>(a + b))
UNSIGNED(subus, clamp<Lane>(a - b))
SIGNED(avgs, (a + b + (a + b >= 0)) >> 1)  // rounded away from zero
UNSIGNED(avgu, (a + b + 1) >> 1)
UNSIGNED(haddu, (a + b) >> 1)
SIGNED(maxs, a < b ? b : a)
SIGNED(mins, a < b ? a : b)
UNSIGNED(maxu, a < b ? b : a)
UNSIGNED(minu, a < b ? a : b)
SIGNED(absdiffs, absolute_difference(a, b))
UNSIGNED(absdiffu, absolute_difference(a, b))
#define COMPARE(family, name, op)                                 \
  family(cmp##name, (a op b) ? ~0 : 0)                            \
  family(set##name, (a op b) ? 1 : 0)
COMPARE(UNSIGNED, eq, ==)
COMPARE(UNSIGNED, ne, !=)
COMPARE(SIGNED, ges, >=)
COMPARE(SIGNED, gts, >)
COMPARE(SIGNED, les, <=)
COMPARE(SIGNED, lts, <)
COMPARE(UNSIGNED, geu, >=)
COMPARE(UNSIGNED, gtu, >)
COMPARE(UNSIGNED, leu, <=)
COMPARE(UNSIGNED, ltu, <)
#undef COMPARE
#undef UNSIGNED
#undef SIGNED
#undef LANES
#define LANES1(name, value)                                                                                        \
  int __nv_v##name##2(int x) { using Lane = int16_t; return lanes<Lane>(x, 0, [](int a, int) { return value; }); } \
  int __nv_v##name##4(int x) { using Lane = int8_t; return lanes<Lane>(x, 0, [](int a, int) { return value; }); }
LANES1(abs, a < 0 ? -a : a)
LANES1(absss, clamp<Lane>(a < 0 ? -a : a))
LANES1(neg, -a)
LANES1(negss, clamp<Lane>(-a))
#undef LANES1
int __nv_vsads2(int a, int b) { return difference_sum<int16_t>(a, b); }
int __nv_vsads4(int a, int b) { return difference_sum<int8_t>(a, b); }
int __nv_vsadu2(int a, int b) { return difference_sum<uint16_t>(a, b); }
int __nv_vsadu4(int a, int b) { return difference_sum<uint8_t>(a, b); }

}  // extern "C"
