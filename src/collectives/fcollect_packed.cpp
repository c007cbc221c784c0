// Everybody sends its part packed (LL or LL128) to everybody and polls for the others' parts: no barrier. Warps share
// the peers. Calls alternate between two halves of the team's memory: a PE that is one call ahead writes to the other
// half, and nobody can be two ahead, since each call needs a part of everybody.
#include "collectives/algorithms.hpp"

namespace shmemu {

void fcollect_packed(Endpoint& at, Packing packing, void* dest, const void* source, uint64_t bytes, bool multicast) {
  constexpr uint64_t kGrouped = 1024;  // larger blocks take the path that is unrolled by 4
  Area area = packing == Packing::ll ? Area::fcollect : Area::fcollect_long;
  auto n = static_cast<uint64_t>(at.size()), me = static_cast<uint64_t>(at.me());
  if (at.leader()) ++at.state(Tally::fcollects);
  at.group_sync();
  uint64_t number = at.state(Tally::fcollects);
  uint64_t exact = packed_bytes(packing, bytes), place = at.scratch_bytes(area) / (2 * n) / 8 * 8;
  char* half = at.scratch(area) + number % 2 * n * place;
  auto flag = static_cast<uint32_t>(number);
  uint64_t shares = (n + at.warps() - 1) / at.warps(), rounds = shares * ((bytes + 255) / 256);
  char* staging = at.all_load_store() ? at.scratch(Area::staging) : half + me * place;  // an adapter reads it late
  at.spend(Overhead::packed_entry);
  if (bytes >= kGrouped) at.spend(Overhead::packed_grouped);
  at.spend(Overhead::packed_peer, shares);
  if (at.leader()) at.pack(packing, staging, source, bytes, flag);
  at.group_sync();
  std::vector<Put> puts;
  std::vector<Receive> blocks;
  for (uint64_t i = 0; i < n; ++i) {
    puts.push_back({half + me * place, staging, exact, static_cast<int>((me + i) % n), true});
    blocks.push_back({static_cast<char*>(dest) + i * bytes, half + i * place, bytes});
  }
  if (multicast)
    at.multicast({half + me * place, staging, exact, 1, false, true, true});
  else
    at.put_each(puts);
  at.receive_each(packing, blocks, flag);
  at.spend(Overhead::collect, rounds);
  at.group_sync();
}

}  // namespace shmemu
