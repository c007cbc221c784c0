#include "transports/ibgda/ibgda.hpp"

#include <algorithm>

namespace shmemu {
namespace {

bool scalar(OpKind kind) {
  return kind == OpKind::p || kind == OpKind::signal || kind == OpKind::atomic || kind == OpKind::fetch ||
         kind == OpKind::g;
}

bool moves_nothing(const Transfer& t) { return !t.bytes && !scalar(t.op().kind) && t.op().kind != OpKind::put_signal; }

bool reads(OpKind kind) { return kind == OpKind::get || kind == OpKind::iget || kind == OpKind::g; }

// A full warp whose values lie side by side in lane order (NVSHMEM 3.3.9, ibgda_device.cuh).
bool side_by_side(const Transfer& t) {
  if (t.pieces.size() != 32) return false;
  const Op& first = t.op();
  for (size_t i = 0; i < t.pieces.size(); ++i)
    if (t.pieces[i].op.bytes != first.bytes || t.pieces[i].op.remote != first.remote + i * first.bytes) return false;
  return true;
}

// 64 B building blocks of one request (NVSHMEM 3.3.9: 2 for atomics that carry two operands; merged p with its closing
// empty request 3, 4 or 6 by element size).
uint32_t merged_blocks(uint64_t element) { return element <= 2 ? 3 : element == 4 ? 4 : 6; }

}  // namespace

Ibgda::Ibgda(EventQueue& queue, const Platform& platform, Network& network, const NvshmemSettings& settings, int pes,
             std::function<GpuId(PeId)> gpu_of)
    : queue_(queue),
      gpu_(platform.gpu),
      nic_(*platform.nic),
      network_(network),
      settings_(settings),
      pes_(pes),
      gpu_of_(std::move(gpu_of)) {}

Ibgda::Post Ibgda::plan(const Transfer& t) const {
  const Op& op = t.op();
  Post p;
  p.build = nic_.post;
  if (op.kind == OpKind::p || op.kind == OpKind::g) p.merged = side_by_side(t);
  if (!p.merged) p.requests = static_cast<uint32_t>(t.pieces.size());
  p.blocks = p.requests;
  if (op.kind == OpKind::p && p.merged) {
    p.build += nic_.merged_extra + nic_.inline_byte * static_cast<int64_t>(t.bytes);
    p.blocks = merged_blocks(op.bytes);
  }
  if (op.kind == OpKind::signal || op.kind == OpKind::atomic || op.kind == OpKind::fetch) p.blocks = 2 * p.requests;
  if (op.kind == OpKind::put_signal) p.blocks = 3 * p.requests;
  if (op.kind == OpKind::iput || op.kind == OpKind::iget)
    p.requests = static_cast<uint32_t>(op.elements * t.pieces.size());
  if (op.scope == Scope::thread) {
    if (!scalar(op.kind)) p.call = nic_.post_call;
  } else {
    p.call = gpu_.call_group;
    if (op.scope == Scope::block) p.call += gpu_.sync_per_warp * ((t.threads + 31) / 32) * 2;
  }
  return p;
}

Time Ibgda::issue_time(const Transfer& t) const {
  Post p = plan(t);
  return p.call + (moves_nothing(t) ? nic_.empty_call : p.build);
}

Ordering Ibgda::order_of_queue() const { return {nic_.poll, true, {}}; }

Ordering Ibgda::order(PeId, OpKind) {
  int queues = std::max(1, (pes_ - 1) * settings_.queues_per_pe);
  return {nic_.poll + nic_.next_queue * (queues - 1), true, {}};
}

Ibgda::Queue& Ibgda::queue_of(const Transfer& t) {
  auto per_pe = static_cast<uint32_t>(settings_.queues_per_pe);
  if (uint32_t named = t.op().qp; named >= Op::kFirstQp)
    return queues_[{t.op().issuer, t.op().target, per_pe + named - Op::kFirstQp}];
  uint32_t by = settings_.map_by == NvshmemSettings::MapBy::cta  ? t.block
                : settings_.map_by == NvshmemSettings::MapBy::sm ? static_cast<uint32_t>(t.sm)
                                                                 : t.warp;
  return queues_[{t.op().issuer, t.op().target, by % per_pe}];
}

void Ibgda::post(Transfer& t, TransferSink& sink) {
  Queue& q = queue_of(t);
  q.waiting.emplace_back(&t, &sink);
  if (q.waiting.size() == 1) release(q, 0);
}

// Room in the ring: the posters that wait for it go on in order. One that alone is larger than the ring passes an empty
// one.
void Ibgda::release(Queue& q, uint32_t blocks) {
  q.blocks -= blocks;
  while (!q.waiting.empty()) {
    auto [t, sink] = q.waiting.front();
    uint32_t wanted = plan(*t).blocks;
    if (q.blocks && q.blocks + wanted > static_cast<uint32_t>(settings_.queue_depth)) return;
    q.blocks += wanted;
    q.waiting.pop_front();
    begin(q, *t, *sink);
  }
}

void Ibgda::begin(Queue& q, Transfer& t, TransferSink& sink) {
  Post p = plan(t);
  Transfer* transfer = &t;
  TransferSink* to = &sink;
  if (moves_nothing(t)) {
    uint32_t blocks = p.blocks;
    queue_.at(queue_.now() + issue_time(t), Rank::agent, [=, this, queue = &q] {
      if (!reads(transfer->op().kind) || transfer->op().nbi) to->issued(*transfer);
      to->delivered(*transfer);
      release(*queue, blocks);
      to->returned(*transfer);
    });
    return;
  }
  Time built = queue_.now() + p.call + p.build;
  bool merged_write = p.merged && t.op().kind == OpKind::p;
  if (merged_write) {  // their fences follow each other on an SM
    Time& until = sm_until_[{t.op().issuer, t.sm}];
    until = built = std::max(built, until + nic_.sm_turn);
  }
  Time each = merged_write ? nic_.merged_hand_off : nic_.hand_off;
  int64_t more = p.requests - 1;
  queue_.at(built, Rank::agent, [=, this, queue = &q] {
    Time done = std::max(queue_.now(), queue->handed_off + each) + each * more;
    queue->handed_off = done;
    queue_.at(done, Rank::agent, [=, this] { ring(*queue, *transfer, *to); });
  });
}

void Ibgda::ring(Queue& q, Transfer& t, TransferSink& sink) {
  const Op& op = t.op();
  Post p = plan(t);
  Transfer* transfer = &t;
  TransferSink* to = &sink;
  bool asynchronous = op.nbi || op.kind == OpKind::p || op.kind == OpKind::signal || op.kind == OpKind::atomic;
  Network::Request r;
  r.from = gpu_of_(op.issuer), r.to = gpu_of_(op.target);
  r.bytes = op.kind == OpKind::signal ? 8 : t.bytes;
  r.entries = p.requests;
  r.packets = p.requests;
  if (op.kind == OpKind::p && p.merged) r.entries = 2;  // with its closing empty request
  if (op.kind == OpKind::put_signal) r.then_atomic = true, r.entries = 2 * p.requests;
  if (reads(op.kind)) r.kind = Network::Kind::read;
  if (op.kind == OpKind::signal || op.kind == OpKind::atomic || op.kind == OpKind::fetch)
    r.kind = Network::Kind::atomic;
  if (op.kind == OpKind::g) r.turn = nic_.read_turn * p.requests, r.entries = 2 * p.requests;
  if (!scalar(op.kind) || op.kind == OpKind::g) r.fetch = nic_.payload_fetch;
  r.read_source = [=] { to->source_read(*transfer); };
  r.arrived = [=] { to->delivered(*transfer); };
  r.completed = [=, this, queue = &q] {
    release(*queue, plan(*transfer).blocks);
    if (asynchronous) return to->returned(*transfer);
    queue_.at(queue_.now() + nic_.poll, Rank::agent, [=] {  // the caller has waited
      if (is_posted(transfer->op().kind)) to->issued(*transfer);
      to->returned(*transfer);
    });
  };
  if (asynchronous) to->issued(t);
  network_.send(q.wire, std::move(r));
}

}  // namespace shmemu
