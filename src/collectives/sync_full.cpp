// One round: everybody signals everybody. For blocks on teams of 2, 4, 8, 16 or 32 PEs that share NVLink.
#include "collectives/algorithms.hpp"

namespace shmemu {

void sync_full(Endpoint& at) {
  if (at.leader()) ++at.state(Tally::full_syncs);
  at.group_sync();
  uint64_t number = at.state(Tally::full_syncs);
  int n = at.size(), me = at.me();
  std::vector<Signal> signals;
  std::vector<SignalWait> waits;
  for (int j = 1; j < n; ++j) {
    signals.push_back({slots::turn(number) + slots::kFullSync + me, (me + j) % n, number});
    waits.push_back({slots::turn(number) + slots::kFullSync + (me + n - j) % n, number});
  }
  at.spend(Overhead::sync_entry);
  if (n > 1) at.spend(Overhead::sync_round);
  at.signal_each(signals);
  at.wait_each(waits);
  at.group_sync();
}

}  // namespace shmemu
