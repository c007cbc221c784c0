#include "traces/recorder.hpp"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "base/errors.hpp"

namespace shmemu::traces {

FileRecorder::FileRecorder(const std::filesystem::path& file) : path_(file), file_(std::fopen(file.c_str(), "w")) {
  if (!file_)
    throw UserError(ExitCode::usage, fmt::format("cannot write '{}': {}", file.string(), std::strerror(errno)));
}

void FileRecorder::line(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size())
    throw UserError(ExitCode::program_failed,
                    fmt::format("cannot write '{}': {}", path_.string(), std::strerror(errno)));
}

void FileRecorder::header(const Header& h) { line(write_header(h)); }

void FileRecorder::lane_op(const device::Lane& lane, const Op& op, const Payload* payload, Time gap) {
  const device::Cta& cta = *lane.warp->cta;
  if (op.kind == OpKind::put && op.flags & Op::kPacked && op.bytes >= kTail) {  // its end answers a poll
    const char* end = reinterpret_cast<const char*>(payload ? payload->data() : nullptr);
    if (!end) end = reinterpret_cast<const char*>(op.local);
    Payload tail(end + op.bytes - kTail, kTail);
    return line(write_lane(lane.pe, cta.grid->number, cta.index, lane.thread, op, &tail, gap, lane.work));
  }
  line(write_lane(lane.pe, cta.grid->number, cta.index, lane.thread, op, payload, gap, lane.work));
}

void FileRecorder::block_work(const device::Cta& cta, const std::vector<device::Work>& warps) {
  for (size_t w = 0; w < warps.size(); ++w)
    line(write_warp(cta.grid->pe, cta.grid->number, cta.index, static_cast<uint32_t>(w), warps[w]));
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
  line(write_host(host.pe, e));
}

void FileRecorder::host_stop(const device::Host& host, const Op& op, const device::Command* awaited, Time since) {
  HostEntry e;
  e.since = since;
  e.op = op;
  if (awaited) e.awaited = static_cast<int64_t>(awaited->number);
  line(write_host(host.pe, e));
}

}  // namespace shmemu::traces
