// Everybody puts its part to everybody, itself first, then all synchronise. (NVSHMEM: one-shot)
#include "collectives/algorithms.hpp"

namespace shmemu {

void fcollect_put(Endpoint& at, const Synchronisation& how, const Call& call) {
  char* mine = static_cast<char*>(call.dest) + static_cast<uint64_t>(at.me()) * call.bytes();
  at.spend(Overhead::entry);
  for (int i = 0; i < at.size(); ++i) {
    at.spend(Overhead::peer);
    at.put({mine, call.source, call.bytes(), (at.me() + i) % at.size()});
  }
  barrier(at, how);
}

}  // namespace shmemu
