// The packed formats: data that carry their own flag, so that a receiver sees by polling that they are there, without a
// barrier. LL: units of 16 B, {data 4, flag 4, data 4, flag 4}; LL128: packets of 128 B, 120 of data and a flag of 8
// (needs stores of 128 B that arrive whole, so NVLink). (NVSHMEM 3.3.9, collectives)
#pragma once
#include <cstdint>

namespace shmemu {

enum class Packing : uint8_t { ll, ll128 };

// What `bytes` of data become; for LL a multiple of 8.
uint64_t packed_bytes(Packing packing, uint64_t bytes);
uint32_t flag_bytes(Packing packing);  // at the end of what is packed
void pack_into(Packing packing, void* dest, const void* source, uint64_t bytes, uint32_t flag);
void unpack_into(Packing packing, void* dest, const void* packed, uint64_t bytes);

}  // namespace shmemu
