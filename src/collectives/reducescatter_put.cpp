// Everybody puts its part of everybody's result into their work space, barrier, then adds the parts in order. What does
// not fit half of the work space goes in slices (NVSHMEM 3.3.9 stops with an assertion there).
#include <algorithm>

#include "collectives/algorithms.hpp"

namespace shmemu {

void reducescatter_put(Endpoint& at, const Synchronisation& how, const Call& call) {
  auto n = static_cast<uint64_t>(at.size()), me = static_cast<uint64_t>(at.me());
  uint64_t half = at.scratch_bytes(Area::reduce) / 2;
  uint64_t most = std::max<uint64_t>(1, half / n / call.element_bytes);
  at.spend(Overhead::entry);
  for (uint64_t first = 0; first < call.count; first += most) {
    uint64_t count = std::min(most, call.count - first), bytes = count * call.element_bytes;
    char* work = next_half(at);
    for (uint64_t i = 0; i < n; ++i) {
      uint64_t peer = (me + i) % n;
      at.spend(Overhead::peer);
      at.put({work + me * bytes,
              static_cast<const char*>(call.source) + (peer * call.count + first) * call.element_bytes, bytes,
              static_cast<int>(peer)});
    }
    barrier(at, how);
    char* dest = static_cast<char*>(call.dest) + first * call.element_bytes;
    if (at.leader()) {
      at.copy(dest, work, bytes);
      for (uint64_t i = 1; i < n; ++i) at.combine(dest, work + i * bytes, count);
    }
    for (uint64_t i = 1; i < n; ++i) at.spend(Overhead::combine_received, count);
    at.group_sync();
  }
}

}  // namespace shmemu
