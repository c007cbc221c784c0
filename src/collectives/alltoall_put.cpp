// Block i of everybody's source goes to PE i by puts, itself first, then all synchronise.
#include "collectives/algorithms.hpp"

namespace shmemu {

void alltoall_put(Endpoint& at, const Synchronisation& how, const Call& call) {
  uint64_t bytes = call.bytes();
  char* mine = static_cast<char*>(call.dest) + static_cast<uint64_t>(at.me()) * bytes;
  at.spend(Overhead::entry);
  for (int i = 0; i < at.size(); ++i) {
    int peer = (at.me() + i) % at.size();
    at.spend(Overhead::peer);
    at.put({mine, static_cast<const char*>(call.source) + static_cast<uint64_t>(peer) * bytes, bytes, peer});
  }
  barrier(at, how);
}

}  // namespace shmemu
