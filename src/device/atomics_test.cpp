#include "device/atomics.hpp"

#include <catch2/catch.hpp>

#include <cstring>
#include <limits>

#include "shmemu/abi.h"

using namespace shmemu;
using namespace shmemu::device;

namespace {

template <class T>
uint64_t bits(T value) {
  uint64_t b = 0;
  std::memcpy(&b, &value, sizeof value);
  return b;
}

// Applies the atomic to a word between two guards; returns {old, new}.
template <class T>
std::pair<T, T> apply(uint8_t type, int amo, T word, T value, T compare_with = T{}) {
  T memory[3] = {T(77), word, T(77)};
  Op op;
  op.type = type;
  op.function = static_cast<uint8_t>(amo);
  op.value = bits(value);
  op.compare = bits(compare_with);
  uint64_t old_bits = apply_atomic(op, reinterpret_cast<std::byte*>(&memory[1]));
  CHECK(memory[0] == T(77));
  CHECK(memory[2] == T(77));
  T old;
  std::memcpy(&old, &old_bits, sizeof old);
  return {old, memory[1]};
}

template <class T>
void check_integer(uint8_t type) {
  using P = std::pair<T, T>;
  T most = std::numeric_limits<T>::max(), least = std::numeric_limits<T>::min();
  CHECK(apply<T>(type, SHMEMU_AMO_SET, 5, 9) == P(5, 9));
  CHECK(apply<T>(type, SHMEMU_AMO_SWAP, 5, 9) == P(5, 9));
  CHECK(apply<T>(type, SHMEMU_AMO_ADD, 5, 9) == P(5, 14));
  CHECK(apply<T>(type, SHMEMU_AMO_ADD, most, 1) == P(most, least));  // wraps
  CHECK(apply<T>(type, SHMEMU_AMO_AND, 12, 10) == P(12, 8));
  CHECK(apply<T>(type, SHMEMU_AMO_OR, 12, 10) == P(12, 14));
  CHECK(apply<T>(type, SHMEMU_AMO_XOR, 12, 10) == P(12, 6));
  CHECK(apply<T>(type, SHMEMU_AMO_COMPARE_SWAP, 5, 9, 5) == P(5, 9));
  CHECK(apply<T>(type, SHMEMU_AMO_COMPARE_SWAP, 5, 9, 6) == P(5, 5));
  CHECK(apply<T>(type, SHMEMU_AMO_FETCH, 5, 9) == P(5, 5));
}

template <class T>
void check_float(uint8_t type) {
  using P = std::pair<T, T>;
  CHECK(apply<T>(type, SHMEMU_AMO_SET, T(5), T(9.5)) == P(T(5), T(9.5)));
  CHECK(apply<T>(type, SHMEMU_AMO_SWAP, T(5), T(9.5)) == P(T(5), T(9.5)));
  CHECK(apply<T>(type, SHMEMU_AMO_ADD, T(5), T(0.25)) == P(T(5), T(5.25)));
  CHECK(apply<T>(type, SHMEMU_AMO_FETCH, T(5), T(9.5)) == P(T(5), T(5)));
}

// comparisons of a word with 3: EQ NE GT LE LT GE
template <class T>
void check_compare(uint8_t type, T smaller) {
  auto all = [&](T word, T value) {
    std::string text;
    for (uint8_t c = 0; c < 6; ++c) text += compare(type, c, bits(word), bits(value)) ? '1' : '0';
    return text;
  };
  CHECK(all(T(3), T(3)) == "100101");
  CHECK(all(T(4), T(3)) == "011001");
  CHECK(all(smaller, T(3)) == "010110");
}

}  // namespace

TEST_CASE("atomics: every operation on 32- and 64-bit integers") {
  check_integer<int32_t>(SHMEMU_I32);
  check_integer<uint32_t>(SHMEMU_U32);
  check_integer<int64_t>(SHMEMU_I64);
  check_integer<uint64_t>(SHMEMU_U64);
}

TEST_CASE("atomics: set, swap, add and fetch on floats") {
  check_float<float>(SHMEMU_F32);
  check_float<double>(SHMEMU_F64);
}

TEST_CASE("comparisons are signed for signed types and unsigned for the others") {
  check_compare<int8_t>(SHMEMU_I8, -1);
  check_compare<int16_t>(SHMEMU_I16, -1);
  check_compare<int32_t>(SHMEMU_I32, -1);
  check_compare<int64_t>(SHMEMU_I64, -1);
  check_compare<uint8_t>(SHMEMU_U8, 1);
  check_compare<uint16_t>(SHMEMU_U16, 1);
  check_compare<uint32_t>(SHMEMU_U32, 1);
  check_compare<uint64_t>(SHMEMU_U64, 1);
  CHECK(compare(SHMEMU_U64, 2, ~0ull, 3));        // 2^64 - 1 > 3
  CHECK(compare(SHMEMU_U32, 2, 0xffffffffu, 3));  // 2^32 - 1 > 3
}

TEST_CASE("types have their sizes") {
  const uint64_t sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 8};
  for (uint8_t type = 0; type < 12; ++type) CHECK(type_bytes(type) == sizes[type]);
}

TEST_CASE("load_bits reads only the word") {
  const unsigned char memory[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  auto* p = reinterpret_cast<const std::byte*>(memory);
  CHECK(load_bits(p, 1) == 1);
  CHECK(load_bits(p, 2) == 0x0201);
  CHECK(load_bits(p, 4) == 0x04030201);
  CHECK(load_bits(p, 8) == 0x0807060504030201);
}
