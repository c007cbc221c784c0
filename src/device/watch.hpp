// Who sleeps on which memory. A sleeping poll or wait is re-checked when its line changes, and, because ordinary
// stores are not seen, at every fence, barrier and exit of its PE. Ordered containers only: wake-ups are deterministic.
#pragma once
#include <map>
#include <unordered_map>
#include <vector>

#include "device/actor.hpp"

namespace shmemu::device {

class WatchTable {
 public:
  static constexpr uint64_t kLine = 128;
  void add(Actor& actor, uint64_t address, uint64_t bytes);
  void add_unknown(Actor& actor) { unknown_[actor.pe].push_back(&actor); }
  // Sleepers on any line of [address, address + bytes).
  void on_lines(uint64_t address, uint64_t bytes, std::vector<Actor*>& out) const;
  // Sleepers of a PE; on any address, or only those whose address is unknown.
  void of_pe(PeId pe, bool unknown_only, std::vector<Actor*>& out) const;
  void everyone(std::vector<Actor*>& out) const;
  void remove(Actor& actor);
  size_t size() const { return where_.size(); }

 private:
  std::map<uint64_t, std::vector<Actor*>> lines_;
  std::map<PeId, std::vector<Actor*>> of_pe_, unknown_;
  std::unordered_map<Actor*, std::vector<uint64_t>> where_;  // looked up only, never walked
};

}  // namespace shmemu::device
