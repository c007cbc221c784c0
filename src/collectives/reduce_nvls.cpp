// Sums by the switch (NVLS): loads that add up the words of all members, stores that reach all of them. One-shot:
// everybody loads every sum. Two-shot: everybody loads the sums of its part and stores them at all. As in NVSHMEM
// nobody waits for the others' entry: sources must be in place before.
#include "collectives/algorithms.hpp"

namespace shmemu {

void reduce_nvls_one_shot(Endpoint& at, const Synchronisation& how, const Call& call) {
  at.group_sync();
  at.spend(Overhead::multicast_entry);
  at.multicast({call.dest, call.source, call.count, call.element_bytes, true, false});
  sync(at, how);
}

void reduce_nvls_two_shot(Endpoint& at, const Synchronisation& how, const Call& call) {
  auto n = static_cast<uint64_t>(at.size()), me = static_cast<uint64_t>(at.me());
  uint64_t each = call.count / n, mine = me == n - 1 ? call.count - each * (n - 1) : each;
  uint64_t offset = me * each * call.element_bytes;
  at.group_sync();
  at.spend(Overhead::multicast_entry);
  if (mine)
    at.multicast({static_cast<char*>(call.dest) + offset, static_cast<const char*>(call.source) + offset, mine,
                  call.element_bytes, true, true});
  at.spend(Overhead::multicast_fence);
  barrier(at, how);
}

// Everybody loads the sums of its part.
void reducescatter_nvls(Endpoint& at, const Synchronisation& how, const Call& call) {
  at.group_sync();
  at.spend(Overhead::multicast_entry);
  at.multicast({call.dest, static_cast<const char*>(call.source) + static_cast<uint64_t>(at.me()) * call.bytes(),
                call.count, call.element_bytes, true, false});
  sync(at, how);
}

// Everybody stores its part at all.
void fcollect_nvls(Endpoint& at, const Synchronisation& how, const Call& call) {
  at.group_sync();
  at.spend(Overhead::entry);
  at.multicast({static_cast<char*>(call.dest) + static_cast<uint64_t>(at.me()) * call.bytes(), call.source, call.count,
                call.element_bytes, false, true});
  at.spend(Overhead::multicast_fence);
  barrier(at, how);
}

}  // namespace shmemu
