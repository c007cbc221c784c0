#include "deepep/wire.hpp"

namespace shmemu::deepep {

Wire::Wire(EventQueue& queue, const Platform& platform, const Setup& setup, const Costs& costs, int queues_per_rank,
           WireSink& sink)
    : events_(queue),
      nic_(*platform.nic),
      setup_(setup),
      post_(costs.post.value_or(platform.nic->post)),
      atomic_service_(costs.ll.atomic_service),
      // Packets on one path arrive in order, so an atomic need not wait; on many paths the adapter holds it back.
      order_wait_(setup.adaptive_routing ? costs.ll.order_wait : platform.nic->atomic),
      switch_latency_(platform.fabric.switch_latency),
      rate_{nic_.line_rate.bytes_per_second * setup.nic_scale * static_cast<double>(nic_.packet) /
            static_cast<double>(nic_.packet + nic_.packet_overhead)},
      fabric_(platform, setup.ep),
      sink_(sink),
      queues_per_rank_(queues_per_rank),
      per_node_(ranks_per_node(setup, platform)),
      queues_(static_cast<size_t>(setup.ep) * static_cast<size_t>(queues_per_rank)) {
  int share = per_node_ / setup.nics_per_node;
  for (int r = 0; r < setup.ep; ++r) adapter_of_.push_back(r / per_node_ * setup.nics_per_node + r % per_node_ / share);
  adapters_.resize(static_cast<size_t>(adapter_of_.back()) + 1);
  for (size_t i = 0; i < adapters_.size(); ++i)
    adapters_[i].random = std::make_unique<Random>(setup.seed * 7919 + i + 1);
  if (fabric_.leaves() < 2) return;
  auto links = static_cast<size_t>(std::max(1.0, platform.fabric.leaf_ports / platform.fabric.oversubscription));
  up_.assign(static_cast<size_t>(fabric_.leaves()), std::vector<Server>(setup.adaptive_routing ? 1 : links));
  down_ = up_;
  spine_rate_ = setup.adaptive_routing ? fabric_.uplink() : nic_.line_rate;
}

Time Wire::flight(int from, int to, bool small) const {
  Time t = nic_.flight + (small ? Time{} : nic_.payload_fetch);
  int switches = fabric_.switches_between({from}, {to});
  return switches > 1 ? t + switch_latency_ * (switches - 1) : t;  // `flight` is below one switch
}

Time Wire::service(const Message& m) const {
  if (m.kind == Kind::atomic) return atomic_service_;
  return std::max(rate_.time_for(m.bytes), nic_.request);
}

void Wire::post(int rank, int queue, const Message& message, bool ring) {
  uint32_t index;
  if (free_ != kNone) {
    index = free_, free_ = nodes_[index].next;
  } else {
    index = static_cast<uint32_t>(nodes_.size());
    nodes_.emplace_back();
  }
  nodes_[index] = {message, rank, kNone};
  size_t number = static_cast<size_t>(rank) * static_cast<size_t>(queues_per_rank_) + static_cast<size_t>(queue);
  Queue& q = queues_[number];
  (q.tail == kNone ? q.head : nodes_[q.tail].next) = index;
  q.tail = index;
  ++q.queued;
  if (!ring) return;
  ++totals_.doorbells;
  int adapter = adapter_of(rank);
  if (!q.rung) adapters_[static_cast<size_t>(adapter)].active.push_back(static_cast<uint32_t>(number));
  q.rung = q.queued;
  pump(adapter);
}

// Adaptive routing spreads packets over all links of a leaf, up and down. Static routes: each queue pair keeps to one
// link of each, chosen by a hash, and shares it with whoever hashes there too.
Time Wire::through_spine(int from, int to, uint64_t queue, Time at, uint64_t bytes) {
  if (up_.empty() || fabric_.same_leaf({from}, {to})) return at;
  auto &up = up_[static_cast<size_t>(fabric_.leaf_of({from}))],
       &down = down_[static_cast<size_t>(fabric_.leaf_of({to}))];
  Random hash(queue * 0x9e3779b97f4a7c15ull + 1);
  Time work = spine_rate_.time_for(bytes);
  Time one = up[hash.below(up.size())].serve(at, work) - work;
  return down[hash.below(down.size())].serve(one, work) - work;
}

void Wire::pump(int number) {
  Adapter& a = adapters_[static_cast<size_t>(number)];
  if (a.sending || a.active.empty()) return;
  size_t at = a.random->below(a.active.size());
  uint32_t queue = a.active[at];
  Queue& q = queues_[queue];
  uint32_t index = q.head;
  Node node = nodes_[index];
  q.head = node.next;
  if (q.head == kNone) q.tail = kNone;
  nodes_[index].next = free_, free_ = index;
  --q.queued;
  if (!--q.rung) a.active[at] = a.active.back(), a.active.pop_back();
  const Message& m = node.message;
  Time work = service(m), now = events_.now();
  a.sending = true;
  a.out.serve(now, work);
  ++(m.kind == Kind::atomic ? totals_.atomics : totals_.messages);
  Time begin = through_spine(node.from, m.to, queue, now, m.bytes);
  // In the order of sending, which is that of arrival but for the length of the ways.
  Time end =
      adapters_[static_cast<size_t>(adapter_of(m.to))].in.serve(begin + flight(node.from, m.to, m.bytes <= 8), work);
  if (m.notify) {
    Time seen = m.order_wait ? end + order_wait_ : end;
    events_.at(seen, Rank::memory,
               [sink = &sink_, from = node.from, to = m.to, tag = m.tag] { sink->arrived(from, to, tag); });
  }
  Time free = now + work;
  if (m.drain) free += flight(node.from, m.to) + nic_.acknowledge;
  events_.at(free, Rank::agent, [this, number] {
    adapters_[static_cast<size_t>(number)].sending = false;
    pump(number);
  });
}

}  // namespace shmemu::deepep
