// In round r a PE signals those j·k^r ahead of it, j = 1 … k-1, and waits for those as far behind: ceil(log_k n)
// rounds. (NVSHMEM 3.3.9 shifts by one bit a round for every radix, so that k >= 4 with n > k does not reach everybody;
// here the radix is the radix.)
#include "collectives/algorithms.hpp"

namespace shmemu {

void sync_dissemination(Endpoint& at, int radix, bool gathered) {
  if (!gathered || radix != 2) at.group_sync();
  int n = at.size(), me = at.me();
  if (radix == 2) {
    if (at.leader()) {
      at.spend(Overhead::sync_entry);
      uint64_t number = ++at.state(Tally::syncs);
      for (int64_t distance = 1, round = 0; distance < n; distance *= 2, ++round) {
        at.spend(Overhead::sync_round);
        int slot = slots::turn(number) + slots::kSync + static_cast<int>(round);
        at.signal({slot, static_cast<int>((me + distance) % n), number});
        at.wait(slot, number);
      }
    }
    at.group_sync();
    return;
  }
  if (at.leader()) ++at.state(Tally::syncs);
  at.spend(Overhead::sync_entry);
  at.group_sync();
  uint64_t number = at.state(Tally::syncs);
  int round = 0;
  for (int64_t distance = 1; distance < n; distance *= radix, ++round) {
    std::vector<Signal> signals;
    std::vector<SignalWait> waits;
    for (int j = 1; j < radix && j * distance < n; ++j) {
      int slot = slots::turn(number) + slots::kSync + round * (radix - 1) + j - 1;
      signals.push_back({slot, static_cast<int>((me + j * distance) % n), number});
      waits.push_back({slot, number});
    }
    at.spend(Overhead::sync_round);
    at.signal_each(signals);
    at.wait_each(waits);
    at.group_sync();
  }
}

}  // namespace shmemu
