#include "gpu/rings.hpp"

#include <chrono>

#include "gpu/decode.hpp"

namespace shmemu::gpu {

bool RingReader::drain(std::vector<shmemu_log_record>& out) {
  bool any = false;
  for (size_t ring = 0; ring < next_.size(); ++ring) {
    uint64_t from = next_[ring];
    shmemu_log_record record;
    for (;; ++next_[ring]) {
      uint64_t n = next_[ring];
      const char* slot = slots_ + (ring * capacity_ + n % capacity_) * 16 * SHMEMU_RECORD_CHUNKS;
      if (!read_record(slot, static_cast<uint32_t>(n / capacity_) + 1, record)) break;
      out.push_back(record);
      if ((n + 1) % (capacity_ / 2) == 0) tails_[ring] = n + 1;  // a full ring waits for this
    }
    if (next_[ring] == from) continue;
    tails_[ring] = next_[ring];
    any = true;
  }
  return any;
}

Drain::Drain(std::vector<RingReader> readers)
    : readers_(std::move(readers)), taken_(readers_.size()), thread_([this] { work(); }) {}

Drain::~Drain() {
  end_ = true;
  thread_.join();
}

void Drain::work() {
  while (!end_) {
    bool any = false;
    for (size_t pe = 0; pe < readers_.size(); ++pe) {
      std::lock_guard lock(mutex_);
      size_t before = taken_[pe].size();
      any |= readers_[pe].drain(taken_[pe]);
      count_ += taken_[pe].size() - before;
    }
    if (!any) std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

std::vector<shmemu_log_record> Drain::take(int pe) {
  std::lock_guard lock(mutex_);
  auto& list = taken_[static_cast<size_t>(pe)];
  size_t before = list.size();
  readers_[static_cast<size_t>(pe)].drain(list);
  count_ += list.size() - before;
  return std::move(list);
}

}  // namespace shmemu::gpu
