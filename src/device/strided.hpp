// Strided operands (iput, iget): `op.elements` pieces of equal size, `stride` bytes apart from `address` on, against
// one contiguous payload. Pieces that this run has no memory for are left out.
#pragma once
#include <cstdint>

#include "device/machine.hpp"

namespace shmemu::device {

inline uint64_t piece_bytes(const Op& op) { return op.elements ? op.bytes / op.elements : op.bytes; }
Payload gather(Memory& memory, const Op& op, uint64_t address, int64_t stride);
void scatter(Memory& memory, const Op& op, const Payload& payload, uint64_t address, int64_t stride);

}  // namespace shmemu::device
