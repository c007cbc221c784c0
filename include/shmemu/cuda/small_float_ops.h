/* Operators and intrinsics of one two-byte type: included once by cuda_fp16.h and once by cuda_bf16.h.
 *
 * The includer defines SHMEMU_H (the scalar) and SHMEMU_H2 (the pair); both know float. Arithmetic is done in float and
 * rounded once more, which is exact for + - * / and the square root; a fused multiply-add may round twice in rare
 * cases. No include guard by intention.
 */

/* ---- scalar, both sides ---- */
/* clang-format off */
#define SHMEMU_BINARY(op)                                                                                         \
  SHMEMU_INLINE_HD SHMEMU_H operator op(const SHMEMU_H &a, const SHMEMU_H &b) { return (float)a op(float) b; }    \
  SHMEMU_INLINE_HD SHMEMU_H &operator op##=(SHMEMU_H &a, const SHMEMU_H &b) { return a = a op b; }                \
  SHMEMU_INLINE_HD SHMEMU_H2 operator op(const SHMEMU_H2 &a, const SHMEMU_H2 &b) {                                \
    return SHMEMU_H2(a.x op b.x, a.y op b.y);                                                                     \
  }                                                                                                               \
  SHMEMU_INLINE_HD SHMEMU_H2 &operator op##=(SHMEMU_H2 &a, const SHMEMU_H2 &b) { return a = a op b; }
SHMEMU_BINARY(+)
SHMEMU_BINARY(-)
SHMEMU_BINARY(*)
SHMEMU_BINARY(/)
#undef SHMEMU_BINARY
#define SHMEMU_COMPARE(op)                                                                                         \
  SHMEMU_INLINE_HD bool operator op(const SHMEMU_H &a, const SHMEMU_H &b) { return (float)a op(float) b; }         \
  SHMEMU_INLINE_HD bool operator op(const SHMEMU_H2 &a, const SHMEMU_H2 &b) { return a.x op b.x && a.y op b.y; }
SHMEMU_COMPARE(==)
SHMEMU_COMPARE(!=)
SHMEMU_COMPARE(<)
SHMEMU_COMPARE(<=)
SHMEMU_COMPARE(>)
SHMEMU_COMPARE(>=)
#undef SHMEMU_COMPARE
SHMEMU_INLINE_HD SHMEMU_H operator+(const SHMEMU_H &a) { return a; }
SHMEMU_INLINE_HD SHMEMU_H operator-(const SHMEMU_H &a) { return -(float)a; }
SHMEMU_INLINE_HD SHMEMU_H &operator++(SHMEMU_H &a) { return a = (float)a + 1.0f; }
SHMEMU_INLINE_HD SHMEMU_H &operator--(SHMEMU_H &a) { return a = (float)a - 1.0f; }
SHMEMU_INLINE_HD SHMEMU_H operator++(SHMEMU_H &a, int) { SHMEMU_H old = a; ++a; return old; }
SHMEMU_INLINE_HD SHMEMU_H operator--(SHMEMU_H &a, int) { SHMEMU_H old = a; --a; return old; }
SHMEMU_INLINE_HD SHMEMU_H2 operator+(const SHMEMU_H2 &a) { return a; }
SHMEMU_INLINE_HD SHMEMU_H2 operator-(const SHMEMU_H2 &a) { return SHMEMU_H2(-a.x, -a.y); }

#define SHMEMU_PAIRWISE2(name, scalar) \
  SHMEMU_INLINE_HD SHMEMU_H2 name(SHMEMU_H2 a, SHMEMU_H2 b) { return SHMEMU_H2(scalar(a.x, b.x), scalar(a.y, b.y)); }
#define SHMEMU_ARITHMETIC(name, op)                                                                                  \
  SHMEMU_INLINE_HD SHMEMU_H __h##name(SHMEMU_H a, SHMEMU_H b) { return (float)a op(float) b; }                       \
  SHMEMU_INLINE_HD SHMEMU_H __h##name##_rn(SHMEMU_H a, SHMEMU_H b) { return (float)a op(float) b; }                  \
  SHMEMU_INLINE_HD SHMEMU_H __h##name##_sat(SHMEMU_H a, SHMEMU_H b) { return __shmemu_clip01((float)a op(float) b); } \
  SHMEMU_PAIRWISE2(__h##name##2, __h##name)                                                                          \
  SHMEMU_PAIRWISE2(__h##name##2_rn, __h##name)                                                                       \
  SHMEMU_PAIRWISE2(__h##name##2_sat, __h##name##_sat)
SHMEMU_ARITHMETIC(add, +)
SHMEMU_ARITHMETIC(sub, -)
SHMEMU_ARITHMETIC(mul, *)
#undef SHMEMU_ARITHMETIC
SHMEMU_INLINE_HD SHMEMU_H __hdiv(SHMEMU_H a, SHMEMU_H b) { return (float)a / (float)b; }
SHMEMU_PAIRWISE2(__h2div, __hdiv)
SHMEMU_INLINE_HD SHMEMU_H __hfma(SHMEMU_H a, SHMEMU_H b, SHMEMU_H c) { return __builtin_fmaf(a, b, c); }
SHMEMU_INLINE_HD SHMEMU_H __hfma_sat(SHMEMU_H a, SHMEMU_H b, SHMEMU_H c) {
  return __shmemu_clip01(__builtin_fmaf(a, b, c));
}
SHMEMU_INLINE_HD SHMEMU_H __hfma_relu(SHMEMU_H a, SHMEMU_H b, SHMEMU_H c) {
  float r = __builtin_fmaf(a, b, c);
  return r < 0.0f ? 0.0f : r;
}
#define SHMEMU_PAIRWISE3(name, scalar)                                                  \
  SHMEMU_INLINE_HD SHMEMU_H2 name(SHMEMU_H2 a, SHMEMU_H2 b, SHMEMU_H2 c) {              \
    return SHMEMU_H2(scalar(a.x, b.x, c.x), scalar(a.y, b.y, c.y));                     \
  }
SHMEMU_PAIRWISE3(__hfma2, __hfma)
SHMEMU_PAIRWISE3(__hfma2_sat, __hfma_sat)
SHMEMU_PAIRWISE3(__hfma2_relu, __hfma_relu)
#undef SHMEMU_PAIRWISE3
SHMEMU_INLINE_HD SHMEMU_H __hneg(SHMEMU_H a) { return -(float)a; }
SHMEMU_INLINE_HD SHMEMU_H __habs(SHMEMU_H a) { return __builtin_fabsf(a); }
SHMEMU_INLINE_HD SHMEMU_H2 __hneg2(SHMEMU_H2 a) { return SHMEMU_H2(__hneg(a.x), __hneg(a.y)); }
SHMEMU_INLINE_HD SHMEMU_H2 __habs2(SHMEMU_H2 a) { return SHMEMU_H2(__habs(a.x), __habs(a.y)); }

/* ---- comparisons: plain ones are false for NaN, the u forms true ---- */
SHMEMU_INLINE_HD bool __hisnan(SHMEMU_H a) { return (float)a != (float)a; }
SHMEMU_INLINE_HD int __hisinf(SHMEMU_H a) {
  return (float)a == __builtin_huge_valf() ? 1 : (float)a == -__builtin_huge_valf() ? -1 : 0;
}
SHMEMU_INLINE_HD SHMEMU_H2 __hisnan2(SHMEMU_H2 a) {
  return SHMEMU_H2(__hisnan(a.x) ? 1.0f : 0.0f, __hisnan(a.y) ? 1.0f : 0.0f);
}
#define SHMEMU_COMPARISON(name, test)                                                                          \
  SHMEMU_INLINE_HD bool __h##name(SHMEMU_H l, SHMEMU_H r) { float a = l, b = r; return test; }                 \
  SHMEMU_INLINE_HD SHMEMU_H2 __h##name##2(SHMEMU_H2 l, SHMEMU_H2 r) {                                          \
    return SHMEMU_H2(__h##name(l.x, r.x) ? 1.0f : 0.0f, __h##name(l.y, r.y) ? 1.0f : 0.0f);                    \
  }                                                                                                            \
  SHMEMU_INLINE_HD bool __hb##name##2(SHMEMU_H2 l, SHMEMU_H2 r) {                                              \
    return __h##name(l.x, r.x) && __h##name(l.y, r.y);                                                         \
  }                                                                                                            \
  SHMEMU_INLINE_HD unsigned int __h##name##2_mask(SHMEMU_H2 l, SHMEMU_H2 r) {                                  \
    return (__h##name(l.x, r.x) ? 0xffffu : 0u) | (__h##name(l.y, r.y) ? 0xffff0000u : 0u);                    \
  }
#define SHMEMU_COMPARISONS(name, op)     \
  SHMEMU_COMPARISON(name, a op b)        \
  SHMEMU_COMPARISON(name##u, a op b || a != a || b != b)
SHMEMU_COMPARISONS(eq, ==)
SHMEMU_COMPARISONS(lt, <)
SHMEMU_COMPARISONS(le, <=)
SHMEMU_COMPARISONS(gt, >)
SHMEMU_COMPARISONS(ge, >=)
SHMEMU_COMPARISON(ne, a < b || a > b)
SHMEMU_COMPARISON(neu, a != b)
#undef SHMEMU_COMPARISONS
#undef SHMEMU_COMPARISON

SHMEMU_INLINE_HD SHMEMU_H __hmax(SHMEMU_H a, SHMEMU_H b) { return __builtin_fmaxf(a, b); }
SHMEMU_INLINE_HD SHMEMU_H __hmin(SHMEMU_H a, SHMEMU_H b) { return __builtin_fminf(a, b); }
SHMEMU_INLINE_HD SHMEMU_H __hmax_nan(SHMEMU_H a, SHMEMU_H b) {
  return __hisnan(a) || __hisnan(b) ? SHMEMU_H(__builtin_nanf("")) : __hmax(a, b);
}
SHMEMU_INLINE_HD SHMEMU_H __hmin_nan(SHMEMU_H a, SHMEMU_H b) {
  return __hisnan(a) || __hisnan(b) ? SHMEMU_H(__builtin_nanf("")) : __hmin(a, b);
}
SHMEMU_PAIRWISE2(__hmax2, __hmax)
SHMEMU_PAIRWISE2(__hmin2, __hmin)
SHMEMU_PAIRWISE2(__hmax2_nan, __hmax_nan)
SHMEMU_PAIRWISE2(__hmin2_nan, __hmin_nan)
#undef SHMEMU_PAIRWISE2

SHMEMU_INLINE_HD float __low2float(SHMEMU_H2 a) { return a.x; }
SHMEMU_INLINE_HD float __high2float(SHMEMU_H2 a) { return a.y; }
SHMEMU_INLINE_HD SHMEMU_H2 __lowhigh2highlow(SHMEMU_H2 a) { return SHMEMU_H2(a.y, a.x); }

/* ---- device only ---- */
#ifdef __CUDA__
#define SHMEMU_FUNCTION(name, value)                                                             \
  SHMEMU_INLINE_D SHMEMU_H h##name(SHMEMU_H h) { float a = h; return value; }                    \
  SHMEMU_INLINE_D SHMEMU_H2 h2##name(SHMEMU_H2 h) { return SHMEMU_H2(h##name(h.x), h##name(h.y)); }
SHMEMU_FUNCTION(sqrt, sqrtf(a))
SHMEMU_FUNCTION(rsqrt, rsqrtf(a))
SHMEMU_FUNCTION(rcp, 1.0f / a)
SHMEMU_FUNCTION(exp, expf(a))
SHMEMU_FUNCTION(exp2, exp2f(a))
SHMEMU_FUNCTION(exp10, exp10f(a))
SHMEMU_FUNCTION(log, logf(a))
SHMEMU_FUNCTION(log2, log2f(a))
SHMEMU_FUNCTION(log10, log10f(a))
SHMEMU_FUNCTION(sin, sinf(a))
SHMEMU_FUNCTION(cos, cosf(a))
SHMEMU_FUNCTION(tanh, tanhf(a))
SHMEMU_FUNCTION(floor, floorf(a))
SHMEMU_FUNCTION(ceil, ceilf(a))
SHMEMU_FUNCTION(trunc, truncf(a))
SHMEMU_FUNCTION(rint, rintf(a))
#undef SHMEMU_FUNCTION

/* one compare-and-swap of the whole; the pair is stronger than CUDA asks, which is atomic per element */
#define SHMEMU_ATOMIC_ADD(type, word)                                                                     \
  SHMEMU_INLINE_D type atomicAdd(type *address, type value) {                                             \
    word old = __atomic_load_n((word *)address, __ATOMIC_RELAXED), next;                                  \
    type before, after;                                                                                   \
    do {                                                                                                  \
      __builtin_memcpy(&before, &old, sizeof old);                                                        \
      after = before + value;                                                                             \
      __builtin_memcpy(&next, &after, sizeof next);                                                       \
    } while (!__atomic_compare_exchange_n((word *)address, &old, next, false, __ATOMIC_RELAXED,           \
                                          __ATOMIC_RELAXED));                                             \
    return before;                                                                                        \
  }                                                                                                       \
  SHMEMU_INLINE_D type atomicAdd_block(type *address, type value) { return atomicAdd(address, value); }   \
  SHMEMU_INLINE_D type atomicAdd_system(type *address, type value) { return atomicAdd(address, value); }
SHMEMU_ATOMIC_ADD(SHMEMU_H, unsigned short)
SHMEMU_ATOMIC_ADD(SHMEMU_H2, unsigned int)
#undef SHMEMU_ATOMIC_ADD
#endif
