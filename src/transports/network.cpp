#include "transports/network.hpp"

#include <algorithm>

namespace shmemu {

Network::Network(EventQueue& queue, const Platform& platform, int gpus, StandIn stand_in)
    : queue_(queue),
      nic_(*platform.nic),
      switch_latency_(platform.fabric.switch_latency),
      stand_in_(std::move(stand_in)),
      fabric_(platform, gpus),
      links_(queue, 2 * gpus + 2 * fabric_.leaves()),
      adapters_(static_cast<size_t>(gpus)) {}

void Network::send(Queue& q, Request request) {
  q.entries_.push_back(std::make_unique<Queue::Entry>(Queue::Entry{std::move(request), queue_.now()}));
  pump(q);
}

// The adapter takes the queue pair's next request if it may.
void Network::pump(Queue& q) {
  if (q.sending_ || q.taken_ == q.entries_.size()) return;
  q.sending_ = true;
  Time now = queue_.now();
  if (q.next_ > now) {
    queue_.at(q.next_, Rank::agent, [this, queue = &q] {
      queue->sending_ = false;
      pump(*queue);
    });
    return;
  }
  Queue::Entry* e = q.entries_[q.taken_++].get();
  Adapter& a = adapter(e->request.from);
  Time start = std::max(now, a.next);
  a.next = start + nic_.request * e->request.entries;
  q.next_ = start + std::max(nic_.queue_request * e->request.entries, e->request.turn);
  queue_.at(std::max(start, e->rung + e->request.fetch), Rank::agent, [this, queue = &q, e] { leave(*queue, e); });
}

uint64_t Network::wire_bytes(uint64_t bytes, uint32_t packets) const {
  return bytes + nic_.packet_overhead * std::max<uint64_t>((bytes + nic_.packet - 1) / nic_.packet, packets);
}

Time Network::carry_small(GpuId from, GpuId to, uint64_t wire) {
  Time needed = nic_.line_rate.time_for(wire);
  Time& out = adapter(from).out;
  Time& in = adapter(to).in;
  out = std::max(out, queue_.now()) + needed;
  return in = std::max(out, in + needed);
}

void Network::carry(GpuId from, GpuId to, uint64_t wire, Action done) {
  auto port = [](int number, Rate rate) { return FairLinks::Hop{number, rate, 0, {}}; };
  FairLinks::Request r{{}, wire, nic_.line_rate};
  GpuId out = port_of(from), in = port_of(to);
  r.hops.push_back(port(2 * out.value, nic_.line_rate));
  if (!fabric_.same_leaf(from, to)) {
    int leaves = 2 * static_cast<int>(adapters_.size());
    r.hops.push_back(port(leaves + 2 * fabric_.leaf_of(out), fabric_.uplink()));
    r.hops.push_back(port(leaves + 2 * fabric_.leaf_of(in) + 1, fabric_.uplink()));
  }
  r.hops.push_back(port(2 * in.value + 1, nic_.line_rate));
  links_.start(std::move(r), std::move(done));
}

// The constant holds for one switch on the way.
Time Network::flight(GpuId from, GpuId to) const {
  int switches = fabric_.switches_between(from, to);
  return nic_.flight + switch_latency_ * (switches - 1);
}

void Network::leave(Queue& q, Queue::Entry* e) {
  Request& r = e->request;
  if (r.kind != Kind::read) r.read_source();
  uint64_t bytes = r.kind == Kind::read ? 0 : r.bytes, wire = wire_bytes(bytes, r.packets);
  if (bytes <= nic_.packet) return sent(q, e, carry_small(r.from, r.to, wire));
  carry(r.from, r.to, wire, [this, queue = &q, e] { sent(*queue, e, queue_.now()); });
}

// The last byte leaves at `end`; the next request may follow.
void Network::sent(Queue& q, Queue::Entry* e, Time end) {
  Request& r = e->request;
  q.sending_ = false;
  q.next_ = std::max(q.next_, end);
  Time arrival = end + flight(r.from, r.to);
  if (r.kind == Kind::atomic || r.then_atomic) arrival += nic_.atomic;
  q.last_arrival_ = arrival = std::max(arrival, q.last_arrival_);
  queue_.at(arrival, Rank::memory, [this, queue = &q, e] {
    e->request.arrived();
    if (e->request.kind == Kind::read) return answer(*queue, e);
    complete(*queue, e, queue_.now() + nic_.acknowledge);
  });
  pump(q);
}

void Network::answer(Queue& q, Queue::Entry* e) {
  Request& r = e->request;
  uint64_t wire = wire_bytes(r.bytes, r.packets);
  if (r.bytes <= nic_.packet) return complete(q, e, carry_small(r.to, r.from, wire) + nic_.acknowledge + r.turn);
  carry(r.to, r.from, wire,
        [this, queue = &q, e] { complete(*queue, e, queue_.now() + nic_.acknowledge + e->request.turn); });
}

// Completion entries are written in order: one that is ready early waits for those before it.
void Network::complete(Queue& q, Queue::Entry* e, Time when) {
  e->finished = when;
  while (!q.entries_.empty() && q.entries_.front()->finished) {
    std::unique_ptr<Queue::Entry> first = std::move(q.entries_.front());
    q.entries_.erase(q.entries_.begin());
    --q.taken_;
    q.last_completion_ = std::max({q.last_completion_, *first->finished, queue_.now()});
    queue_.at(q.last_completion_, Rank::agent, [owned = std::move(first)] { owned->request.completed(); });
  }
}

}  // namespace shmemu
