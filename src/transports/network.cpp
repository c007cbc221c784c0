#include "transports/network.hpp"

#include <algorithm>

namespace shmemu {

Network::Network(EventQueue& queue, const Platform& platform, int gpus)
    : queue_(queue),
      nic_(*platform.nic),
      switch_latency_(platform.fabric.switch_latency),
      fabric_(platform, gpus),
      links_(queue, 2 * gpus + 2 * fabric_.leaves()),
      adapters_(static_cast<size_t>(gpus)) {}

void Network::send(Queue& q, Request request) {
  q.waiting_.push_back(std::make_unique<Queue::Waiting>(Queue::Waiting{std::move(request), queue_.now()}));
  pump(q);
}

// The adapter takes the queue pair's next request if it may.
void Network::pump(Queue& q) {
  if (q.sending_ || q.waiting_.empty()) return;
  q.sending_ = true;
  Time now = queue_.now();
  if (q.next_ > now) {
    queue_.at(q.next_, Rank::agent, [this, queue = &q] {
      queue->sending_ = false;
      pump(*queue);
    });
    return;
  }
  Queue::Waiting* w = q.waiting_.front().release();
  q.waiting_.pop_front();
  Adapter& a = adapter(w->request.from);
  Time start = std::max(now, a.next);
  a.next = start + nic_.request * w->request.entries;
  q.next_ = start + std::max(nic_.queue_request * w->request.entries, w->request.turn);
  queue_.at(std::max(start, w->rung + w->request.fetch), Rank::agent, [this, queue = &q, w] { leave(*queue, w); });
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
  r.hops.push_back(port(2 * from.value, nic_.line_rate));
  if (!fabric_.same_leaf(from, to)) {
    int leaves = 2 * static_cast<int>(adapters_.size());
    r.hops.push_back(port(leaves + 2 * fabric_.leaf_of(from), fabric_.uplink()));
    r.hops.push_back(port(leaves + 2 * fabric_.leaf_of(to) + 1, fabric_.uplink()));
  }
  r.hops.push_back(port(2 * to.value + 1, nic_.line_rate));
  links_.start(std::move(r), std::move(done));
}

// The constant holds for one switch on the way.
Time Network::flight(GpuId from, GpuId to) const {
  int switches = fabric_.switches_between(from, to);
  return nic_.flight + switch_latency_ * (switches - 1);
}

void Network::leave(Queue& q, Queue::Waiting* w) {
  Request& r = w->request;
  if (r.kind != Kind::read) r.read_source();
  uint64_t bytes = r.kind == Kind::read ? 0 : r.bytes, wire = wire_bytes(bytes, r.packets);
  if (bytes <= nic_.packet) return sent(q, w, carry_small(r.from, r.to, wire));
  carry(r.from, r.to, wire, [this, queue = &q, w] { sent(*queue, w, queue_.now()); });
}

// The last byte leaves at `end`; the next request may follow.
void Network::sent(Queue& q, Queue::Waiting* w, Time end) {
  Request& r = w->request;
  q.sending_ = false;
  q.next_ = std::max(q.next_, end);
  Time arrival = end + flight(r.from, r.to);
  if (r.kind == Kind::atomic || r.then_atomic) arrival += nic_.atomic;
  q.last_arrival_ = arrival = std::max(arrival, q.last_arrival_);
  queue_.at(arrival, Rank::memory, [this, queue = &q, w] {
    w->request.arrived();
    if (w->request.kind == Kind::read) return answer(*queue, w);
    complete(*queue, w, queue_.now() + nic_.acknowledge);
  });
  pump(q);
}

void Network::answer(Queue& q, Queue::Waiting* w) {
  Request& r = w->request;
  uint64_t wire = wire_bytes(r.bytes, r.packets);
  if (r.bytes <= nic_.packet) return complete(q, w, carry_small(r.to, r.from, wire) + nic_.acknowledge + r.turn);
  carry(r.to, r.from, wire, [this, queue = &q, w] {
    complete(*queue, w, queue_.now() + nic_.acknowledge + w->request.turn);
  });
}

void Network::complete(Queue& q, Queue::Waiting* w, Time when) {
  q.last_completion_ = when = std::max(when, q.last_completion_);
  queue_.at(when, Rank::agent, [owned = std::unique_ptr<Queue::Waiting>(w)] { owned->request.completed(); });
}

}  // namespace shmemu
