#include "model/engines/ports.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/errors.hpp"

namespace shmemu {

PortsEngine::PortsEngine(const Wiring& wiring, FlowListener& listener, Told told)
    : told_(told), wiring_(wiring), listener_(listener) {
  for (Rate r : wiring.ports()) ps_per_byte_.push_back(1e12 / r.bytes_per_second);
}

FlowId PortsEngine::submit(const Flow& flow, Time at) {
  SHMEMU_ASSERT(at >= now() && flow.bytes > 0, fmt::format("{} B at {} ps, clock at {} ps", flow.bytes, at.ps, now_));
  Route route = wiring_.route(flow.from, flow.to);
  Record record{route.ports, flow.bytes, 0, static_cast<uint32_t>(route.latency.ps),
                static_cast<uint32_t>(route.acknowledge.ps)};
  FlowId id;
  if (free_.empty()) {
    id = static_cast<FlowId>(flows_.size());
    flows_.push_back(record);
  } else {
    id = free_.back();
    free_.pop_back();
    flows_[id] = record;
  }
  started(id);
  later(static_cast<uint64_t>(at.ps), id, at_port);
  return id;
}

void PortsEngine::advance(Time until) {
  auto end = static_cast<uint64_t>(until.ps);
  while (!heap_.empty() && heap_.next_time() <= end) {
    auto [ps, key] = heap_.pop();
    now_ = ps;
    auto number = static_cast<uint32_t>(key >> 8);
    auto what = static_cast<unsigned>(key & 255);
    if (what < accepted)
      arrive(number, what);
    else if (what == turn)
      take_turn(number);
    else
      tell(number, what);
  }
  if (until != Time::max()) now_ = std::max(now_, end);
}

void PortsEngine::arrived(FlowId flow, uint64_t end) {
  later(end, flow, delivered);
  if (told_.acknowledged) later(end + flows_[flow].acknowledge, flow, acknowledged);
}

void PortsEngine::tell(FlowId flow, unsigned what) {
  ++events_;
  if (what == (told_.acknowledged ? acknowledged : delivered)) free_.push_back(flow);
  listener_.happened(flow, static_cast<FlowEvent>(what - accepted), now());
}

FifoPorts::FifoPorts(const Wiring& wiring, FlowListener& listener, Told told)
    : PortsEngine(wiring, listener, told), free_at_(wiring.ports().size()) {}

// The first byte is here. The latency of the whole way is paid behind the first port.
void FifoPorts::arrive(FlowId flow, unsigned hop) {
  Record& r = flows_[flow];
  uint32_t port = r.ports[hop];
  uint64_t begin = std::max(now_, free_at_[port]);
  free_at_[port] = begin + time_for(port, r.bytes);  // a fast port does not wait for bytes that come slowly
  uint64_t end = std::max(free_at_[port], r.tail);
  uint64_t way = hop == 0 ? r.latency : 0;
  r.tail = end + way;
  if (hop == 0 && told_.accepted) later(end, flow, accepted);
  if (!last(r, hop)) return later(begin + way, flow, hop + 1);
  if (told_.first_byte) later(begin + way, flow, first_byte);
  arrived(flow, r.tail);
}

FairPorts::FairPorts(const Wiring& wiring, FlowListener& listener, Told told, uint64_t chunk)
    : PortsEngine(wiring, listener, told), chunk_(chunk), ports_(wiring.ports().size()) {
  for (uint32_t p = 0; p < ports_.size(); ++p) ports_[p].chunk_ps = time_for(p, chunk);
}

void FairPorts::started(FlowId flow) {
  if (seats_.size() < 4 * size_t{flow} + 4) seats_.resize(4 * size_t{flow} + 4);
  auto chunks = static_cast<uint32_t>((flows_[flow].bytes + chunk_ - 1) / chunk_);
  for (unsigned hop = 0; hop < 4; ++hop) seats_[4 * flow + hop] = {kNone, 0, chunks};
}

// One chunk has come; at the first port all of them.
void FairPorts::arrive(FlowId flow, unsigned hop) {
  uint32_t number = 4 * flow + hop, p = flows_[flow].ports[hop];
  Seat& seat = seats_[number];
  Port& port = ports_[p];
  seat.waiting += hop == 0 ? seat.unserved : 1;
  if (seat.waiting > 1 && hop != 0) return;  // sits already
  sit(port, number);
  if (port.turning) return;
  if (port.free_at <= now_) return take_turn(p);
  port.turning = true;
  later(port.free_at, p, turn);
}

void FairPorts::sit(Port& port, uint32_t seat) {
  seats_[seat].next = kNone;
  (port.first == kNone ? port.first : seats_[port.last].next) = seat;
  port.last = seat;
}

// A chunk of every flow that waits. Who comes meanwhile waits for the next turn.
void FairPorts::take_turn(uint32_t p) {
  Port& port = ports_[p];
  uint64_t time = now_;
  uint32_t end = port.last, seat;
  do {
    seat = port.first;
    port.first = seats_[seat].next;
    time = serve(p, seat, time);
    if (seats_[seat].waiting) sit(port, seat);
  } while (seat != end);
  port.free_at = time;
  port.turning = port.first != kNone;
  if (port.turning) later(time, p, turn);
}

// -> when the port has passed the chunk on.
uint64_t FairPorts::serve(uint32_t p, uint32_t number, uint64_t begin) {
  FlowId flow = number / 4;
  unsigned hop = number % 4;
  const Record& r = flows_[flow];
  Seat& seat = seats_[number];
  auto chunk_time = [&](uint32_t port, uint64_t bytes) {
    return bytes == chunk_ ? ports_[port].chunk_ps : time_for(port, bytes);
  };
  auto chunks = (r.bytes + chunk_ - 1) / chunk_;
  bool first = seat.unserved == chunks;
  --seat.waiting;
  uint64_t bytes = --seat.unserved ? chunk_ : r.bytes - (chunks - 1) * chunk_;
  uint64_t needed = chunk_time(p, bytes), end = begin + needed, way = hop == 0 ? r.latency : 0;
  if (hop == 0 && seat.unserved == 0 && told_.accepted) later(end, flow, accepted);
  if (!last(r, hop)) {  // the next port may begin with it so early that it has it all when it needs it
    later(end + way - std::min(needed, chunk_time(r.ports[hop + 1], bytes)), flow, hop + 1);
  } else {
    if (first && told_.first_byte) later(begin + way, flow, first_byte);
    if (seat.unserved == 0) arrived(flow, end + way);
  }
  return end;
}

}  // namespace shmemu
