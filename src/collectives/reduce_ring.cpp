// Beyond NVSHMEM: a ring. The vector is cut into as many parts as there are members; in n - 1 steps a part goes round
// and every member adds its own, in n - 1 more steps the sums go round. Parts arrive in the destination itself, which a
// neighbour may write only when everybody has left the call before: it ends with a synchronisation.
#include "collectives/algorithms.hpp"

namespace shmemu {

void reduce_ring(Endpoint& at, const Synchronisation& how, const Call& call) {
  auto n = static_cast<uint64_t>(at.size()), me = static_cast<uint64_t>(at.me());
  int next = static_cast<int>((me + 1) % n);
  uint64_t each = call.count / n;
  auto first = [&](uint64_t part) { return part * each; };
  auto count = [&](uint64_t part) { return part == n - 1 ? call.count - each * (n - 1) : each; };
  auto place = [&](const void* base, uint64_t part) {
    return const_cast<char*>(static_cast<const char*>(base)) + first(part) * call.element_bytes;
  };
  if (at.leader()) at.state(Tally::rings) += 2 * n;
  at.group_sync();
  uint64_t number = at.state(Tally::rings);
  at.spend(Overhead::entry);
  uint64_t sent = number, received = number;  // counted, not taken from the step: an endpoint may skip steps
  auto send = [&](const void* from, uint64_t part) {
    at.put({place(call.dest, part), from, count(part) * call.element_bytes, next});
    at.group_sync();
    if (at.leader()) {
      at.fence();  // also orders the signals of two steps
      at.signal({slots::kRing, next, ++sent, Signal::Kind::set});
    }
  };
  auto receive = [&] {
    ++received;
    if (at.leader()) at.wait(slots::kRing, received);
    at.group_sync();
  };
  if (n == 1) {
    at.put({call.dest, call.source, call.bytes(), 0});
    return at.group_sync();
  }
  send(place(call.source, me), me);
  auto pass_on = [&](uint64_t step, bool add) {
    uint64_t part = (me + 2 * n - step - 1) % n;
    receive();
    if (add) {
      if (at.leader()) at.combine(place(call.dest, part), place(call.source, part), count(part));
      at.spend(Overhead::combine_received, count(part));
      at.group_sync();
    }
    send(place(call.dest, part), part);
  };
  auto lag = static_cast<int>(n);
  std::function<uint64_t(uint64_t)> alike;  // where all parts are equal
  if (call.count % n == 0) alike = [](uint64_t) { return 0; };
  at.repeat({n - 1, alike, lag}, [&](uint64_t step) { pass_on(step, true); });
  at.repeat({n - 2, alike, lag}, [&](uint64_t step) { pass_on(n - 1 + step, false); });
  receive();
  barrier(at, how);
}

}  // namespace shmemu
