#include "traces/reader.hpp"

#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/errors.hpp"

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

}  // namespace

Trace read_trace(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) throw UserError(ExitCode::usage, fmt::format("cannot read '{}'", file.string()));
  Trace trace;
  std::string text;
  for (int number = 1; std::getline(in, text); ++number) {
    if (text.empty() || text[0] == '#') continue;  // comments are for people
    try {
      json j = json::parse(text);
      if (trace.hosts.empty()) {
        int version = j.value("shmemu_trace", 0);
        if (version != kVersion)
          throw std::runtime_error(fmt::format("version {}, this shmemu reads {}", version, kVersion));
        trace.header = {j.at("program"), j.at("platform"),  j.at("pes"),
                        j.at("gpus"),    j.at("heap_base"), j.at("heap_stride")};
        if (trace.header.pes < 1) throw std::runtime_error("no PEs");
        trace.hosts.resize(static_cast<size_t>(trace.header.pes));
        continue;
      }
      int pe = j.at("pe").get<int>();
      if (pe < 0 || pe >= trace.header.pes) throw std::runtime_error(fmt::format("PE {} of {}", pe, trace.header.pes));
      if (j.contains("t")) {
        auto w = read_work(j);
        trace.lanes[{pe, j.at("k"), j.at("b"), j.at("t")}].push_back(
            {read_op(j, pe, trace.header.pes), read_payload(j), {field<int64_t>(j, "gap")}, w});
      } else if (j.contains("w")) {
        auto w = j.at("work").get<std::array<uint64_t, 4>>();
        trace.blocks[{pe, j.at("k"), j.at("b")}].push_back({w[0], w[1], w[2], w[3]});
      } else {
        trace.hosts[static_cast<size_t>(pe)].push_back(read_host(j, pe, trace.header.pes));
      }
    } catch (const std::exception& e) {
      throw UserError(ExitCode::usage, fmt::format("{}:{}: not a trace line: {}", file.string(), number, e.what()));
    }
  }
  if (trace.hosts.empty()) throw UserError(ExitCode::usage, fmt::format("{}: the header is missing", file.string()));
  for (size_t pe = 0; pe < trace.hosts.size(); ++pe)
    if (trace.hosts[pe].empty() || trace.hosts[pe].back().op.kind != OpKind::exit)
      throw UserError(ExitCode::usage,
                      fmt::format("{}: the trace of PE {} does not end: the file is truncated", file.string(), pe));
  return trace;
}

void write_trace(const std::filesystem::path& file, const Trace& trace) {
  std::ofstream out(file);
  out << write_header(trace.header);
  for (size_t pe = 0; pe < trace.hosts.size(); ++pe)
    for (const HostEntry& e : trace.hosts[pe]) out << write_host(PeId{static_cast<int>(pe)}, e);
  for (const auto& [thread, entries] : trace.lanes) {
    auto [pe, kernel, block, number] = thread;
    for (const LaneEntry& e : entries)
      out << write_lane(PeId{pe}, kernel, block, number, e.op, &e.payload, e.gap, e.work);
  }
  for (const auto& [where, warps] : trace.blocks) {
    auto [pe, kernel, block] = where;
    for (size_t w = 0; w < warps.size(); ++w)
      out << write_warp(PeId{pe}, kernel, block, static_cast<uint32_t>(w), warps[w]);
  }
  if (!out.flush()) throw UserError(ExitCode::usage, fmt::format("cannot write '{}'", file.string()));
}

}  // namespace shmemu::traces
