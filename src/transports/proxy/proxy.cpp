#include "transports/proxy/proxy.hpp"

#include <algorithm>

namespace shmemu {
namespace {

bool reads(OpKind kind) { return kind == OpKind::get || kind == OpKind::iget || kind == OpKind::g; }
bool atomic(OpKind kind) { return kind == OpKind::atomic || kind == OpKind::fetch; }
// What IBRC leaves to the adapter; signals that set are ordinary writes (NVSHMEM 3.3.9, ibrc.cpp).
bool added_by_adapter(const Op& op) {
  if (op.kind == OpKind::signal) return op.signal_op != Op::kSignalSet;
  return atomic(op.kind) && op.function == Op::kAtomicAdd && op.bytes == 8;
}

}  // namespace

Proxy::Proxy(EventQueue& queue, const Platform& platform, Network& network, NvshmemSettings::Remote remote,
             std::function<GpuId(PeId)> gpu_of)
    : queue_(queue),
      host_(platform.host),
      gpu_(platform.gpu),
      nic_(*platform.nic),
      network_(network),
      ordered_(remote == NvshmemSettings::Remote::ibrc || remote == NvshmemSettings::Remote::ibdevx),
      gpu_of_(std::move(gpu_of)) {}

uint32_t Proxy::requests_of(const Transfer& t) const {
  auto lanes = static_cast<uint32_t>(t.pieces.size());
  switch (t.op().kind) {
    case OpKind::put_signal:
      return 2 * lanes;  // put and signal of one queue pair, which keeps their order
    case OpKind::iput:
    case OpKind::iget:
      return static_cast<uint32_t>(t.op().elements) * lanes;
    default:
      return lanes;
  }
}

Time Proxy::issue_time(const Transfer& t) const {
  if (t.from_host) return host_.api_call;
  Time call;
  if (t.op().scope != Scope::thread) {
    call = gpu_.call_group;
    if (t.op().scope == Scope::block) call += gpu_.sync_per_warp * ((t.threads + 31) / 32) * 2;
  }
  return call + host_.proxy.enqueue * (t.op().kind == OpKind::put_signal ? 2 : 1);
}

Time Proxy::handle(PeId pe, uint32_t requests, Time pick_up) {
  Time& until = cpu_until_[pe.value];
  return until = std::max(until, queue_.now() + pick_up) + host_.proxy.request * requests;
}

Ordering Proxy::order(PeId pe, OpKind kind) {
  const ProxyModel& p = host_.proxy;
  if (kind == OpKind::quiet || !ordered_) return {p.complete, true, p.quiet};
  auto written = ring_written_.find(pe.value);
  Time left = written == ring_written_.end() ? Time{} : written->second + p.ring_fence - queue_.now();
  return {std::max(Time{}, left), false, {}};
}

void Proxy::post(Transfer& t, TransferSink& sink) {
  Transfer* transfer = &t;
  TransferSink* to = &sink;
  queue_.at(queue_.now() + issue_time(t), Rank::agent, [=, this] {
    const Op& op = transfer->op();
    bool scalar = op.kind == OpKind::p || op.kind == OpKind::signal || op.kind == OpKind::atomic;
    if (is_posted(op.kind) && (op.nbi || scalar)) to->issued(*transfer);
    if (op.nbi && reads(op.kind)) to->issued(*transfer);
    if (!transfer->from_host) ring_written_[op.issuer.value] = queue_.now();
    Time posted = handle(op.issuer, requests_of(*transfer), transfer->from_host ? Time{} : host_.proxy.pick_up);
    queue_.at(posted, Rank::agent, [=, this] { ring(*transfer, *to); });
  });
}

void Proxy::ring(Transfer& t, TransferSink& sink) {
  const Op& op = t.op();
  Transfer* transfer = &t;
  TransferSink* to = &sink;
  Network::Request r;
  r.from = gpu_of_(op.issuer), r.to = gpu_of_(op.target);
  r.bytes = op.kind == OpKind::signal ? 8 : t.bytes;
  r.entries = r.packets = requests_of(t);
  if (reads(op.kind)) r.kind = Network::Kind::read;
  if (added_by_adapter(op)) r.kind = Network::Kind::atomic;
  if (op.kind == OpKind::put_signal && op.signal_op != Op::kSignalSet) r.then_atomic = true;
  if (r.bytes > host_.proxy.inline_bytes || reads(op.kind)) r.fetch = host_.proxy.payload_fetch;
  r.read_source = [=] { to->source_read(*transfer); };
  if (atomic(op.kind) && !added_by_adapter(op)) {  // a message: the target's CPU applies it and answers
    r.arrived = [=, this] {
      Time applied = handle(transfer->op().target, 1, host_.proxy.pick_up);
      queue_.at(applied, Rank::memory, [=] { to->delivered(*transfer); });
      queue_.at(applied + nic_.flight + nic_.acknowledge, Rank::agent, [=] { to->returned(*transfer); });
    };
    r.completed = [] {};
    network_.send(queue_between(op.issuer, op.target), std::move(r));
    return;
  }
  r.arrived = [=] { to->delivered(*transfer); };
  r.completed = [=, this] {
    const Op& o = transfer->op();
    bool scalar = o.kind == OpKind::p || o.kind == OpKind::signal || o.kind == OpKind::atomic;
    if (o.nbi || scalar) return to->returned(*transfer);
    queue_.at(queue_.now() + host_.proxy.complete, Rank::agent, [=] {  // the caller has waited
      if (is_posted(transfer->op().kind)) to->issued(*transfer);
      to->returned(*transfer);
    });
  };
  network_.send(queue_between(op.issuer, op.target), std::move(r));
}

}  // namespace shmemu
