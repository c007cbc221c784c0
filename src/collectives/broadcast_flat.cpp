// The root puts to everybody and signals, to those that loads and stores reach one after the other; nobody waits for
// the others at the end. (NVSHMEM 3.3.9: the flat tree of put with signal.)
#include "collectives/algorithms.hpp"

namespace shmemu {

void broadcast_flat(Endpoint& at, const Synchronisation&, const Call& call) {
  if (at.leader()) ++at.state(Tally::broadcasts, call.root);
  at.group_sync();
  uint64_t number = at.state(Tally::broadcasts, call.root);
  int slot = slots::broadcast(at.size(), call.root);
  at.spend(Overhead::broadcast_flat);
  if (at.me() == call.root) {
    std::vector<int> near, far;
    for (int i = 1; i < at.size(); ++i) {
      int peer = (call.root + i) % at.size();
      (at.load_store(peer) ? near : far).push_back(peer);
    }
    if (at.size() > 2)  // the first one's are in broadcast_flat
      at.spend(Overhead::peer, lookups_of(at, static_cast<size_t>(at.size() - 2)));
    for (int peer : far) at.put({call.dest, call.source, call.bytes(), peer});
    if (!far.empty()) at.group_sync();
    if (at.leader() && !far.empty()) {
      at.fence();
      for (int peer : far) at.signal({slot, peer, number, Signal::Kind::set});
    }
    for (int peer : near) {  // a put with signal each: the fence empties L1, so each copy reads the source again
      at.put({call.dest, call.source, call.bytes(), peer});
      at.group_sync();
      if (!at.leader()) continue;
      at.fence();
      at.signal({slot, peer, number, Signal::Kind::set});
    }
    at.put({call.dest, call.source, call.bytes(), call.root});
    at.group_sync();
    if (at.leader()) at.quiet();
  } else if (at.leader()) {
    at.spend(Overhead::broadcast_receive);
    at.wait(slot, number);
  }
  at.group_sync();
}

}  // namespace shmemu
