#include "emu/api/reductions.hpp"

#include <catch2/catch.hpp>

#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <vector>

#include "base/random.hpp"
#include "shmemu/abi.h"

using namespace shmemu;
using namespace shmemu::emu;

namespace {

constexpr int kAll[] = {SHMEMU_SUM, SHMEMU_PROD, SHMEMU_MIN, SHMEMU_MAX, SHMEMU_AND, SHMEMU_OR, SHMEMU_XOR};

template <class T>
T reduce_one(int type, int op, T a, T b) {
  T dest[2] = {a, T(1)};
  T source[2] = {b, T(1)};
  reduce_elements(type, op, dest, source, 1);
  CHECK(dest[1] == T(1));  // only `count` elements
  return dest[0];
}

template <class T>
void check_integer(int type) {
  CHECK(reduce_one<T>(type, SHMEMU_SUM, 12, 10) == 22);
  CHECK(reduce_one<T>(type, SHMEMU_PROD, 12, 10) == 120);
  CHECK(reduce_one<T>(type, SHMEMU_MIN, 12, 10) == 10);
  CHECK(reduce_one<T>(type, SHMEMU_MAX, 12, 10) == 12);
  CHECK(reduce_one<T>(type, SHMEMU_AND, 12, 10) == 8);
  CHECK(reduce_one<T>(type, SHMEMU_OR, 12, 10) == 14);
  CHECK(reduce_one<T>(type, SHMEMU_XOR, 12, 10) == 6);
  T most = std::numeric_limits<T>::max(), least = std::numeric_limits<T>::min();
  CHECK(reduce_one<T>(type, SHMEMU_SUM, most, 1) == least);  // wraps
  CHECK(reduce_one<T>(type, SHMEMU_MIN, most, least) == least);
  CHECK(reduce_one<T>(type, SHMEMU_PROD, most, most) == 1);  // (2^n - 1)² and (2^(n-1) - 1)² end in 1
}

// The value of a half, from its definition.
double value_of_half(uint16_t h) {
  int exponent = h >> 10 & 31, fraction = h & 1023;
  double v = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return h & 0x8000 ? -v : v;
}

// The nearest half, ties to even: search among the finite ones of the same sign (their order is that of their bits).
uint16_t nearest_half(double v) {
  uint16_t sign = std::signbit(v) ? 0x8000 : 0;
  double m = std::fabs(v);
  if (m >= 65520) return static_cast<uint16_t>(sign | 0x7c00);  // half way between 65504 and 2^16
  uint16_t low = 0, high = 0x7bff;
  while (low < high) {
    auto middle = static_cast<uint16_t>((low + high + 1) / 2);
    if (value_of_half(middle) <= m) low = middle; else high = static_cast<uint16_t>(middle - 1);
  }
  if (low < 0x7bff) {
    double down = m - value_of_half(low), up = value_of_half(static_cast<uint16_t>(low + 1)) - m;
    if (up < down || (up == down && low % 2)) ++low;
  }
  return static_cast<uint16_t>(sign | low);
}

float value_of_bfloat(uint16_t b) { return std::bit_cast<float>(static_cast<uint32_t>(b) << 16); }

uint16_t nearest_bfloat(float v) {
  auto bits = std::bit_cast<uint32_t>(v);
  auto low = static_cast<uint16_t>(bits >> 16);
  uint32_t rest = bits & 0xffff;
  if (rest > 0x8000 || (rest == 0x8000 && low % 2)) ++low;
  return low;
}

}  // namespace

TEST_CASE("reductions: every operation on every integer type") {
  check_integer<int8_t>(SHMEMU_I8);
  check_integer<uint8_t>(SHMEMU_U8);
  check_integer<int16_t>(SHMEMU_I16);
  check_integer<uint16_t>(SHMEMU_U16);
  check_integer<int32_t>(SHMEMU_I32);
  check_integer<uint32_t>(SHMEMU_U32);
  check_integer<int64_t>(SHMEMU_I64);
  check_integer<uint64_t>(SHMEMU_U64);
}

TEST_CASE("reductions: floats and doubles") {
  CHECK(reduce_one<float>(SHMEMU_F32, SHMEMU_SUM, 1.5f, 2.25f) == 3.75f);
  CHECK(reduce_one<float>(SHMEMU_F32, SHMEMU_PROD, 1.5f, 2.0f) == 3.0f);
  CHECK(reduce_one<float>(SHMEMU_F32, SHMEMU_MIN, 1.5f, -2.0f) == -2.0f);
  CHECK(reduce_one<double>(SHMEMU_F64, SHMEMU_MAX, 1.5, -2.0) == 1.5);
  CHECK(reduce_one<double>(SHMEMU_F64, SHMEMU_SUM, 1e300, 1e300) == 2e300);
}

TEST_CASE("reductions: arrays are combined element by element") {
  std::vector<int> dest(100), source(100);
  for (int i = 0; i < 100; ++i) dest[static_cast<size_t>(i)] = i, source[static_cast<size_t>(i)] = 1000 * i;
  reduce_elements(SHMEMU_I32, SHMEMU_SUM, dest.data(), source.data(), 100);
  for (int i = 0; i < 100; ++i) CHECK(dest[static_cast<size_t>(i)] == 1001 * i);
}

TEST_CASE("half: every finite value is widened exactly and rounded back to itself") {
  for (uint32_t h = 0; h < 0x10000; ++h) {
    auto bits = static_cast<uint16_t>(h);
    if ((bits & 0x7c00) == 0x7c00) continue;
    if (static_cast<double>(half_to_float(bits)) != value_of_half(bits)) FAIL("widening " << h);
    if (float_to_half(half_to_float(bits)) != bits) FAIL("rounding " << h);
  }
  SUCCEED();
}

TEST_CASE("half: rounding goes to the nearest value, ties to even") {
  Random random(2);
  for (int i = 0; i < 200'000; ++i) {
    // exponents around the half's range, half of them near a tie
    auto v = static_cast<float>(std::ldexp(1.0 + static_cast<double>(random.below(1 << 23)) / (1 << 23),
                                           static_cast<int>(random.below(48)) - 28));
    if (random.below(2)) v = std::bit_cast<float>((std::bit_cast<uint32_t>(v) & ~0x1fffu) | 0x1000);
    if (random.below(2)) v = -v;
    if (float_to_half(v) != nearest_half(static_cast<double>(v)))
      FAIL("rounding " << v << ": " << float_to_half(v) << ", expected " << nearest_half(static_cast<double>(v)));
  }
  SUCCEED();
}

TEST_CASE("half: infinities, overflow and NaN") {
  CHECK(float_to_half(65504.0f) == 0x7bff);
  CHECK(float_to_half(65519.996f) == 0x7bff);
  CHECK(float_to_half(65520.0f) == 0x7c00);
  CHECK(float_to_half(-1e30f) == 0xfc00);
  CHECK(float_to_half(std::numeric_limits<float>::infinity()) == 0x7c00);
  CHECK((float_to_half(std::nanf("")) & 0x7fff) > 0x7c00);
  CHECK(std::isnan(half_to_float(0x7e00)));
  CHECK(half_to_float(0xfc00) == -std::numeric_limits<float>::infinity());
  CHECK(std::signbit(half_to_float(0x8000)));
  CHECK(float_to_half(0x1p-24f) == 1);
  CHECK(float_to_half(0x1p-25f) == 0);          // a tie with 0, which is even
  CHECK(float_to_half(0x1.000002p-25f) == 1);   // just above
  CHECK(float_to_half(0x1.ff8p-15f) == 0x3ff);  // the largest subnormal
  CHECK(float_to_half(0x1.ffcp-15f) == 0x400);  // a tie between it and the smallest normal value, which is even
}

TEST_CASE("half and bfloat are combined in float and rounded once per step") {
  Random random(6);
  for (int i = 0; i < 50'000; ++i) {
    auto a = static_cast<uint16_t>(random.next()), b = static_cast<uint16_t>(random.next());
    if ((a & 0x7c00) != 0x7c00 && (b & 0x7c00) != 0x7c00)
      for (int op : {SHMEMU_SUM, SHMEMU_PROD}) {
        float x = half_to_float(a), y = half_to_float(b), r = op == SHMEMU_SUM ? x + y : x * y;
        if (reduce_one<uint16_t>(SHMEMU_F16, op, a, b) != nearest_half(static_cast<double>(r))) FAIL("half " << a << " " << b);
      }
    if ((a & 0x7f80) != 0x7f80 && (b & 0x7f80) != 0x7f80)
      for (int op : {SHMEMU_SUM, SHMEMU_PROD}) {
        float x = value_of_bfloat(a), y = value_of_bfloat(b), r = op == SHMEMU_SUM ? x + y : x * y;
        if (reduce_one<uint16_t>(SHMEMU_BF16, op, a, b) != nearest_bfloat(r)) FAIL("bfloat " << a << " " << b);
      }
  }
  CHECK(reduce_one<uint16_t>(SHMEMU_BF16, SHMEMU_MAX, 0x3f80, 0x4000) == 0x4000);
  CHECK(reduce_one<uint16_t>(SHMEMU_F16, SHMEMU_MIN, 0x3c00, 0xbc00) == 0xbc00);
  uint16_t nan = reduce_one<uint16_t>(SHMEMU_BF16, SHMEMU_SUM, 0x7f80, 0xff80);  // inf - inf
  CHECK(std::isnan(value_of_bfloat(nan)));
}

TEST_CASE("reductions: every pair of type and operation that NVSHMEM offers works") {
  for (int type = SHMEMU_I8; type <= SHMEMU_F64; ++type)
    for (int op : kAll) {
      if (type >= SHMEMU_F16 && op >= SHMEMU_AND) continue;  // bitwise on floating point does not exist
      unsigned char dest[8] = {}, source[8] = {};
      reduce_elements(type, op, dest, source, 1);
      CHECK(std::count(dest, dest + 8, 0) == 8);
    }
}

TEST_CASE("reductions: long double and complex, as OpenSHMEM has them") {
  CHECK(reduce_one<long double>(SHMEMU_LONG_DOUBLE, SHMEMU_SUM, 1, 0x1p-60L) == 1 + 0x1p-60L);
  CHECK(reduce_one<long double>(SHMEMU_LONG_DOUBLE, SHMEMU_MIN, 2, -3) == -3);
  using F = std::complex<float>;
  using D = std::complex<double>;
  CHECK(reduce_one<F>(SHMEMU_COMPLEX_FLOAT, SHMEMU_SUM, F(1, 2), F(3, -5)) == F(4, -3));
  CHECK(reduce_one<D>(SHMEMU_COMPLEX_DOUBLE, SHMEMU_PROD, D(1, 2), D(3, -5)) == D(13, 1));
}

TEST_CASE("reductions: the largest value keeps its place, of equal ones the smallest place wins") {
  struct Pair {
    double value, place;
  };
  auto larger = [](Pair a, Pair b) {
    reduce_elements(SHMEMU_DOUBLE2, SHMEMU_MAXLOC, &a, &b, 1);
    return std::pair(a.value, a.place);
  };
  CHECK(larger({1, 7}, {2, 8}) == std::pair(2.0, 8.0));
  CHECK(larger({3, 7}, {2, 8}) == std::pair(3.0, 7.0));
  CHECK(larger({3, 7}, {3, 4}) == std::pair(3.0, 4.0));
}
