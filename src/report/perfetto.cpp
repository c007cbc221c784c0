#include "report/perfetto.hpp"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "base/errors.hpp"

namespace shmemu {
namespace {

// Protocol buffer encoding: varints, length-delimited and fixed 64-bit fields.
void varint(std::string& out, uint64_t v) {
  for (; v >= 0x80; v >>= 7) out += static_cast<char>(v | 0x80);
  out += static_cast<char>(v);
}
void number(std::string& out, uint32_t field, uint64_t v) {
  varint(out, uint64_t{field} << 3);
  varint(out, v);
}
void text(std::string& out, uint32_t field, std::string_view v) {
  varint(out, uint64_t{field} << 3 | 2);
  varint(out, v.size());
  out += v;
}
void fixed(std::string& out, uint32_t field, uint64_t v) {
  varint(out, uint64_t{field} << 3 | 1);
  out.append(reinterpret_cast<const char*>(&v), 8);
}

// Field numbers of the messages used.
enum Trace { kPacket = 1 };
enum TracePacket { kTimestamp = 8, kSequence = 10, kTrackEvent = 11, kTrackDescriptor = 60 };
enum TrackDescriptor { kUuid = 1, kName = 2, kProcess = 3, kParent = 5 };
enum ProcessDescriptor { kPid = 1, kProcessName = 6 };
enum TrackEvent { kAnnotation = 4, kType = 9, kTrack = 11, kEventName = 23, kFlow = 47, kFlowEnd = 48 };
enum DebugAnnotation { kUint = 3, kInt = 4, kAnnotationName = 10 };
constexpr uint64_t kBegin = 1, kEnd = 2, kSequenceId = 1;
constexpr uint64_t kLinksPid = 1 << 30;

void annotate(std::string& event, std::string_view name, uint64_t value) {
  std::string a;
  text(a, kAnnotationName, name);
  number(a, kUint, value);
  text(event, kAnnotation, a);
}

}  // namespace

PerfettoWriter::PerfettoWriter(const std::filesystem::path& file) : file_(std::fopen(file.c_str(), "wb")) {
  if (!file_)
    throw UserError(ExitCode::usage, fmt::format("cannot write '{}': {}", file.string(), std::strerror(errno)));
}

void PerfettoWriter::packet(const std::string& body) {
  std::string out;
  text(out, kPacket, body);
  std::fwrite(out.data(), 1, out.size(), file_.get());
}

uint64_t PerfettoWriter::describe(int pe, const std::string& name, bool process) {
  uint64_t track = next_track_++;
  std::string d;
  number(d, kUuid, track);
  if (process) {
    std::string p;
    number(p, kPid, pe == kLinks ? kLinksPid : static_cast<uint64_t>(pe) + 1);
    text(p, kProcessName, name);
    text(d, kProcess, p);
  } else {
    text(d, kName, name);
    number(d, kParent, processes_.at(pe));
  }
  std::string body;
  number(body, kSequence, kSequenceId);
  text(body, kTrackDescriptor, d);
  packet(body);
  return track;
}

uint64_t PerfettoWriter::row_for(const Slice& s) {
  if (!processes_.contains(s.pe))
    processes_[s.pe] = describe(s.pe, s.pe == kLinks ? "links" : fmt::format("PE {}", s.pe), true);
  Rows& rows = rows_[{s.pe, s.track}];
  for (size_t i = 0; i < rows.tracks.size(); ++i)
    if (rows.busy_until[i] <= s.from) {
      rows.busy_until[i] = s.to;
      return rows.tracks[i];
    }
  std::string row = rows.tracks.empty() ? "" : fmt::format(", row {}", rows.tracks.size() + 1);
  rows.tracks.push_back(describe(s.pe, s.track + row, false));
  rows.busy_until.push_back(s.to);
  return rows.tracks.back();
}

void PerfettoWriter::add(const Slice& s) {
  uint64_t track = row_for(s);
  std::string event;
  number(event, kType, kBegin);
  number(event, kTrack, track);
  text(event, kEventName, s.name);
  if (s.flow) fixed(event, s.flow_ends ? kFlowEnd : kFlow, s.flow);
  if (s.bytes) annotate(event, "bytes", s.bytes);
  if (s.target >= 0) annotate(event, "target PE", static_cast<uint64_t>(s.target));
  annotate(event, "ps", static_cast<uint64_t>((s.to - s.from).ps));
  std::string begin;
  number(begin, kTimestamp, static_cast<uint64_t>(s.from.ps / 1000));
  number(begin, kSequence, kSequenceId);
  text(begin, kTrackEvent, event);
  packet(begin);
  std::string end_event, end;
  number(end_event, kType, kEnd);
  number(end_event, kTrack, track);
  number(end, kTimestamp, static_cast<uint64_t>(s.to.ps / 1000));
  number(end, kSequence, kSequenceId);
  text(end, kTrackEvent, end_event);
  packet(end);
}

}  // namespace shmemu
