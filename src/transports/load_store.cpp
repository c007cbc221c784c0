#include "transports/load_store.hpp"

#include <algorithm>
#include <bit>
#include <memory>

namespace shmemu {
namespace {

// Flows up to this size are one or few packets and need no sharing.
constexpr uint64_t kSmall = 2048;
// … unless so much is before them that fairness shows.
constexpr Time kPatience = 64_ns;
// Words whose last atomic is over are forgotten when there are more of them.
constexpr size_t kManyWords = 4096;
// Stores wait before a busy link in a queue of the SM; the threads are not held up by it. Guess: 8 warp instructions.
constexpr uint64_t kPostedBytes = 8 * 512;
// A packet costs the link its bytes and 24 more; the link rates were measured with 128 B packets.
// (strided puts of 16 B stop at 182 of 384 GB/s: 16/40 against 128/152)
constexpr double kPacketOverhead = 24, kFullPacket = 128;

Time scaled(Time t, double factor) { return {static_cast<int64_t>(static_cast<double>(t.ps) * factor + 0.5)}; }

Rate rate_of(uint64_t bytes, Time in) { return {static_cast<double>(bytes) / in.seconds()}; }

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
  uint32_t threads = lanes ? static_cast<uint32_t>(t.pieces.size()) : t.threads;
  return {threads, bytes, lanes, t.miss, std::max(1u, t.lines), t.width};
}

}  // namespace

namespace {

struct Trip {
  Time hit;   // until the threads go on, loads included
  Time pipe;  // what its stores keep the store pipe
};

// Bytes that one warp instruction stores into each line it touches.
double packet_bytes(const CopyLoop& loop) {
  double bytes = static_cast<double>(loop.threads) * loop.width;
  if (loop.strided) return std::min(kFullPacket, bytes / loop.lines);
  return loop.width < 16 ? std::min(kFullPacket, std::min(bytes, 32.0 * loop.width)) : kFullPacket;
}

// Of the trips of a lane that copies alone, those that load a sector it has not loaded before.
double share_of_sector(const CopyLoop& loop) { return loop.bytes > loop.width ? loop.width / 32.0 : 1; }

Time strided_instruction(const GpuModel& gpu, const CopyLoop& loop) {
  return gpu.pipe_warp + (packet_bytes(loop) < kFullPacket ? gpu.pipe_line_part : gpu.pipe_line) * loop.lines;
}

Trip trip_of(const GpuModel& gpu, uint32_t threads, uint32_t width, Time extra) {
  uint32_t warps = (threads + 31) / 32, lanes = std::min(threads, 32u);
  int64_t lines = std::max<int64_t>(1, lanes * width / 128);
  return {gpu.loop + gpu.line * (lines - 1) + gpu.warp * (warps - 1) + extra,
          (gpu.pipe_warp + gpu.pipe_line * lines) * warps};
}

}  // namespace

uint32_t access_width(const Op& op) {
  if (op.flags & (Op::kPacked | Op::kCopyEngine | Op::kAligned)) return 16;
  if (op.elements) return static_cast<uint32_t>(std::bit_floor(std::clamp<uint64_t>(op.bytes / op.elements, 1, 16)));
  return static_cast<uint32_t>(1u << std::countr_zero((op.local | op.remote) | 16));
}

Time copy_trip(const GpuModel& gpu, uint32_t threads, uint32_t width, Time extra) {
  Trip trip = trip_of(gpu, threads, width, extra);
  return std::max(trip.hit, trip.pipe);
}

Time copy_loop(const GpuModel& gpu, const CopyLoop& loop, Time load) {
  if (loop.bytes == 0) return {};
  auto trips_of = [](uint64_t bytes, uint64_t each) { return static_cast<int64_t>((bytes + each - 1) / each); };
  if (loop.strided) {  // every lane copies alone, a new sector every other trip
    Time hit = gpu.loop + gpu.line * (int64_t{loop.lines} - 1);
    return std::max(hit + scaled(load, loop.miss * share_of_sector(loop)), strided_instruction(gpu, loop)) *
           trips_of(loop.bytes, loop.width);
  }
  uint64_t wide = loop.bytes / loop.width * loop.width, rest = loop.bytes - wide;
  Time total;
  if (loop.threads == 1) {
    int64_t trips = trips_of(wide, loop.width), sectors = trips_of(wide, 32);
    total = gpu.loop * trips + scaled(load, loop.miss) * sectors;
  } else {
    uint64_t per_trip = uint64_t{loop.threads} * loop.width, full = wide / per_trip;
    total = copy_trip(gpu, loop.threads, loop.width, scaled(load, loop.miss)) * static_cast<int64_t>(full);
    if (auto left = static_cast<uint32_t>((wide - full * per_trip) / loop.width))
      total += copy_trip(gpu, left, loop.width, scaled(load, loop.miss));
  }
  if (rest) {  // the loop over narrower elements is entered as well
    total += gpu.loop + (wide ? Time{} : scaled(load, loop.miss));
    total += loop.threads == 1 ? gpu.tail_thread : gpu.tail_group + gpu.tail_per_warp * ((loop.threads + 31) / 32);
  }
  return total;
}

Time first_load(const GpuModel& gpu, const CopyLoop& loop, Time load) {
  uint64_t pieces = loop.bytes / loop.width;
  if (pieces == 0) return {};
  Time extra = scaled(load, loop.miss);
  if (loop.strided) return gpu.loop + gpu.line * (int64_t{loop.lines} - 1) + extra;
  return trip_of(gpu, static_cast<uint32_t>(std::min<uint64_t>(loop.threads, pieces)), loop.width, extra).hit;
}

Time posted_ahead(const GpuModel& gpu, const CopyLoop& loop, Time load) {
  uint64_t pieces = loop.bytes / loop.width;
  if (loop.strided || loop.threads == 1 || pieces == 0) return {};
  auto threads = static_cast<uint32_t>(std::min<uint64_t>(loop.threads, pieces));
  Trip trip = trip_of(gpu, threads, loop.width, scaled(load, loop.miss));
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

Time LoadStore::until_first_store(const Transfer& t) const {
  if (t.op().flags & Op::kCopyEngine) return {};
  return std::min(loop_time(t), first_load(gpu_, loop_of(t), gpu_.l2_load));
}

Time LoadStore::pipe_time(const Transfer& t) const {
  CopyLoop shape = loop_of(t);
  double lanes = shape.strided ? shape.threads : 32;
  Time instruction = shape.strided ? strided_instruction(gpu_, shape)
                                   : gpu_.pipe_warp + gpu_.pipe_line * std::max<int64_t>(1, shape.width / 4);
  return scaled(instruction, static_cast<double>(t.bytes) / (lanes * shape.width));
}

Time LoadStore::ahead(const Transfer& t) const {
  if (t.op().flags & Op::kCopyEngine) return {};
  return posted_ahead(gpu_, loop_of(t), is_load(t.op().kind) ? costs_.load : gpu_.l2_load);
}

Time LoadStore::issue_time(const Transfer& t) const {
  switch (t.op().kind) {
    case OpKind::p:
    case OpKind::signal:
      return t.op().flags & Op::kNative ? gpu_.pipe_warp : gpu_.p_issue;
    case OpKind::atomic:
      return gpu_.atomic_issue;
    case OpKind::g:
    case OpKind::fetch:
      return {};
    default:
      return call_time(t) + loop_time(t) - ahead(t);
  }
}

Time LoadStore::carry_small(const std::pair<int, int>& ports, Time from, uint64_t bytes, uint32_t packets, Rate rate) {
  double on_wire = static_cast<double>(bytes) + kPacketOverhead * packets;
  Time needed = rate.time_for(static_cast<uint64_t>(on_wire * kFullPacket / (kFullPacket + kPacketOverhead)));
  Time& out = small_until_[ports.first];
  Time& in = small_until_[ports.second];
  return out = in = std::max({out, in, from}) + needed;
}

Time LoadStore::take(const Transfer& t, Time from, Time needed) {
  Time& until = pipe_until_[{t.op().issuer.value, t.sm}];
  return until = std::max(until, from) + needed;
}

void LoadStore::post(Transfer& t, TransferSink& sink) {
  switch (t.op().kind) {
    case OpKind::p:
    case OpKind::signal:
    case OpKind::atomic:
    case OpKind::g:
    case OpKind::fetch:
      return post_scalar(t, sink);
    case OpKind::get:
    case OpKind::iget:
      return post_load(t, sink);
    default:
      return post_copy(t, sink);
  }
}

// Atomics on one word are done one after the other in the L2 of its owner. When the last word of `t` is through.
Time LoadStore::after_same_word(const Transfer& t) {
  if (word_until_.size() > kManyWords) std::erase_if(word_until_, [&](auto& w) { return w.second <= queue_.now(); });
  Time last;
  for (const Piece& piece : t.pieces) {
    Time& until = word_until_[piece.op.remote];
    until = std::max(until, queue_.now()) + gpu_.same_address_atomic;
    last = std::max(last, until);
  }
  return last;
}

void LoadStore::post_scalar(Transfer& t, TransferSink& sink) {
  OpKind kind = t.op().kind;
  bool load = kind == OpKind::g || kind == OpKind::fetch;
  Time carried = std::max(take(t, queue_.now(), gpu_.pipe_warp + gpu_.pipe_line * t.lines),
                          carry_small(ports(t.op(), load), queue_.now(), std::max<uint64_t>(t.bytes, 8), t.lines,
                                      load ? costs_.load_rate : costs_.store_rate));
  if (kind == OpKind::atomic || kind == OpKind::fetch) carried = std::max(carried, after_same_word(t));
  if (!load) {
    Time issued = std::max(queue_.now() + issue_time(t), carried);
    return deliver(t, sink, issued, issued);
  }
  // a load that hits L1 returns at once, a fetching atomic always goes to the owner's L2
  Time around = t.op().flags & Op::kNative ? Time{} : gpu_.g_extra;
  Time round_trip = kind == OpKind::g ? gpu_.loop + around + scaled(costs_.load, t.miss) : costs_.fetch;
  if (kind == OpKind::fetch && t.op().function == Op::kAtomicAdd) round_trip += gpu_.fetch_add_extra;
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
    Time end = std::max(start + loop, carry_small(ports(t.op(), true), queue_.now(), t.bytes, 1, costs_.load_rate));
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

// Whether packets would wait for others: then they take turns with them as flows do.
bool LoadStore::crowded(const std::pair<int, int>& ports) const {
  auto backlog = [&](int port) {
    auto at = small_until_.find(port);
    return at != small_until_.end() && at->second > queue_.now() + kPatience;
  };
  return backlog(ports.first) || backlog(ports.second);
}

void LoadStore::post_copy(Transfer& t, TransferSink& sink) {
  Time loop = loop_time(t), start = queue_.now() + call_time(t);
  std::pair<int, int> over = ports(t.op(), false);
  if (t.bytes <= kSmall && !crowded(over)) {
    CopyLoop shape = loop_of(t);
    auto packets = static_cast<uint32_t>(std::max(1.0, static_cast<double>(t.bytes) / packet_bytes(shape)));
    Time first = start + until_first_store(t);
    Time end = std::max(
        {start + loop, take(t, start, pipe_time(t)), carry_small(over, first, t.bytes, packets, costs_.store_rate)});
    return deliver(t, sink, std::max(queue_.now(), end - ahead(t)), end);
  }
  queue_.at(start, Rank::agent, [this, transfer = &t, to = &sink] { stream_copy(*transfer, *to); });
}

// A copy loop under way: its stores cross the store pipe of the SM, which all its warps share, from the start, and the
// link as soon as the first loads have answered. The threads go on when all but what is posted ahead has passed both.
struct LoadStore::Copy {
  Transfer& transfer;
  TransferSink& sink;
  Time posted;          // the threads are ahead of the last store by this much
  uint64_t last = 0;    // bytes that then are still before the link
  bool engine = false;  // no SM takes part
  int waiting = 2;      // pipe and link, before the threads go on
};

void LoadStore::stream_copy(Transfer& t, TransferSink& sink) {
  Time loop = loop_time(t), first = until_first_store(t), flowing = loop - first;
  auto copy = std::make_shared<Copy>(Copy{t, sink, {}});
  copy->engine = t.op().flags & Op::kCopyEngine;
  if (t.op().kind == OpKind::put) copy->posted = std::min(ahead(t), flowing);
  if (copy->posted.ps) copy->last = std::min(t.bytes / 2, kPostedBytes);
  if (copy->engine) {
    --copy->waiting;
  } else {
    Time until_posted = loop - copy->posted;
    double part = static_cast<double>(until_posted.ps) / static_cast<double>(loop.ps);
    auto bytes = static_cast<uint64_t>(static_cast<double>(t.bytes) * part);
    FairLinks::Hop pipe{pipe_port(t.op(), t.sm), Rate{static_cast<double>(t.bytes) / pipe_time(t).seconds()}, 0, {}};
    links_.start({{pipe}, bytes, rate_of(bytes, until_posted)}, [this, copy] { passed(copy); });
  }
  queue_.at(queue_.now() + first, Rank::agent, [this, copy, flowing] {
    Transfer& transfer = copy->transfer;
    links_.start(over_link(transfer, transfer.bytes - copy->last, flowing - copy->posted),
                 [this, copy] { passed(copy); });
  });
}

void LoadStore::passed(const std::shared_ptr<Copy>& copy) {
  if (--copy->waiting) return;
  Time now = queue_.now();
  if (!copy->last) return deliver(copy->transfer, copy->sink, now, now);
  copy->sink.issued(copy->transfer);
  links_.start(over_link(copy->transfer, copy->last, copy->posted),
               [this, copy] { arrive(copy->transfer, copy->sink, queue_.now()); });
}

// `bytes` of the copy over the link, in no less time than `alone`.
FairLinks::Request LoadStore::over_link(const Transfer& t, uint64_t bytes, Time alone) const {
  CopyLoop shape = loop_of(t);
  auto [egress, ingress] = ports(t.op(), false);
  double packet = packet_bytes(shape);
  double efficiency = packet / (packet + kPacketOverhead) * (kFullPacket + kPacketOverhead) / kFullPacket;
  Rate link{costs_.store_rate.bytes_per_second * efficiency};
  // few warps per SM expose a latency that appears when the port is full
  double warps = (shape.threads + 31) / 32;
  Time stall = t.op().flags & Op::kCopyEngine ? Time{} : scaled(gpu_.full_port_stall, std::min(1.0, 8.0 / warps));
  Rate cap = alone.ps ? rate_of(bytes, alone) : costs_.store_rate;
  return route(egress, ingress, {0, link, uint64_t{shape.threads} * shape.width, stall}, bytes, cap);
}

// The threads may go on at `issued`, the last byte has been carried at `carried`.
void LoadStore::deliver(Transfer& t, TransferSink& sink, Time issued, Time carried) {
  Transfer* transfer = &t;
  TransferSink* to = &sink;
  if (t.op().kind == OpKind::put_signal) {  // data, system fence by the group's leader, then the signal
    carried += costs_.acknowledge + gpu_.fence_system + gpu_.p_issue;
    if (t.op().scope == Scope::block) carried += gpu_.sync_per_warp * ((t.threads + 31) / 32) * 2;
    issued = carried;
  }
  queue_.at(issued, Rank::agent, [=] { to->issued(*transfer); });
  arrive(t, sink, carried);
}

void LoadStore::arrive(Transfer& t, TransferSink& sink, Time carried) {
  Transfer* transfer = &t;
  TransferSink* to = &sink;
  Time visible = carried + costs_.flight, acknowledged = std::max(carried + costs_.acknowledge, visible);
  queue_.at(visible, Rank::memory, [=] { to->delivered(*transfer); });
  queue_.at(acknowledged, Rank::agent, [=] { to->returned(*transfer); });
}

}  // namespace shmemu
