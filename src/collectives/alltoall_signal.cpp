// With peers that only a NIC reaches: puts with signal to them by a thread each, copies to the near ones meanwhile and
// a signal each, and a wait for everybody's signal instead of a barrier. Two sets of signal words take turns.
#include "collectives/algorithms.hpp"

namespace shmemu {

void alltoall_signal(Endpoint& at, const Call& call) {
  constexpr uint64_t kScalar = 16,
                     kWarpEach = 16384;  // NVSHMEM 3.3.9: up to 16 B by a thread, up to 16 KiB a warp per peer
  uint64_t bytes = call.bytes();
  int n = at.size(), me = at.me();
  if (at.leader()) ++at.state(Tally::alltoalls);
  at.group_sync();
  uint64_t number = at.state(Tally::alltoalls);
  int set = slots::kAlltoall + static_cast<int>(number % 2) * n;
  auto put_to = [&](int peer) {
    return Put{static_cast<char*>(call.dest) + static_cast<uint64_t>(me) * bytes,
               static_cast<const char*>(call.source) + static_cast<uint64_t>(peer) * bytes, bytes, peer};
  };
  std::vector<Put> far, near;
  std::vector<Signal> signals;
  std::vector<SignalWait> waits;
  for (int i = 0; i < n; ++i) {
    int peer = (me + i) % n;
    (at.load_store(peer) ? near : far).push_back(put_to(peer));
    if (at.load_store(peer)) signals.push_back({set + me, peer, 1, Signal::Kind::add});
    waits.push_back({set + peer, (number + 1) / 2});
  }
  at.spend(Overhead::sync_entry);
  at.put_signal_each(far, set + me);
  if (bytes > kScalar && bytes <= kWarpEach) {
    at.put_each(near);
  } else {
    for (const Put& p : near) at.put(p);
  }
  at.group_sync();
  if (at.leader()) at.store_fence();
  at.group_sync();
  at.signal_each(signals);
  at.wait_each(waits);
  at.group_sync();
  if (at.leader()) at.quiet();
  at.group_sync();
}

}  // namespace shmemu
