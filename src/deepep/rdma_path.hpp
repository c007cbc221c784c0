// How HT's chunks reach the other nodes: one RDMA write of the chunk and an atomic on the tail behind it. `newest`: GPU
// warps post both on the channel's own queue pair. `feb25`: the CPU proxy posts both, one request after the other, and
// the head credits too, on one queue pair per peer, with a fence between data and tail. Guess: the fences of a sweep
// over the peers come to one drain of the adapter (docs/design/deepep.md). Under the two HT protocols.
#pragma once
#include <vector>

#include "deepep/channels.hpp"
#include "deepep/wire.hpp"

namespace shmemu::deepep {

class RdmaPath : public WireSink {
 public:
  // `arrived(from, to, tag)` when a poller of `to` sees the new tail.
  RdmaPath(EventQueue& events, const Platform& platform, const Costs& costs, const Setup& setup, int channels,
           WireSink& sink);
  void send(int from, int to, int channel, uint64_t bytes, uint64_t tag);
  // When a head counter that `from` returns now is seen by `to`.
  Time credit_seen(int from, int to);
  Time post_time() const { return wire_.post_time(); }
  const Wire& wire() const { return wire_; }

 private:
  void arrived(int from, int to, uint64_t tag) override { sink_.arrived(from, to, tag); }
  EventQueue& events_;
  const Platform& platform_;
  bool proxied_;
  int per_node_, nodes_;
  WireSink& sink_;
  std::vector<int> since_drain_;  // chunks of each rank
  std::vector<Server> proxies_;   // the CPU thread of each rank
  Wire wire_;
};

}  // namespace shmemu::deepep
