#include "transports/load_store.hpp"

#include <algorithm>

namespace shmemu {
namespace {

// Flows up to this size are one or few packets and need no sharing.
constexpr uint64_t kSmall = 2048;
// A packet costs the link its bytes and 24 more; the link rates were measured with 128 B packets.
// (strided puts of 16 B stop at 182 of 384 GB/s: 16/40 against 128/152)
constexpr uint8_t kAtomicAdd = 1;  // SHMEMU_AMO_ADD of the ABI
constexpr double kPacketOverhead = 24, kFullPacket = 128;

Time scaled(Time t, double factor) { return {static_cast<int64_t>(static_cast<double>(t.ps) * factor + 0.5)}; }

bool is_load(OpKind kind) { return kind == OpKind::get || kind == OpKind::iget; }

// Over one or two ports with the same properties.
FairLinks::Request route(int egress, int ingress, FairLinks::Hop hop, uint64_t bytes, Rate cap) {
  FairLinks::Request r{{}, bytes, cap};
  hop.port = egress;
  r.hops.push_back(hop);
  hop.port = ingress;
  if (egress != ingress) r.hops.push_back(hop);
  return r;
}

CopyLoop loop_of(const Transfer& t) {
  bool lanes = t.op().scope == Scope::thread && t.pieces.size() > 1;
  uint64_t bytes = lanes ? t.bytes / t.pieces.size() : t.bytes;
  return {lanes ? static_cast<uint32_t>(t.pieces.size()) : t.threads, bytes, lanes, t.miss};
}

}  // namespace

namespace {

struct Trip {
  Time hit;   // until the threads go on, loads included
  Time pipe;  // what its stores keep the store pipe
};

Trip trip_of(const GpuModel& gpu, uint32_t threads, uint32_t width, Time extra) {
  uint32_t warps = (threads + 31) / 32, lanes = std::min(threads, 32u);
  int64_t lines = std::max<int64_t>(1, lanes * width / 128);
  return {gpu.loop + gpu.line * (lines - 1) + gpu.warp * (warps - 1) + extra,
          (gpu.pipe_warp + gpu.pipe_line * lines) * warps};
}

}  // namespace

Time copy_trip(const GpuModel& gpu, uint32_t threads, uint32_t width, Time extra) {
  Trip trip = trip_of(gpu, threads, width, extra);
  return std::max(trip.hit, trip.pipe);
}

Time copy_loop(const GpuModel& gpu, const CopyLoop& loop, Time load) {
  if (loop.bytes == 0) return {};
  auto trips_of = [](uint64_t bytes, uint64_t each) { return static_cast<int64_t>((bytes + each - 1) / each); };
  if (loop.strided) {  // every lane copies alone: n lines per trip, a new sector every other one
    int64_t trips = trips_of(loop.bytes, 16), lines = loop.threads;
    Time hit = gpu.loop + gpu.line * (lines - 1);
    Time pipe = gpu.pipe_warp + gpu.pipe_line_part * lines;
    return std::max(hit + scaled(load, loop.miss * (loop.bytes > 16 ? 0.5 : 1)), pipe) * trips;
  }
  uint64_t wide = loop.bytes / 16 * 16, rest = loop.bytes - wide;
  Time total;
  if (loop.threads == 1) {
    int64_t trips = trips_of(wide, 16), sectors = trips_of(wide, 32);
    total = gpu.loop * trips + scaled(load, loop.miss) * sectors;
  } else {
    uint64_t per_trip = uint64_t{loop.threads} * 16, full = wide / per_trip;
    total = copy_trip(gpu, loop.threads, 16, scaled(load, loop.miss)) * static_cast<int64_t>(full);
    if (auto left = static_cast<uint32_t>((wide - full * per_trip) / 16))
      total += copy_trip(gpu, left, 16, scaled(load, loop.miss));
  }
  if (rest) {  // the loop over narrower elements is entered as well
    total += gpu.loop + (wide ? Time{} : scaled(load, loop.miss));
    total += loop.threads == 1 ? gpu.tail_thread : gpu.tail_group + gpu.tail_per_warp * ((loop.threads + 31) / 32);
  }
  return total;
}

Time posted_ahead(const GpuModel& gpu, const CopyLoop& loop, Time load) {
  uint64_t pieces = loop.bytes / 16;
  if (loop.strided || loop.threads == 1 || pieces == 0) return {};
  auto threads = static_cast<uint32_t>(std::min<uint64_t>(loop.threads, pieces));
  Trip trip = trip_of(gpu, threads, 16, scaled(load, loop.miss));
  return std::max(Time{}, trip.pipe - trip.hit);
}

Time LoadStore::call_time(const Transfer& t) const {
  if (t.op().scope == Scope::thread) return gpu_.call_thread;
  Time call = gpu_.call_group;
  if (t.op().scope == Scope::block) call += gpu_.sync_per_warp * ((t.threads + 31) / 32) * 2;
  return call;
}

Time LoadStore::loop_time(const Transfer& t) const {
  if (t.op().flags & Op::kCopyEngine) return {};  // the link sets the time
  return copy_loop(gpu_, loop_of(t), is_load(t.op().kind) ? costs_.load : gpu_.l2_load);
}

Time LoadStore::ahead(const Transfer& t) const {
  if (t.op().flags & Op::kCopyEngine) return {};
  return posted_ahead(gpu_, loop_of(t), is_load(t.op().kind) ? costs_.load : gpu_.l2_load);
}

Time LoadStore::issue_time(const Transfer& t) const {
  switch (t.op().kind) {
    case OpKind::p:
    case OpKind::signal: return gpu_.p_issue;
    case OpKind::atomic: return gpu_.atomic_issue;
    case OpKind::g:
    case OpKind::fetch: return {};
    default: return call_time(t) + loop_time(t) - ahead(t);
  }
}

Time LoadStore::carry_small(const std::pair<int, int>& ports, uint64_t bytes, uint32_t packets, Rate rate) {
  double on_wire = static_cast<double>(bytes) + kPacketOverhead * packets;
  Time needed = rate.time_for(static_cast<uint64_t>(on_wire * kFullPacket / (kFullPacket + kPacketOverhead)));
  Time& out = small_until_[ports.first];
  Time& in = small_until_[ports.second];
  return out = in = std::max({out, in, queue_.now()}) + needed;
}

Time LoadStore::take(const Transfer& t) {
  Time& until = pipe_until_[{t.op().issuer.value, t.sm}];
  return until = std::max(until, queue_.now()) + gpu_.pipe_warp + gpu_.pipe_line * t.lines;
}

void LoadStore::post(Transfer& t, TransferSink& sink) {
  switch (t.op().kind) {
    case OpKind::p:
    case OpKind::signal:
    case OpKind::atomic:
    case OpKind::g:
    case OpKind::fetch: return post_scalar(t, sink);
    case OpKind::get:
    case OpKind::iget: return post_load(t, sink);
    default: return post_copy(t, sink);
  }
}

void LoadStore::post_scalar(Transfer& t, TransferSink& sink) {
  OpKind kind = t.op().kind;
  bool load = kind == OpKind::g || kind == OpKind::fetch;
  Time carried = std::max(take(t), carry_small(ports(t.op(), load), std::max<uint64_t>(t.bytes, 8), t.lines,
                                               load ? costs_.load_rate : costs_.store_rate));
  if (!load) return deliver(t, sink, std::max(queue_.now() + issue_time(t), carried));
  // a load that hits L1 returns at once, a fetching atomic always goes to the owner's L2
  Time round_trip = kind == OpKind::g ? gpu_.loop + gpu_.g_extra + scaled(costs_.load, t.miss) : costs_.fetch;
  if (kind == OpKind::fetch && t.op().function == kAtomicAdd) round_trip += gpu_.fetch_add_extra;
  Time end = std::max(queue_.now() + round_trip, carried);
  Transfer* transfer = &t;
  TransferSink* to = &sink;
  queue_.at(std::max(queue_.now(), end - costs_.fetch / 2), Rank::memory, [=] { to->delivered(*transfer); });
  queue_.at(end, Rank::agent, [=] { to->returned(*transfer); });
}

void LoadStore::post_load(Transfer& t, TransferSink& sink) {
  Transfer* transfer = &t;
  TransferSink* to = &sink;
  Time loop = loop_time(t), start = queue_.now() + call_time(t);
  Time read = std::min(costs_.load / 2, loop / 2);  // the last bytes are read this long before they are back
  if (t.bytes <= kSmall) {
    Time end = std::max(start + loop, carry_small(ports(t.op(), true), t.bytes, 1, costs_.load_rate));
    queue_.at(end - read, Rank::memory, [=] { to->delivered(*transfer); });
    queue_.at(end, Rank::agent, [=] { to->returned(*transfer); });
    return;
  }
  queue_.at(start, Rank::agent, [=, this] {
    auto [egress, ingress] = ports(transfer->op(), true);
    Rate cap = loop.ps ? Rate{static_cast<double>(transfer->bytes) / loop.seconds()} : costs_.load_rate;
    links_.start(route(egress, ingress, {0, costs_.load_rate, 0, {}}, transfer->bytes, cap), [=] {
      to->delivered(*transfer);
      to->returned(*transfer);
    });
  });
}

void LoadStore::post_copy(Transfer& t, TransferSink& sink) {
  Transfer* transfer = &t;
  TransferSink* to = &sink;
  Time loop = loop_time(t), start = queue_.now() + call_time(t);
  if (t.bytes <= kSmall) {
    uint32_t packets = static_cast<uint32_t>(std::max<uint64_t>(1, t.bytes / 128));
    return deliver(t, sink, std::max(start + loop, carry_small(ports(t.op(), false), t.bytes, packets, costs_.store_rate)));
  }
  queue_.at(start, Rank::agent, [=, this] {
    const Op& op = transfer->op();
    auto [egress, ingress] = ports(op, false);
    CopyLoop shape = loop_of(*transfer);
    double efficiency = shape.strided ? 16 / (16 + kPacketOverhead) * (kFullPacket + kPacketOverhead) / kFullPacket : 1;
    // few warps per SM expose a latency that appears when the port is full
    double warps = (shape.threads + 31) / 32;
    Time stall = op.flags & Op::kCopyEngine ? Time{} : scaled(gpu_.full_port_stall, std::min(1.0, 8.0 / warps));
    Rate cap = loop.ps ? Rate{static_cast<double>(transfer->bytes) / loop.seconds()} : costs_.store_rate;
    Rate link{costs_.store_rate.bytes_per_second * efficiency};
    // the threads go on when all but what is posted ahead has passed
    Time posted = std::min(ahead(*transfer), loop);
    double part = loop.ps ? static_cast<double>((loop - posted).ps) / static_cast<double>(loop.ps) : 1;
    auto bytes = std::max<uint64_t>(1, static_cast<uint64_t>(static_cast<double>(transfer->bytes) * part));
    FairLinks::Request r = route(egress, ingress, {0, link, uint64_t{shape.threads} * 16, stall}, bytes, cap);
    if (!(op.flags & Op::kCopyEngine)) {  // all warps of an SM share its store pipe: 512 B per warp instruction
      Time instruction = gpu_.pipe_warp + (shape.strided ? gpu_.pipe_line_part * 32 : gpu_.pipe_line * 4);
      r.hops.push_back({pipe_port(op, transfer->sm), Rate{512 / instruction.seconds()}, 0, {}});
    }
    links_.start(std::move(r), [=, this] { deliver(*transfer, *to, queue_.now() + posted); });
  });
}

// The stores have been issued at `issued`: they fly, and are acknowledged.
void LoadStore::deliver(Transfer& t, TransferSink& sink, Time issued) {
  Transfer* transfer = &t;
  TransferSink* to = &sink;
  if (t.op().kind == OpKind::put_signal) {  // data, system fence by the group's leader, then the signal
    issued = issued + costs_.acknowledge + gpu_.fence_system + gpu_.p_issue;
    if (t.op().scope == Scope::block) issued += gpu_.sync_per_warp * ((t.threads + 31) / 32) * 2;
  }
  Time visible = issued + costs_.flight, acknowledged = std::max(issued + costs_.acknowledge, visible);
  Time returns = t.op().kind == OpKind::put ? std::max(queue_.now(), issued - ahead(t)) : issued;
  queue_.at(returns, Rank::agent, [=] { to->issued(*transfer); });
  queue_.at(visible, Rank::memory, [=] { to->delivered(*transfer); });
  queue_.at(acknowledged, Rank::agent, [=] { to->returned(*transfer); });
}

}  // namespace shmemu
