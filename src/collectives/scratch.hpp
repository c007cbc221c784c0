// The library's own symmetric memory of a team (NVSHMEM calls it pSync and pWrk): areas, their sizes and offsets, the
// same on every PE. Their sizes depend on the number of PEs and on NVSHMEM's environment variables.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "collectives/packing.hpp"
#include "collectives/settings.hpp"

namespace shmemu {

enum class Area : uint8_t {
  signals,        // words that count signals, see Slots
  staging,        // where a PE packs what it sends
  broadcast,      // ring of received packed broadcasts and of their signals
  fcollect,       // two halves, one packed block per PE
  fcollect_long,  // the same for LL128
  reduce,         // two halves of work space
  count_
};

// Numbers of a team that live from call to call, on every PE.
enum class Tally : uint8_t {
  syncs,
  full_syncs,
  packed_broadcasts,
  broadcast_offset,
  broadcasts,  // that put and signal, one number per root
  fcollects,
  reductions,
  exchanges,
  alltoalls,
  rings,
  count_
};
class TeamNumbers {
 public:
  uint64_t& operator()(Tally s, int member) {
    auto& of = values_[static_cast<size_t>(s)];
    if (of.size() <= static_cast<size_t>(member)) of.resize(static_cast<size_t>(member) + 1);
    return of[static_cast<size_t>(member)];
  }

 private:
  std::array<std::vector<uint64_t>, static_cast<size_t>(Tally::count_)> values_;
};

// Words of Area::signals. Numbers that are set could arrive in another order than they were sent, and a PE can be one
// call ahead of another, never two: hence two sets of words that take turns (`turn`).
namespace slots {
constexpr int kMostRadix = 32;
constexpr int kSync = 0;        // dissemination: round * (radix - 1) + neighbour
constexpr int kFullSync = 192;  // all-to-all: one per member, up to 32
constexpr int kExchange = 224;  // recursive exchange: phase * (radix - 1) + partner
constexpr int kFold = 416, kUnfold = 448;
constexpr int kSet = 449;
inline int turn(uint64_t number) { return static_cast<int>(number % 2) * kSet; }
constexpr int kRing = 2 * kSet;
constexpr int kAlltoall = kRing + 1;                                                    // two sets of one per member
inline int broadcast(int members, int root) { return kAlltoall + 2 * members + root; }  // put with signal
}  // namespace slots

constexpr uint64_t kBroadcastRing = 2'211'840;  // bytes (NVSHMEM 3.3.9: 276480 words)

class Scratch {
 public:
  Scratch() = default;
  Scratch(int pes, const CollectiveSettings& settings);
  uint64_t offset(Area a) const { return offsets_[static_cast<int>(a)]; }
  uint64_t bytes(Area a) const { return offsets_[static_cast<int>(a) + 1] - offsets_[static_cast<int>(a)]; }
  uint64_t total() const { return offsets_[static_cast<int>(Area::count_)]; }

 private:
  uint64_t offsets_[static_cast<int>(Area::count_) + 1] = {};
};

}  // namespace shmemu
