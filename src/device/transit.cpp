// Operations on their way, and what they do to memory when they arrive.
#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "device/atomics.hpp"
#include "device/machine.hpp"
#include "device/strided.hpp"
#include "transports/load_store.hpp"
#include "transports/router.hpp"

namespace shmemu::device {
namespace {

bool reads_remote(OpKind kind) {
  return kind == OpKind::get || kind == OpKind::g || kind == OpKind::iget || kind == OpKind::fetch;
}

}  // namespace

Machine::Transit& Machine::make_transit(const Group& group, PeId issuer) {
  auto owned = std::make_unique<Transit>();
  Transit& t = *owned;
  t.group = group;
  t.cta = group.block();
  t.host = hosts_[static_cast<size_t>(issuer.value)].first;
  if (t.cta) {
    t.sm = t.cta->sm;
    t.block = t.cta->index;
    t.warp = t.block * static_cast<uint32_t>(t.cta->warps.size()) + (group.warp ? group.warp->number : 0);
    t.cta_number = t.cta->outstanding.add();
    t.behind = t.cta->fence_mark;
    ++t.cta->grid->in_flight;
  }
  t.from_host = group.host != nullptr;
  t.pe_number = t.host->outstanding.add();
  transits_.emplace(&t, std::move(owned));
  return t;
}

// Whether a fence that did not wait keeps `t` behind an earlier operation to the same PE.
bool Machine::held_back(const Transit& t) const {
  if (!t.cta || t.cta->outstanding.drained(t.behind) || (!is_posted(t.op().kind) && t.op().kind != OpKind::fetch))
    return false;
  return std::any_of(transits_.begin(), transits_.end(), [&](auto& entry) {
    const Transit& other = *entry.second;
    return other.cta == t.cta && other.cta_number < t.behind && other.op().target == t.op().target;
  });
}

bool Machine::on_its_way(const Lane& lane, uint64_t address, uint64_t bytes) const {
  auto meets = [&](const Op& op) {
    uint64_t first = op.remote / WatchTable::kLine, last = (op.remote + op.bytes - 1) / WatchTable::kLine;
    return op.bytes && first <= (address + bytes - 1) / WatchTable::kLine && address / WatchTable::kLine <= last;
  };
  auto any = [&](const auto& pieces) {
    return std::any_of(pieces.begin(), pieces.end(), [&](auto& p) { return meets(p.op); });
  };
  return any(lane.log) || std::any_of(transits_.begin(), transits_.end(), [&](auto& entry) {
           return entry.second->cta == lane.warp->cta && any(entry.second->pieces);
         });
}

// What a transport wants to know of a transfer whose pieces are there.
void Machine::complete(Transit& t, uint32_t threads) {
  t.threads = threads;
  t.by_load_store = router_.by_load_store(t.op());
  if (!t.by_load_store) {
    t.path_number = t.host->network.add();
    if (uint32_t qp = t.op().qp; qp >= Op::kFirstQp) {
      t.queue = &t.host->queues[{t.op().target, qp}];
      t.queue_number = t.queue->add();
    }
  } else if (t.cta) {
    t.path_number = t.cta->stores.add();
    ++t.cta->grid->stores_in_flight;
  }
  std::vector<uint64_t> lines;
  for (const Piece& piece : t.pieces) {
    t.bytes += piece.op.bytes;
    t.width = std::min(t.width, access_width(piece.op));
    lines.push_back(piece.op.remote / WatchTable::kLine);
  }
  std::sort(lines.begin(), lines.end());
  t.lines = static_cast<uint32_t>(std::unique(lines.begin(), lines.end()) - lines.begin());
  OpKind kind = t.op().kind;
  if (!t.cta || kind == OpKind::p || kind == OpKind::signal || kind == OpKind::atomic || kind == OpKind::fetch) return;
  double misses = 0;
  for (const Piece& piece : t.pieces)
    misses +=
        t.cta->l1.load(reads_remote(kind) ? piece.op.remote : piece.op.local, piece.op.bytes, gpu_model_.l1_reach);
  t.miss = misses / static_cast<double>(t.pieces.size());
  if (kind == OpKind::put_signal) t.cta->l1.clear();  // it contains a system fence
}

void Machine::start(Transit& t) {
  if (held_back(t)) return t.cta->held.push_back(&t);
  t.number = ++counters_.transfers;
  t.started = t.issued_at = queue_.now();
  progress();
  router_.route(t).post(t, *this);
}

void Machine::issued(Transfer& transfer) {
  auto& t = static_cast<Transit&>(transfer);
  t.issued_at = queue_.now();
  if (t.resumes_when_issued) resume(t.group, queue_.now() + adverse_pause());
}

void Machine::source_read(Transfer& transfer) {
  for (Piece& piece : transfer.pieces)
    if (OpKind kind = piece.op.kind; kind == OpKind::put || kind == OpKind::put_signal || kind == OpKind::iput)
      take_source(piece);
}

void Machine::take_source(Piece& piece) {
  const Op& op = piece.op;
  if (op.kind == OpKind::iput) {
    piece.payload = gather(memory_, op, op.local, op.local_stride);
  } else if (std::byte* from = op.bytes ? memory_.at(op.local, op.bytes) : nullptr) {
    piece.payload = Payload(from, op.bytes);
  }
}

void Machine::delivered(Transfer& transfer) {
  progress();
  auto& t = static_cast<Transit&>(transfer);
  for (Piece& piece : t.pieces) {
    apply(piece, t.number);
    if (options_.witness) options_.witness->delivered(piece.op);
  }
  if (options_.observer && t.op().issuer != t.op().target)
    options_.observer->carried(t.op(), t.bytes, t.started, queue_.now(), t.number);
}

void Machine::returned(Transfer& transfer) {
  auto& t = static_cast<Transit&>(transfer);
  progress();
  const Op& op = t.op();
  if (reads_remote(op.kind)) {
    size_t i = 0;
    if (op.kind == OpKind::fetch)  // the value travels as the lane's result
      for_each(t.group, [&](Actor& a) { a.result = t.pieces[std::min(i++, t.pieces.size() - 1)].op.value; });
    else
      for (Piece& piece : t.pieces) {
        if (op.kind == OpKind::iget)
          scatter(memory_, piece.op, piece.payload, piece.op.local, piece.op.local_stride);
        else if (std::byte* to = piece.op.bytes ? memory_.at(piece.op.local, piece.op.bytes) : nullptr)
          std::memcpy(to, piece.payload.data(), piece.op.bytes);
      }
  }
  if (t.resumes_when_returned) resume(t.group, queue_.now());
  if (options_.observer) {
    Place place = t.group.host ? Place{.pe = op.issuer, .host = true}
                               : Place{op.issuer,           false,        t.cta->grid->stream,
                                       t.cta->grid->number, t.cta->index, t.group.warp ? t.group.warp->number : 0,
                                       t.group.mask};
    options_.observer->span(place, op, static_cast<uint32_t>(std::max<size_t>(t.pieces.size(), t.threads)), t.bytes,
                            t.started, reads_remote(op.kind) ? queue_.now() : t.issued_at, t.number);
  }
  Cta* cta = t.cta;
  Host* host = t.host;
  if (cta) cta->outstanding.remove(t.cta_number);
  host->outstanding.remove(t.pe_number);
  Outstanding* queue = t.queue;
  if (!t.by_load_store) host->network.remove(t.path_number);
  if (queue) queue->remove(t.queue_number);
  if (t.by_load_store && cta) cta->stores.remove(t.path_number), --cta->grid->stores_in_flight;
  bool store = t.by_load_store;
  transits_.erase(&t);
  check_drains(host->outstanding);
  if (!store) check_drains(host->network);
  if (queue) check_drains(*queue);
  if (!cta) return;
  if (store) check_drains(cta->stores);
  for (Transfer* held : std::exchange(cta->held, {})) start(static_cast<Transit&>(*held));
  Grid* grid = cta->grid;
  forget_if_quiet(*cta);
  --grid->in_flight;
  if (grid->in_flight == 0 || (store && grid->stores_in_flight == 0)) maybe_end(*grid);
}

void Machine::apply(Piece& piece, uint64_t transfer) {
  Op& op = piece.op;
  auto changed = [&](uint64_t address, uint64_t bytes) {
    if (bytes <= 16) last_write_[address / WatchTable::kLine] = {op.kind, op.issuer, op.site, queue_.now(), transfer};
    memory_changed(op.target, address, bytes);
  };
  switch (op.kind) {
    case OpKind::put:
    case OpKind::p:
    case OpKind::put_signal:
      if (std::byte* to = op.bytes ? memory_.at(op.remote, op.bytes) : nullptr; to && piece.payload.size())
        std::memcpy(to, piece.payload.data(), op.bytes);
      changed(op.remote, op.bytes);
      if (op.kind != OpKind::put_signal) return;
      [[fallthrough]];
    case OpKind::signal:
      if (std::byte* word = memory_.at(op.signal, 8)) {
        uint64_t value;
        std::memcpy(&value, word, 8);
        value = op.signal_op == Op::kSignalAdd ? value + op.value : op.value;
        std::memcpy(word, &value, 8);
      }
      return changed(op.signal, 8);
    case OpKind::iput:
      scatter(memory_, op, piece.payload, op.remote, op.remote_stride);
      for (uint64_t i = 0; i < op.elements; ++i)
        changed(op.remote + i * static_cast<uint64_t>(op.remote_stride), piece_bytes(op));
      return;
    case OpKind::atomic:
    case OpKind::fetch:
      if (std::byte* word = memory_.at(op.remote, op.bytes)) op.value = apply_atomic(op, word);
      return changed(op.remote, op.bytes);
    case OpKind::g:
    case OpKind::get:
      if (std::byte* from = op.bytes ? memory_.at(op.remote, op.bytes) : nullptr)
        piece.payload = Payload(from, op.bytes);
      return;
    case OpKind::iget:
      piece.payload = gather(memory_, op, op.remote, op.remote_stride);
      return;
    default:
      SHMEMU_ASSERT(false, std::string(name_of(op.kind)));
  }
}

}  // namespace shmemu::device
