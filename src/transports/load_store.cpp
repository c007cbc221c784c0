#include "transports/load_store.hpp"

#include <algorithm>

namespace shmemu {

Time copy_trip(const GpuModel& gpu, uint32_t threads, uint32_t width, Time load_extra) {
  uint32_t warps = (threads + 31) / 32;
  uint32_t lanes = std::min(threads, 32u);
  int64_t lines = std::max<int64_t>(1, lanes * width / 128);
  Time hit = gpu.loop + gpu.line * (lines - 1) + gpu.warp * (warps - 1);
  Time pipe = (gpu.pipe_warp + gpu.pipe_line * lines) * warps;
  return std::max(hit + load_extra, pipe);
}

Time copy_loop(const GpuModel& gpu, uint32_t threads, uint64_t bytes, Time load_extra) {
  if (bytes == 0) return {};
  uint32_t width = bytes >= 16 ? 16 : bytes >= 8 ? 8 : 4;
  uint64_t per_trip = uint64_t{threads} * width;
  auto trips = static_cast<int64_t>((bytes + per_trip - 1) / per_trip);
  if (threads > 1) return copy_trip(gpu, threads, width, load_extra) * trips;
  // a lone thread meets a new 32 B sector every 32/width trips; the others hit L1
  auto sectors = static_cast<int64_t>((bytes + 31) / 32);
  return (gpu.loop + load_extra) * sectors + gpu.loop * (trips - std::min(trips, sectors));
}

Time LoadStore::issue_time(const Transfer& t) const {
  switch (t.op().kind) {
    case OpKind::p:
    case OpKind::signal: return gpu_.p_issue + gpu_.pipe_line * (t.lines - 1);
    case OpKind::atomic: return gpu_.atomic_issue + gpu_.pipe_line * (t.lines - 1);
    case OpKind::g:
    case OpKind::fetch: return gpu_.pipe_line * (t.lines - 1);
    default: break;
  }
  Time call = t.op().scope == Scope::thread ? gpu_.call_thread : gpu_.call_group;
  if (t.op().scope == Scope::block) call += gpu_.sync_per_warp * ((t.threads + 31) / 32) * 2;
  if (t.op().flags & Op::kCopyEngine) return call;  // the link sets the time
  bool load = t.op().kind == OpKind::get || t.op().kind == OpKind::iget;
  return call + copy_loop(gpu_, t.threads, t.bytes / t.pieces.size(), load ? costs_.load : gpu_.l2_load);
}

void LoadStore::post(Transfer& t, TransferSink& sink) {
  Time now = queue_.now(), issue = now + issue_time(t);
  Transfer* transfer = &t;
  TransferSink* to = &sink;
  switch (t.op().kind) {
    case OpKind::g:
    case OpKind::fetch:
    case OpKind::get:
    case OpKind::iget: {
      bool scalar = t.op().kind == OpKind::g || t.op().kind == OpKind::fetch;
      Time end = std::max(scalar ? issue + costs_.fetch : issue, occupy(t.op(), t.bytes, costs_.load_rate));
      queue_.at(end - costs_.fetch / 2 < now ? now : end - costs_.fetch / 2, Rank::memory,
                [=] { to->delivered(*transfer); });
      queue_.at(end, Rank::agent, [=] { to->returned(*transfer); });
      return;
    }
    default: break;
  }
  issue = std::max(issue, occupy(t.op(), t.bytes, costs_.store_rate));
  Time visible = issue + costs_.flight, acknowledged = issue + costs_.acknowledge;
  if (t.op().kind == OpKind::put_signal) {  // data, system fence, then the signal
    issue = acknowledged + gpu_.fence_system + gpu_.p_issue;
    visible = issue + costs_.flight, acknowledged = issue + costs_.acknowledge;
  }
  queue_.at(issue, Rank::agent, [=] { to->issued(*transfer); });
  queue_.at(visible, Rank::memory, [=] { to->delivered(*transfer); });
  queue_.at(std::max(acknowledged, visible), Rank::agent, [=] { to->returned(*transfer); });
}

}  // namespace shmemu
