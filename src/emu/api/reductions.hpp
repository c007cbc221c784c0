// Element-wise reductions for every type and operation of NVSHMEM. Half and bfloat16 are combined in float and rounded
// to nearest even after each step.
#pragma once
#include <cstdint>

namespace shmemu::emu {

// dest[i] = dest[i] op source[i]; type: shmemu_type, op: shmemu_reduce_op.
void reduce_elements(int type, int op, void* dest, const void* source, uint64_t count);
// One element of type F16, BF16 or F32, to float and back, rounded to nearest even.
float bits_to_float(int type, const void* element);
void float_to_bits(int type, float value, void* element);
float half_to_float(uint16_t bits);
uint16_t float_to_half(float value);

}  // namespace shmemu::emu
