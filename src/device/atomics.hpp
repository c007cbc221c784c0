// Atomic read-modify-write on a word and the comparisons of waits, by element type. Pure functions over bytes.
// Numbers of types, operations and comparisons are those of the ABI (include/shmemu/abi.h) and of NVSHMEM's constants.
#pragma once
#include <cstddef>
#include <cstdint>

#include "transports/op.hpp"

namespace shmemu::device {

// Performs op.function on the word with op.value (and op.compare); returns the old value's bits.
uint64_t apply_atomic(const Op& op, std::byte* word);
// `comparison`: 0 EQ, 1 NE, 2 GT, 3 LE, 4 LT, 5 GE (NVSHMEM_CMP_*).
bool compare(uint8_t type, uint8_t comparison, uint64_t word_bits, uint64_t value_bits);
uint64_t type_bytes(uint8_t type);
uint64_t load_bits(const std::byte* word, uint64_t bytes);

}  // namespace shmemu::device
