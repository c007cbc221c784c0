#include "deepep/rdma_path.hpp"

namespace shmemu::deepep {

RdmaPath::RdmaPath(EventQueue& events, const Platform& platform, const Costs& costs, const Setup& setup, int channels,
                   WireSink& sink)
    : events_(events),
      platform_(platform),
      proxied_(setup.version == Version::feb25),
      per_node_(ranks_per_node(setup, platform)),
      nodes_(nodes_of(setup, platform)),
      sink_(sink),
      since_drain_(static_cast<size_t>(setup.ep)),
      proxies_(proxied_ ? static_cast<size_t>(setup.ep) : 0),
      wire_(events, platform, setup, costs, (proxied_ ? 1 : channels) * nodes_of(setup, platform), *this) {}

void RdmaPath::send(int from, int to, int channel, uint64_t bytes, uint64_t tag) {
  int node = to / per_node_;
  if (!proxied_) {
    wire_.post(from, channel * nodes_ + node,
               {to, static_cast<uint32_t>(bytes), tag, Wire::Kind::write, true, false, false}, true);
    return;
  }
  const ProxyModel& proxy = platform_.host.proxy;
  Server& cpu = proxies_[static_cast<size_t>(from)];
  Time data = cpu.serve(events_.now() + proxy.enqueue + proxy.pick_up, proxy.request),
       tail = cpu.serve(data, proxy.request);
  int& chunks = since_drain_[static_cast<size_t>(from)];
  bool drain = ++chunks >= nodes_ - 1;
  if (drain) chunks = 0;
  events_.at(data, shmemu::Rank::agent, [=, this] {
    wire_.post(from, node, {to, static_cast<uint32_t>(bytes), 0, Wire::Kind::write, false, false, drain}, true);
  });
  events_.at(tail, shmemu::Rank::agent, [=, this] {
    wire_.post(from, node, {to, 8, tag, Wire::Kind::atomic, true, false, false}, true);
  });
}

Time RdmaPath::credit_seen(int from, int to) {
  if (!proxied_) return events_.now() + wire_.post_time() + wire_.flight(from, to, true);
  const ProxyModel& proxy = platform_.host.proxy;
  return proxies_[static_cast<size_t>(from)].serve(events_.now() + proxy.enqueue + proxy.pick_up, proxy.request) +
         wire_.flight(from, to, true);
}

}  // namespace shmemu::deepep
