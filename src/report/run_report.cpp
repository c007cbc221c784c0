#include "report/run_report.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/errors.hpp"

namespace shmemu {

int DurationSummary::bucket(int64_t ps) {
  if (ps < 64) return static_cast<int>(std::max<int64_t>(ps, 0));
  int octave = 63 - std::countl_zero(static_cast<uint64_t>(ps));
  return (octave - 5) * 64 + static_cast<int>((ps >> (octave - 6)) & 63);
}

void DurationSummary::add(Time t) {
  ++count_;
  min_ = std::min(min_, t);
  max_ = std::max(max_, t);
  ++buckets_[bucket(t.ps)];
}

Time DurationSummary::median() const {
  uint64_t half = (count_ + 1) / 2, seen = 0;
  for (auto& [index, n] : buckets_) {
    seen += n;
    if (seen < half) continue;
    if (index < 64) return Time{index};
    int octave = index / 64 + 5;
    int64_t low = (int64_t{64} + index % 64) << (octave - 6);
    int64_t width = int64_t{1} << (octave - 6);
    return std::clamp(Time{low + width / 2}, min_, max_);
  }
  return {};
}

void RunReport::open_timeline(const std::filesystem::path& file) {
  if (file.extension() == ".pftrace") {
    perfetto_ = std::make_unique<PerfettoWriter>(file);
    return;
  }
  timeline_.reset(std::fopen(file.c_str(), "w"));
  if (!timeline_)
    throw UserError(ExitCode::usage, fmt::format("cannot write '{}': {}", file.string(), std::strerror(errno)));
}

void RunReport::span(const Place& w, const Op& op, uint32_t lanes, uint64_t bytes, Time from, Time to, uint64_t flow) {
  std::string name(name_of(op.kind));
  if (op.scope == Scope::warp) name += "_warp";
  if (op.scope == Scope::block) name += "_block";
  Row& row = rows_[name];
  row.durations.add(to - from);
  row.bytes += bytes;
  row.busy += to - from;
  for (uint64_t word : {static_cast<uint64_t>(w.pe.value), static_cast<uint64_t>(w.host),
                        static_cast<uint64_t>(w.stream), uint64_t{w.grid}, uint64_t{w.block}, uint64_t{w.warp},
                        uint64_t{w.mask}, static_cast<uint64_t>(op.kind), static_cast<uint64_t>(op.target.value),
                        uint64_t{lanes}, bytes, static_cast<uint64_t>(from.ps), static_cast<uint64_t>(to.ps)})
    digest_.add(word);
  if (perfetto_) {
    std::string track = w.host ? "host" : fmt::format("kernel {} block {} warp {}", w.grid, w.block, w.warp);
    bool waits = op.kind == OpKind::wait || op.kind == OpKind::wait_set || op.kind == OpKind::poll;
    bool has_target = op.bytes || op.kind == OpKind::signal;
    perfetto_->add(
        {w.pe.value, track, name, from, to, bytes, has_target && !waits ? op.target.value : -1, flow, waits});
  }
  if (!timeline_) return;
  std::string at = w.host ? std::string("host")
                          : fmt::format("stream {} kernel {} block {} warp {} lanes {:08x}", w.stream, w.grid, w.block,
                                        w.warp, w.mask);
  fmt::print(timeline_.get(),
             R"({{"from_ps":{},"to_ps":{},"pe":{},"at":"{}","op":"{}","target":{},"lanes":{},"bytes":{}}})"
             "\n",
             from.ps, to.ps, w.pe.value, at, name, op.target.value, lanes, bytes);
}

void RunReport::carried(const Op& op, uint64_t bytes, Time from, Time to, uint64_t flow) {
  uint64_t lanes = op.kind == OpKind::p && op.bytes ? bytes / op.bytes : 1;  // a proxy has a request for each
  for (uint64_t i = 0; i < lanes; ++i) messages_.add(op, bytes / lanes);
  transfers_.add(op, bytes, from, to);
  if (!perfetto_) return;
  bool load = op.kind == OpKind::get || op.kind == OpKind::g || op.kind == OpKind::iget;
  PeId source = load ? op.target : op.issuer, sink = load ? op.issuer : op.target;
  perfetto_->add({PerfettoWriter::kLinks, fmt::format("PE {} to PE {}", source.value, sink.value), name_of(op.kind),
                  from, to, bytes, -1, flow, false});
}

void RunReport::command(PeId pe, int stream, OpKind kind, const std::string& name, Time from, Time to) {
  Row& row = rows_[std::string(name_of(kind))];
  row.durations.add(to - from);
  row.busy += to - from;
  digest_.add(static_cast<uint64_t>(pe.value));
  digest_.add(name);
  digest_.add(static_cast<uint64_t>(from.ps));
  digest_.add(static_cast<uint64_t>(to.ps));
  if (perfetto_) perfetto_->add({pe.value, fmt::format("stream {}", stream), name, from, to, 0, -1, 0, false});
  if (timeline_)
    fmt::print(timeline_.get(),
               R"({{"from_ps":{},"to_ps":{},"pe":{},"at":"stream {}","op":"{}","name":"{}"}})"
               "\n",
               from.ps, to.ps, pe.value, stream, name_of(kind), name);
}

void RunReport::pe_ended(PeId pe, Time at, int code) {
  auto i = static_cast<size_t>(pe.value);
  if (ended_.size() <= i) ended_.resize(i + 1), codes_.resize(i + 1);
  ended_[i] = at;
  codes_[i] = code;
  digest_.add(static_cast<uint64_t>(at.ps));
  digest_.add(static_cast<uint64_t>(code));
}

void RunReport::conclude(MessageRate::Limit limit) {
  if (ended_.empty()) return;
  limit.end = *std::max_element(ended_.begin(), ended_.end());
  if (auto finding = messages_.finding(limit)) findings.add(std::move(*finding));
}

void RunReport::conclude(TransferLimits::Limit limit) {
  if (ended_.empty()) return;
  limit.end = *std::max_element(ended_.begin(), ended_.end());
  for (Finding& f : transfers_.findings(limit)) findings.add(std::move(f));
}

std::string RunReport::text(const Summary& s) const {
  std::string out = fmt::format("\n{} on {} PEs of {}\n", s.program, s.pes, s.platform);
  out += fmt::format("{:<18}{:>10}{:>12}{:>12}{:>12}{:>12}{:>10}\n", "operation", "count", "bytes", "min µs",
                     "median µs", "max µs", "GB/s");
  for (auto& [name, row] : rows_) {
    const DurationSummary& d = row.durations;
    std::string rate = row.bytes && row.busy.ps ? fmt::format("{:.2f}", static_cast<double>(row.bytes) / row.busy.ns())
                                                : std::string("-");
    out += fmt::format("{:<18}{:>10}{:>12}{:>11.3f}{:>12.3f}{:>12.3f}{:>10}\n", name, d.count(),
                       row.bytes ? bytes_to_text(row.bytes) : "-", d.min().us(), d.median().us(), d.max().us(), rate);
  }
  if (!ended_.empty()) {
    auto [first, last] = std::minmax_element(ended_.begin(), ended_.end());
    out += fmt::format("virtual time: {} (first PE {})\n", to_text(*last), to_text(*first));
  }
  for (auto& note : s.notes) out += "note: " + note + "\n";
  out += findings.text();
  double per = s.observations ? static_cast<double>(s.switches) / static_cast<double>(s.observations) : 0;
  out +=
      fmt::format("wall time: {:.2f} s; {} transfers, {} ordered interactions, {:.1f} switches each; digest {:016x}\n",
                  s.wall_seconds, s.transfers, s.observations, per, digest());
  return out;
}

std::string RunReport::json(const Summary& s) const {
  nlohmann::ordered_json out;
  out["version"] = 1;
  out["program"] = s.program;
  out["platform"] = s.platform;
  out["pes"] = s.pes;
  for (auto& [name, row] : rows_) {
    nlohmann::ordered_json r;
    r["operation"] = name;
    r["count"] = row.durations.count();
    r["bytes"] = row.bytes;
    r["min_us"] = row.durations.min().us();
    r["median_us"] = row.durations.median().us();
    r["max_us"] = row.durations.max().us();
    if (row.bytes && row.busy.ps) r["gb_per_s"] = static_cast<double>(row.bytes) / row.busy.ns();
    out["operations"].push_back(r);
  }
  for (size_t i = 0; i < ended_.size(); ++i)
    out["pe_results"].push_back({{"pe", i}, {"virtual_us", ended_[i].us()}, {"exit_code", codes_[i]}});
  out["wall_seconds"] = s.wall_seconds;
  out["transfers"] = s.transfers;
  out["ordered_interactions"] = s.observations;
  out["switches"] = s.switches;
  out["notes"] = s.notes;
  out["findings"] = findings.json();
  out["digest"] = fmt::format("{:016x}", digest());
  return out.dump(2) + "\n";
}

std::string RunReport::failure_json(int exit_code, const std::string& message) const {
  nlohmann::ordered_json out;
  out["version"] = 1;
  out["exit_code"] = exit_code;
  out["failed"] = message;
  out["findings"] = findings.json();
  return out.dump(2) + "\n";
}

}  // namespace shmemu
