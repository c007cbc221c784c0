// The root puts to everybody, then all synchronise.
#include "collectives/algorithms.hpp"

namespace shmemu {

void broadcast_put(Endpoint& at, const Synchronisation& how, const Call& call) {
  at.spend(Overhead::entry);
  if (at.me() == call.root)
    for (int i = 0; i < at.size(); ++i) {
      at.spend(Overhead::peer);
      at.put({call.dest, call.source, call.bytes(), (call.root + i) % at.size()});
    }
  barrier(at, how);
}

}  // namespace shmemu
