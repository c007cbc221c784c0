#include "traces/reader.hpp"

#include <array>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/errors.hpp"
#include "traces/column_file.hpp"
#include "traces/columns.hpp"

namespace shmemu::traces {
namespace {

using nlohmann::json;

OpKind kind_named(const std::string& name) {
  for (int k = 0; k < static_cast<int>(OpKind::count_); ++k)
    if (name_of(static_cast<OpKind>(k)) == name) return static_cast<OpKind>(k);
  throw std::runtime_error(fmt::format("unknown operation '{}'", name));
}

template <class T>
T field(const json& j, const char* key) {
  auto at = j.find(key);
  return at == j.end() ? T{} : at->get<T>();
}

Op read_op(const json& j, int pe, int pes) {
  Op op;
  op.kind = kind_named(j.at("op").get<std::string>());
  op.scope = static_cast<Scope>(field<int>(j, "scope"));
  op.nbi = field<int>(j, "nbi") != 0;
  op.type = field<uint8_t>(j, "type");
  op.function = field<uint8_t>(j, "function");
  op.flags = field<uint8_t>(j, "flags");
  op.signal_op = field<uint8_t>(j, "signal_op");
  op.issuer = {pe};
  op.target = {field<int>(j, "target")};
  if (op.target.value < 0 || op.target.value >= pes)
    throw std::runtime_error(fmt::format("target PE {} of {}", op.target.value, pes));
  op.site = field<uint64_t>(j, "site");
  op.remote = field<uint64_t>(j, "remote");
  op.local = field<uint64_t>(j, "local");
  op.bytes = field<uint64_t>(j, "bytes");
  op.value = field<uint64_t>(j, "value");
  op.compare = field<uint64_t>(j, "compare");
  op.signal = field<uint64_t>(j, "signal");
  op.elements = field<uint64_t>(j, "elements");
  op.qp = field<uint32_t>(j, "qp");
  op.remote_stride = field<int64_t>(j, "remote_stride");
  op.local_stride = field<int64_t>(j, "local_stride");
  return op;
}

Payload read_payload(const json& j) {
  auto hex = field<std::string>(j, "data");
  std::vector<std::byte> bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(std::stoul(hex.substr(i, 2), nullptr, 16)));
  return {bytes.data(), bytes.size()};
}

device::Dim3 read_dim(const json& j) {
  return {j.at(0).get<uint32_t>(), j.at(1).get<uint32_t>(), j.at(2).get<uint32_t>()};
}

HostEntry read_host(const json& j, int pe, int pes) {
  HostEntry e;
  e.since = {field<int64_t>(j, "since")};
  e.submit = j.contains("submit");
  if (!e.submit) {
    e.op = read_op(j, pe, pes);
    e.awaited = j.value("awaited", int64_t{-1});
    return e;
  }
  e.kind = kind_named(j.at("submit").get<std::string>());
  e.name = j.at("name").get<std::string>();
  e.stream = field<int>(j, "stream");
  e.blocking = j.value("blocking", true);
  e.latency = {field<int64_t>(j, "latency")};
  e.also = field<std::vector<uint64_t>>(j, "also");
  if ((e.has_duration = j.contains("duration"))) e.duration = {j["duration"].get<int64_t>()};
  if ((e.has_launch = j.contains("kernel"))) {
    const json& k = j["kernel"];
    e.launch.name = e.name;
    e.launch.grid = read_dim(k.at("grid"));
    e.launch.block = read_dim(k.at("block"));
    e.launch.shared_bytes = k.at("shared").get<uint64_t>();
    e.launch.cooperative = k.at("cooperative").get<bool>();
    e.launch.internal = k.at("internal").get<bool>();
    e.gpu = k.at("gpu").get<int>();
    e.kernel = k.value("number", int64_t{-1});
  }
  return e;
}

shmemu_work read_work(const nlohmann::json& j) {
  if (!j.contains("work")) return {};
  const auto w = j.at("work").get<std::vector<uint64_t>>();
  if (w.size() != 4 && w.size() != 5) throw std::runtime_error(fmt::format("work: {} numbers, 4 or 5 are", w.size()));
  auto narrow = [](uint64_t n) { return static_cast<uint32_t>(n); };
  return {narrow(w[0]), narrow(w[1]), narrow(w[2]), narrow(w[3]), w.size() == 5 ? w[4] : 0};
}

Header read_header(const json& j) {
  int version = j.value("shmemu_trace", 0);
  if (version != kVersion) throw std::runtime_error(fmt::format("version {}, this shmemu reads {}", version, kVersion));
  Header h{j.at("program"), j.at("platform"), j.at("pes"), j.at("gpus"), j.at("heap_base"), j.at("heap_stride")};
  if (h.pes < 1) throw std::runtime_error("no PEs");
  return h;
}

bool is_comment(const std::string& text) { return text.empty() || text[0] == '#'; }

class TextReader : public TraceReader {
 public:
  explicit TextReader(const std::filesystem::path& file) : TraceReader(file), in_(file) {
    if (!in_) throw UserError(ExitCode::usage, fmt::format("cannot read '{}'", file.string()));
    size_ = std::filesystem::file_size(file);
    std::string text;
    while (line(text)) {
      if (is_comment(text)) {
        before_.push_back(text);
        continue;
      }
      try {
        header_ = read_header(json::parse(text));
        return;
      } catch (const std::exception& e) {
        refuse(e);
      }
    }
    throw UserError(ExitCode::usage, fmt::format("{}: the header is missing", file.string()));
  }
  double done() const override { return size_ ? static_cast<double>(read_) / static_cast<double>(size_) : 1; }
  std::vector<std::vector<HostEntry>> hosts() override {
    TextReader again(path_);
    std::vector<std::vector<HostEntry>> out(static_cast<size_t>(header_.pes));
    for (Entry e; again.next(e);)
      if (e.what == Entry::What::host) out[static_cast<size_t>(e.where.pe)].push_back(std::move(e.host));
    return out;
  }

 protected:
  bool read(Entry& entry) override {
    std::string text;
    if (!before_.empty()) {
      entry = {};
      entry.text = before_.front();
      before_.erase(before_.begin());
      return true;
    }
    if (!line(text)) return false;
    try {
      entry = parse_line(text, header_);
    } catch (const std::exception& e) {
      refuse(e);
    }
    return true;
  }

 private:
  bool line(std::string& text) {
    if (!std::getline(in_, text)) return false;
    read_ += text.size() + 1;
    ++number_;
    return true;
  }
  [[noreturn]] void refuse(const std::exception& e) const {
    throw UserError(ExitCode::usage, fmt::format("{}:{}: not a trace line: {}", path_.string(), number_, e.what()));
  }
  std::ifstream in_;
  std::vector<std::string> before_;  // comments before the header
  uint64_t size_ = 0, read_ = 0;
  int number_ = 0;
};

}  // namespace

Entry parse_line(const std::string& text, const Header& header) {
  Entry out;
  if (is_comment(text)) {
    out.text = text;
    return out;
  }
  json j = json::parse(text);
  int pe = j.at("pe").get<int>();
  if (pe < 0 || pe >= header.pes) throw std::runtime_error(fmt::format("PE {} of {}", pe, header.pes));
  out.where.pe = pe;
  if (j.contains("t") || j.contains("w")) out.where = {pe, j.at("k"), j.at("b"), j.contains("t") ? j["t"] : j["w"]};
  if (j.contains("t")) {
    out.what = Entry::What::lane;
    out.lane = {read_op(j, pe, header.pes), read_payload(j), {field<int64_t>(j, "gap")}, read_work(j)};
  } else if (j.contains("w")) {
    out.what = Entry::What::warp;
    auto w = j.at("work").get<std::array<uint64_t, 4>>();
    out.work = {w[0], w[1], w[2], w[3]};
  } else {
    out.what = Entry::What::host;
    out.host = read_host(j, pe, header.pes);
    out.text = text;
  }
  return out;
}

bool TraceReader::next(Entry& entry) {
  if (ended_.empty()) ended_.assign(static_cast<size_t>(header_.pes), false);
  if (!read(entry)) return check_ends(ended_), false;
  if (entry.what == Entry::What::host)
    ended_[static_cast<size_t>(entry.where.pe)] = !entry.host.submit && entry.host.op.kind == OpKind::exit;
  return true;
}

void TraceReader::check_ends(const std::vector<bool>& ended) const {
  for (size_t pe = 0; pe < ended.size(); ++pe)
    if (!ended[pe])
      throw UserError(ExitCode::usage,
                      fmt::format("{}: the trace of PE {} does not end: the file is truncated", path_.string(), pe));
}

std::unique_ptr<TraceReader> trace_reader(const std::filesystem::path& file) {
  if (ColumnFile::is_one(file)) return column_reader(file);
  return std::make_unique<TextReader>(file);
}

Trace read_trace(const std::filesystem::path& file) {
  auto reader = trace_reader(file);
  Trace trace;
  trace.header = reader->header();
  trace.hosts.resize(static_cast<size_t>(trace.header.pes));
  for (Entry e; reader->next(e);) switch (e.what) {
      case Entry::What::comment:
        break;
      case Entry::What::host:
        trace.hosts[static_cast<size_t>(e.where.pe)].push_back(std::move(e.host));
        break;
      case Entry::What::lane:
        trace.lanes[e.where].push_back(std::move(e.lane));
        break;
      case Entry::What::warp:
        trace.blocks[{e.where.pe, e.where.kernel, e.where.block}].push_back(e.work);
        break;
    }
  return trace;
}

void write_trace(const std::filesystem::path& file, const Trace& trace) {
  auto out = trace_writer(file);
  out->header(trace.header);
  for (size_t pe = 0; pe < trace.hosts.size(); ++pe)
    for (const HostEntry& e : trace.hosts[pe]) out->host(PeId{static_cast<int>(pe)}, e);
  for (const auto& [where, entries] : trace.lanes)
    for (const LaneEntry& e : entries) out->lane(where, e.op, &e.payload, e.gap, e.work);
  for (const auto& [where, warps] : trace.blocks) {
    auto [pe, kernel, block] = where;
    for (uint32_t w = 0; w < warps.size(); ++w) out->warp({pe, kernel, block, w}, warps[w]);
  }
  out->finish();
}

}  // namespace shmemu::traces
