#include "emu/api/reductions.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <type_traits>

#include "base/errors.hpp"
#include "shmemu/abi.h"

namespace shmemu::emu {
namespace {

template <class T>
T combine(int op, T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    switch (op) {
      case SHMEMU_SUM: return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
      case SHMEMU_PROD: return static_cast<T>(static_cast<uint64_t>(static_cast<U>(a)) * static_cast<U>(b));
      case SHMEMU_AND: return static_cast<T>(a & b);
      case SHMEMU_OR: return static_cast<T>(a | b);
      case SHMEMU_XOR: return static_cast<T>(a ^ b);
      default: break;
    }
  }
  switch (op) {
    case SHMEMU_SUM: return static_cast<T>(a + b);
    case SHMEMU_PROD: return static_cast<T>(a * b);
    default:
      break;
  }
  if constexpr (!std::is_same_v<T, std::complex<float>> && !std::is_same_v<T, std::complex<double>>) {
    if (op == SHMEMU_MIN) return std::min(a, b);
    if (op == SHMEMU_MAX) return std::max(a, b);
  }
  SHMEMU_ASSERT(false, "an operation that this type does not have");
  return a;
}

template <class T>
void all(int op, void* dest, const void* source, uint64_t count) {
  auto* d = static_cast<T*>(dest);
  auto* s = static_cast<const T*>(source);
  for (uint64_t i = 0; i < count; ++i) d[i] = combine(op, d[i], s[i]);
}

float bfloat_to_float(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

uint16_t float_to_bfloat(float value) {
  auto bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

template <float (*Widen)(uint16_t), uint16_t (*Round)(float)>
void all_small_floats(int op, void* dest, const void* source, uint64_t count) {
  auto* d = static_cast<uint16_t*>(dest);
  auto* s = static_cast<const uint16_t*>(source);
  for (uint64_t i = 0; i < count; ++i) d[i] = Round(combine(op, Widen(d[i]), Widen(s[i])));
}

struct Place {
  double value, place;
};

// The larger value with its place; of equal ones the smaller place (NVSHMEM 3.3.9 does not say).
void all_places(void* dest, const void* source, uint64_t count) {
  auto* d = static_cast<Place*>(dest);
  auto* s = static_cast<const Place*>(source);
  for (uint64_t i = 0; i < count; ++i)
    if (s[i].value > d[i].value || (s[i].value == d[i].value && s[i].place < d[i].place)) d[i] = s[i];
}

}  // namespace

float bits_to_float(int type, const void* element) {
  if (type == SHMEMU_F32) return *static_cast<const float*>(element);
  uint16_t bits = *static_cast<const uint16_t*>(element);
  return type == SHMEMU_F16 ? half_to_float(bits) : bfloat_to_float(bits);
}

void float_to_bits(int type, float value, void* element) {
  if (type == SHMEMU_F32) {
    *static_cast<float*>(element) = value;
  } else {
    *static_cast<uint16_t*>(element) = type == SHMEMU_F16 ? float_to_half(value) : float_to_bfloat(value);
  }
}

float half_to_float(uint16_t bits) {
  uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16, exponent = bits >> 10 & 31, fraction = bits & 0x3ff;
  if (exponent == 0) {
    float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return sign ? -magnitude : magnitude;
  }
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000 | fraction << 13);
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

uint16_t float_to_half(float value) {
  auto bits = std::bit_cast<uint32_t>(value);
  auto sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
  float magnitude = std::fabs(value);
  if (std::isnan(value)) return static_cast<uint16_t>(sign | 0x7e00);
  if (magnitude >= 65520.0f) return static_cast<uint16_t>(sign | 0x7c00);
  if (magnitude < 0x1p-14f) {  // subnormal: in units of 2^-24, rounded to even by the addition
    return static_cast<uint16_t>(sign | static_cast<uint16_t>(std::nearbyint(magnitude * 0x1p24f)));
  }
  uint32_t rounded = (bits & 0x7fffffff) + 0xfff + (bits >> 13 & 1);
  return static_cast<uint16_t>(sign | (rounded - (112u << 23)) >> 13);
}

void reduce_elements(int type, int op, void* dest, const void* source, uint64_t count) {
  switch (type) {
    case SHMEMU_I8: return all<int8_t>(op, dest, source, count);
    case SHMEMU_U8: return all<uint8_t>(op, dest, source, count);
    case SHMEMU_I16: return all<int16_t>(op, dest, source, count);
    case SHMEMU_U16: return all<uint16_t>(op, dest, source, count);
    case SHMEMU_I32: return all<int32_t>(op, dest, source, count);
    case SHMEMU_U32: return all<uint32_t>(op, dest, source, count);
    case SHMEMU_I64: return all<int64_t>(op, dest, source, count);
    case SHMEMU_U64: return all<uint64_t>(op, dest, source, count);
    case SHMEMU_F32: return all<float>(op, dest, source, count);
    case SHMEMU_F64: return all<double>(op, dest, source, count);
    case SHMEMU_LONG_DOUBLE:
      return all<long double>(op, dest, source, count);
    case SHMEMU_COMPLEX_FLOAT:
      return all<std::complex<float>>(op, dest, source, count);
    case SHMEMU_COMPLEX_DOUBLE:
      return all<std::complex<double>>(op, dest, source, count);
    case SHMEMU_F16: return all_small_floats<half_to_float, float_to_half>(op, dest, source, count);
    case SHMEMU_BF16: return all_small_floats<bfloat_to_float, float_to_bfloat>(op, dest, source, count);
    case SHMEMU_DOUBLE2:
      return all_places(dest, source, count);
    default: SHMEMU_ASSERT(false, "reduction of type " + std::to_string(type));
  }
}

}  // namespace shmemu::emu
