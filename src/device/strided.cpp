#include "device/strided.hpp"

#include <cstring>
#include <vector>

namespace shmemu::device {

Payload gather(Memory& memory, const Op& op, uint64_t address, int64_t stride) {
  uint64_t each = piece_bytes(op);
  std::vector<std::byte> gathered(op.bytes);
  for (uint64_t i = 0; i < op.elements; ++i)
    if (std::byte* from = memory.at(address + i * static_cast<uint64_t>(stride), each))
      std::memcpy(gathered.data() + i * each, from, each);
  return {gathered.data(), gathered.size()};
}

void scatter(Memory& memory, const Op& op, const Payload& payload, uint64_t address, int64_t stride) {
  uint64_t each = piece_bytes(op);
  if (!each || !payload.size()) return;
  for (uint64_t i = 0; i < op.elements; ++i)
    if (std::byte* to = memory.at(address + i * static_cast<uint64_t>(stride), each))
      std::memcpy(to, payload.data() + i * each, each);
}

}  // namespace shmemu::device
