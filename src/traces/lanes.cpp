#include "traces/lanes.hpp"

#include <fmt/format.h>

#include "device/grid.hpp"

namespace shmemu::traces {
namespace {

Where where_of(const device::Cta& cta, uint32_t thread = 0) {
  return {cta.grid->pe.value, cta.grid->number, cta.index, thread};
}

// Its answer may be another one on another platform, and the recorded program went on by the recorded one.
bool steers(OpKind kind) {
  return kind == OpKind::test || kind == OpKind::wait_set || kind == OpKind::fetch || kind == OpKind::clock;
}

}  // namespace

bool MemoryLanes::block_work(const device::Cta& cta, std::vector<device::Work>& warps) {
  auto at = trace_.blocks.find({cta.grid->pe.value, cta.grid->number, cta.index});
  if (at == trace_.blocks.end() && trace_.sparse) {
    auto lane = trace_.lanes.lower_bound(where_of(cta));
    bool speaks = lane != trace_.lanes.end() && lane->first.pe == cta.grid->pe.value &&
                  lane->first.kernel == cta.grid->number && lane->first.block == cta.index;
    if (!speaks) return warps.assign((cta.grid->threads() + 31) / 32, {}), true;
  }
  if (at == trace_.blocks.end()) return false;
  warps = at->second;
  return true;
}

// The lane's context counts.
const LaneEntry* MemoryLanes::next(device::Lane& lane) {
  auto at = trace_.lanes.find(where_of(*lane.warp->cta, lane.thread));
  if (at == trace_.lanes.end() && trace_.sparse) {
    exit_.op = {};
    exit_.op.kind = OpKind::exit;
    exit_.op.issuer = exit_.op.target = lane.pe;
    return &exit_;
  }
  auto number = reinterpret_cast<uintptr_t>(lane.context);
  if (at == trace_.lanes.end() || number >= at->second.size()) return nullptr;
  lane.context = reinterpret_cast<void*>(number + 1);
  return &at->second[number];
}

StreamedLanes::StreamedLanes(std::unique_ptr<TraceReader> reader, std::function<void(double)> progress)
    : reader_(std::move(reader)), progress_(std::move(progress)) {}

size_t StreamedLanes::Hash::operator()(const Where& w) const {
  uint64_t h = static_cast<uint64_t>(static_cast<uint32_t>(w.pe)) << 32 | w.kernel;
  h = h * 0x9e3779b97f4a7c15ull ^ (static_cast<uint64_t>(w.block) << 32 | w.thread);
  return static_cast<size_t>((h ^ h >> 29) * 0xbf58476d1ce4e5b9ull);
}

bool StreamedLanes::read_on() {
  Entry& e = read_entry_;
  do {
    if (!reader_->next(e)) return false;
    if (progress_ && ++read_ % (1 << 18) == 0) progress_(reader_->done());
  } while (e.what == Entry::What::host || e.what == Entry::What::comment);
  Where block = e.where;
  block.thread = 0;
  Block& b = blocks_[block];
  if (e.what == Entry::What::warp) {
    b.warps.push_back(e.work);
    return true;
  }
  b.has_threads = true;
  if (steers(e.lane.op.kind)) ++steering_[std::string(name_of(e.lane.op.kind))];
  uint32_t index = free_;
  if (index == kNone) {
    index = static_cast<uint32_t>(entries_.size());
    entries_.emplace_back();
  } else {
    free_ = entries_[index].next;
  }
  entries_[index].entry = std::move(e.lane);
  entries_[index].next = kNone;
  Queue& q = threads_[e.where];
  (q.tail == kNone ? q.head : entries_[q.tail].next) = index;
  q.tail = index;
  return true;
}

bool StreamedLanes::block_work(const device::Cta& cta, std::vector<device::Work>& warps) {
  Where where = where_of(cta);
  size_t all = (cta.grid->threads() + 31) / 32;
  for (;;) {
    Block& b = blocks_[where];
    if (b.has_threads) return false;
    if (b.warps.size() == all) {
      warps = std::move(b.warps);
      blocks_.erase(where);
      return true;
    }
    if (!read_on()) return false;
  }
}

const LaneEntry* StreamedLanes::next(device::Lane& lane) {
  Where where = where_of(*lane.warp->cta, lane.thread);
  auto at = threads_.find(where);
  while (at == threads_.end()) {
    if (!read_on()) return nullptr;
    at = threads_.find(where);
  }
  Queue& q = at->second;
  uint32_t index = q.head;
  Node& node = entries_[index];
  current_ = std::move(node.entry);
  if ((q.head = node.next) == kNone) threads_.erase(at);
  node.next = free_, free_ = index;
  return &current_;
}

void StreamedLanes::block_ends(const device::Cta& cta) { blocks_.erase(where_of(cta)); }

std::string StreamedLanes::steering() const {
  std::string out;
  for (const auto& [name, n] : steering_) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", n, name);
  return out;
}

void StreamedLanes::finish() {
  while (reader_->next(read_entry_)) {
  }
}

}  // namespace shmemu::traces
