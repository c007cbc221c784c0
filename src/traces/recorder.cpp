#include "traces/recorder.hpp"

namespace shmemu::traces {

FileRecorder::FileRecorder(const std::filesystem::path& file) : out_(trace_writer(file)) {}

void FileRecorder::lane_op(const device::Lane& lane, const Op& op, const Payload* payload, Time gap) {
  const device::Cta& cta = *lane.warp->cta;
  Where where{lane.pe.value, cta.grid->number, cta.index, lane.thread};
  if (op.kind == OpKind::put && op.flags & Op::kPacked && op.bytes >= kTail) {  // its end answers a poll
    const char* end = reinterpret_cast<const char*>(payload ? payload->data() : nullptr);
    if (!end) end = reinterpret_cast<const char*>(op.local);
    Payload tail(end + op.bytes - kTail, kTail);
    return out_->lane(where, op, &tail, gap, lane.work);
  }
  out_->lane(where, op, payload, gap, lane.work);
}

void FileRecorder::block_work(const device::Cta& cta, const std::vector<device::Work>& warps) {
  for (uint32_t w = 0; w < warps.size(); ++w)
    out_->warp({cta.grid->pe.value, cta.grid->number, cta.index, w}, warps[w]);
}

void FileRecorder::submit(const device::Host& host, const device::Stream& stream, const device::Command& command,
                          Time latency, const std::vector<device::CommandRef>& also, Time since) {
  HostEntry e;
  e.submit = true;
  e.since = since;
  e.kind = command.kind;
  e.name = command.name;
  e.stream = stream.number;
  e.blocking = stream.blocking;
  e.latency = latency;
  for (auto& other : also)
    if (other) e.also.push_back(other->number);
  if (command.launch) e.has_launch = true, e.launch = *command.launch, e.gpu = command.gpu.value;
  if (command.duration) e.has_duration = true, e.duration = *command.duration;
  out_->host(host.pe, e);
}

void FileRecorder::host_stop(const device::Host& host, const Op& op, const device::Command* awaited, Time since) {
  HostEntry e;
  e.since = since;
  e.op = op;
  if (awaited) e.awaited = static_cast<int64_t>(awaited->number);
  out_->host(host.pe, e);
}

}  // namespace shmemu::traces
