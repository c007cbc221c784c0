#include "device/atomics.hpp"

#include <cstring>

#include "base/errors.hpp"
#include "shmemu/abi.h"

namespace shmemu::device {
namespace {

template <class T>
T from_bits(uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

template <class T>
uint64_t to_bits(T value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

template <class T>
uint64_t modify_integer(const Op& op, uint64_t old) {
  T v = from_bits<T>(old), operand = from_bits<T>(op.value);
  switch (op.function) {
    case SHMEMU_AMO_SET:
    case SHMEMU_AMO_SWAP:
      v = operand;
      break;
    case SHMEMU_AMO_ADD:
      v = static_cast<T>(v + operand);
      break;
    case SHMEMU_AMO_AND:
      v = static_cast<T>(v & operand);
      break;
    case SHMEMU_AMO_OR:
      v = static_cast<T>(v | operand);
      break;
    case SHMEMU_AMO_XOR:
      v = static_cast<T>(v ^ operand);
      break;
    case SHMEMU_AMO_COMPARE_SWAP:
      if (v == from_bits<T>(op.compare)) v = operand;
      break;
    default:
      break;  // fetch
  }
  return to_bits(v);
}

template <class T>
uint64_t modify_float(const Op& op, uint64_t old) {
  if (op.function == SHMEMU_AMO_ADD) return to_bits<T>(from_bits<T>(old) + from_bits<T>(op.value));
  return op.function == SHMEMU_AMO_SET || op.function == SHMEMU_AMO_SWAP ? op.value : old;
}

template <class T>
bool compare_as(uint8_t comparison, uint64_t a_bits, uint64_t b_bits) {
  T a = from_bits<T>(a_bits), b = from_bits<T>(b_bits);
  switch (comparison) {
    case 0:
      return a == b;
    case 1:
      return a != b;
    case 2:
      return a > b;
    case 3:
      return a <= b;
    case 4:
      return a < b;
    default:
      return a >= b;
  }
}

}  // namespace

uint64_t type_bytes(uint8_t type) {
  switch (type) {
    case SHMEMU_I8:
    case SHMEMU_U8:
      return 1;
    case SHMEMU_I16:
    case SHMEMU_U16:
    case SHMEMU_F16:
    case SHMEMU_BF16:
      return 2;
    case SHMEMU_I32:
    case SHMEMU_U32:
    case SHMEMU_F32:
      return 4;
    default:
      return 8;
  }
}

uint64_t load_bits(const std::byte* word, uint64_t bytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, word, bytes < 8 ? bytes : 8);
  return bits;
}

uint64_t apply_atomic(const Op& op, std::byte* word) {
  uint64_t bytes = type_bytes(op.type), old = load_bits(word, bytes), updated = old;
  switch (op.type) {
    case SHMEMU_I32:
    case SHMEMU_U32:
      updated = modify_integer<uint32_t>(op, old);
      break;
    case SHMEMU_I64:
    case SHMEMU_U64:
      updated = modify_integer<uint64_t>(op, old);
      break;
    case SHMEMU_F32:
      updated = modify_float<float>(op, old);
      break;
    case SHMEMU_F64:
      updated = modify_float<double>(op, old);
      break;
    default:
      SHMEMU_ASSERT(false, "atomic on type " + std::to_string(op.type));
  }
  std::memcpy(word, &updated, bytes);
  return old;
}

bool compare(uint8_t type, uint8_t comparison, uint64_t a, uint64_t b) {
  switch (type) {
    case SHMEMU_I8:
      return compare_as<int8_t>(comparison, a, b);
    case SHMEMU_U8:
      return compare_as<uint8_t>(comparison, a, b);
    case SHMEMU_I16:
      return compare_as<int16_t>(comparison, a, b);
    case SHMEMU_U16:
      return compare_as<uint16_t>(comparison, a, b);
    case SHMEMU_I32:
      return compare_as<int32_t>(comparison, a, b);
    case SHMEMU_U32:
      return compare_as<uint32_t>(comparison, a, b);
    case SHMEMU_I64:
      return compare_as<int64_t>(comparison, a, b);
    default:
      return compare_as<uint64_t>(comparison, a, b);
  }
}

}  // namespace shmemu::device
