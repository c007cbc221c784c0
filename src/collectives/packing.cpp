#include "collectives/packing.hpp"

#include <algorithm>
#include <cstring>

namespace shmemu {
namespace {

constexpr uint64_t kPacket = 128, kPacketData = 120;

// Calls f(offset in data, offset in packed, bytes of data) for each piece, g(offset) for each flag.
template <class Data, class Flag>
void walk(Packing packing, uint64_t bytes, Data data, Flag flag) {
  if (packing == Packing::ll) {
    for (uint64_t at = 0; at < bytes; at += 4) {
      data(at, at * 2, std::min<uint64_t>(4, bytes - at));
      flag(at * 2 + 4);
    }
    return;
  }
  for (uint64_t at = 0, packed = 0; at < bytes; at += kPacketData, packed += kPacket) {
    uint64_t piece = std::min(kPacketData, bytes - at), end = std::min(kPacketData, (piece + 7) / 8 * 8);
    data(at, packed, piece);
    flag(packed + end);
  }
}

}  // namespace

uint64_t packed_bytes(Packing packing, uint64_t bytes) {
  if (packing == Packing::ll) return (bytes + 3) / 4 * 8;
  uint64_t rest = bytes % kPacketData;
  return bytes / kPacketData * kPacket + (rest ? (rest + 7) / 8 * 8 + 8 : 0);
}

uint32_t flag_bytes(Packing packing) { return packing == Packing::ll ? 4 : 8; }

void pack_into(Packing packing, void* dest, const void* source, uint64_t bytes, uint32_t flag) {
  char* to = static_cast<char*>(dest);
  const char* from = static_cast<const char*>(source);
  uint64_t wide = flag;
  walk(
      packing, bytes, [&](uint64_t at, uint64_t packed, uint64_t n) { std::memcpy(to + packed, from + at, n); },
      [&](uint64_t at) { std::memcpy(to + at, &wide, flag_bytes(packing)); });
}

void unpack_into(Packing packing, void* dest, const void* packed, uint64_t bytes) {
  char* to = static_cast<char*>(dest);
  const char* from = static_cast<const char*>(packed);
  walk(
      packing, bytes, [&](uint64_t at, uint64_t where, uint64_t n) { std::memcpy(to + at, from + where, n); },
      [](uint64_t) {});
}

}  // namespace shmemu
