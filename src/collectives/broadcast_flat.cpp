// The root puts to everybody and signals; nobody waits for the others at the end.
#include "collectives/algorithms.hpp"

namespace shmemu {

void broadcast_flat(Endpoint& at, const Synchronisation&, const Call& call) {
  if (at.leader()) ++at.state(Tally::broadcasts, call.root);
  at.group_sync();
  uint64_t number = at.state(Tally::broadcasts, call.root);
  int slot = slots::broadcast(at.size(), call.root);
  at.spend(Overhead::broadcast_flat);
  if (at.me() == call.root) {
    for (int i = 1; i < at.size(); ++i) at.put({call.dest, call.source, call.bytes(), (call.root + i) % at.size()});
    at.group_sync();
    if (at.leader()) {
      if (at.size() > 1) at.fence();
      for (int i = 1; i < at.size(); ++i) at.signal({slot, (call.root + i) % at.size(), number, Signal::Kind::set});
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
