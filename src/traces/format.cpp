#include "traces/format.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace shmemu::traces {
namespace {

using nlohmann::ordered_json;

void put(ordered_json& j, const char* key, uint64_t value) {
  if (value) j[key] = value;
}

void put_op(ordered_json& j, const Op& op) {
  j["op"] = name_of(op.kind);
  put(j, "scope", static_cast<uint64_t>(op.scope));
  put(j, "nbi", op.nbi);
  put(j, "type", op.type);
  put(j, "function", op.function);
  put(j, "flags", op.flags);
  put(j, "signal_op", op.signal_op);
  put(j, "target", static_cast<uint64_t>(op.target.value));
  put(j, "site", op.site);
  put(j, "remote", op.remote);
  put(j, "local", op.local);
  put(j, "bytes", op.bytes);
  put(j, "value", op.value);
  put(j, "compare", op.compare);
  put(j, "signal", op.signal);
  put(j, "qp", op.qp);
  put(j, "elements", op.elements);
  if (op.remote_stride) j["remote_stride"] = op.remote_stride;
  if (op.local_stride) j["local_stride"] = op.local_stride;
}

}  // namespace

std::string write_header(const Header& h) {
  ordered_json j;
  j["shmemu_trace"] = kVersion;
  j["program"] = h.program;
  j["platform"] = h.platform;
  j["pes"] = h.pes;
  j["gpus"] = h.gpus;
  j["heap_base"] = h.heap_base;
  j["heap_stride"] = h.heap_stride;
  return j.dump() + "\n";
}

std::string write_lane(const Where& where, const Op& op, const Payload* payload, Time gap, const shmemu_work& work) {
  ordered_json j;
  j["pe"] = where.pe;
  j["k"] = where.kernel;
  j["b"] = where.block;
  j["t"] = where.thread;
  put(j, "gap", static_cast<uint64_t>(gap.ps));
  if (work.quarter_slots || work.cycles || work.quarter_loads || work.bytes || work.touched) {
    j["work"] = {work.quarter_slots, work.cycles, work.quarter_loads, work.bytes};
    if (work.touched) j["work"].push_back(work.touched);
  }
  put_op(j, op);
  if (payload && payload->size() && payload->size() <= kMostPayload) {
    std::string hex;
    for (uint64_t i = 0; i < payload->size(); ++i)
      hex += fmt::format("{:02x}", static_cast<unsigned>(payload->data()[i]));
    j["data"] = hex;
  }
  return j.dump() + "\n";
}

std::string write_warp(const Where& where, const device::Work& work) {
  ordered_json j;
  j["pe"] = where.pe;
  j["k"] = where.kernel;
  j["b"] = where.block;
  j["w"] = where.thread;
  j["work"] = {work.quarter_slots, work.cycles, work.quarter_loads, work.bytes};
  return j.dump() + "\n";
}

std::string write_host(PeId pe, const HostEntry& e) {
  ordered_json j;
  j["pe"] = pe.value;
  put(j, "since", static_cast<uint64_t>(e.since.ps));
  if (!e.submit) {
    put_op(j, e.op);
    if (e.awaited >= 0) j["awaited"] = e.awaited;
    return j.dump() + "\n";
  }
  j["submit"] = name_of(e.kind);
  j["name"] = e.name;
  put(j, "stream", static_cast<uint64_t>(e.stream));
  if (!e.blocking) j["blocking"] = false;
  put(j, "latency", static_cast<uint64_t>(e.latency.ps));
  if (!e.also.empty()) j["also"] = e.also;
  if (e.has_duration) j["duration"] = e.duration.ps;
  if (e.has_launch) {
    const device::Launch& l = e.launch;
    j["kernel"] = {{"grid", {l.grid.x, l.grid.y, l.grid.z}},
                   {"block", {l.block.x, l.block.y, l.block.z}},
                   {"shared", l.shared_bytes},
                   {"cooperative", l.cooperative},
                   {"internal", l.internal},
                   {"gpu", e.gpu}};
    if (e.kernel >= 0) j["kernel"]["number"] = e.kernel;
  }
  return j.dump() + "\n";
}

}  // namespace shmemu::traces
