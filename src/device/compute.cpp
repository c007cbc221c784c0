#include "device/compute.hpp"

#include <algorithm>

namespace shmemu::device {
namespace {

// Four schedulers per SM, one warp instruction per cycle each (CUDA programming guide, compute capability 9.0).
constexpr double kQuarterSlotsPerCycle = 16;

Time cycles(const GpuModel& gpu, double n) { return Time::from_ns(n / gpu.clock_ghz); }

}  // namespace

Work& Work::operator+=(const shmemu_work& w) {
  quarter_slots += w.quarter_slots;
  cycles += w.cycles;
  quarter_loads += w.quarter_loads;
  bytes += w.bytes;
  return *this;
}

void Work::join(const shmemu_work& lane, const GpuModel& gpu) {
  Work other;
  other += lane;
  if (chain_time(gpu, *this, false) < chain_time(gpu, other, false))
    cycles = other.cycles, quarter_loads = other.quarter_loads;
  quarter_slots = std::max(quarter_slots, other.quarter_slots);
  bytes += other.bytes;
}

Time chain_time(const GpuModel& gpu, const Work& w, bool beyond_l2) {
  Time load = beyond_l2 ? gpu.l2_load + gpu.memory_load : gpu.l2_load;
  return cycles(gpu, static_cast<double>(w.cycles)) + load * static_cast<int64_t>(w.quarter_loads) / 4;
}

Time Server::serve(Time now, Time from, Time needed, int64_t sharers) {
  while (!busy_.empty() && busy_.begin()->second < now) busy_.erase(busy_.begin());
  if (!needed.ps) return from;
  Time latest = from + needed * sharers, start = from;
  auto next = busy_.upper_bound(from);
  if (next != busy_.begin() && std::prev(next)->second >= from) start = (--next)->second;
  Time first = next != busy_.end() && next->first <= from ? next->first : from;
  if (next != busy_.end() && next->first <= from) next = busy_.erase(next);
  // from `start` on, fill what is free; everything up to the end becomes one busy piece
  for (; next != busy_.end() && next->first - start < needed; next = busy_.erase(next)) {
    needed -= next->first - start;
    start = next->second;
  }
  Time end = start + needed;
  if (next != busy_.end() && next->first == end) {
    busy_[first] = next->second;
    busy_.erase(next);
  } else {
    busy_[first] = end;
  }
  return std::min(end, latest);
}

Time Compute::phase_end(int sm, Time now, Time from, uint64_t quarter_slots, uint64_t bytes, bool beyond_l2,
                        Sharers warps) {
  Sm& s = sms_[static_cast<size_t>(sm)];
  Time end =
      s.issue.serve(now, from, cycles(gpu_, static_cast<double>(quarter_slots) / kQuarterSlotsPerCycle), warps.on_sm);
  if (!bytes) return end;
  end = std::max(end, s.memory_path.serve(now, from, gpu_.sm_path.time_for(bytes), warps.on_sm));
  Server& memory = beyond_l2 ? memory_ : l2_;
  return std::max(end, memory.serve(now, from, (beyond_l2 ? gpu_.hbm : gpu_.l2_rate).time_for(bytes), warps.on_gpu));
}

}  // namespace shmemu::device
