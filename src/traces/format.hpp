// What a trace holds, and its readable form: JSON lines, version 1 (docs/design/traces.md). First a header, then one
// line per interaction in program order of its thread: lane operations ("t" present), host submissions ("submit") and
// host stops. Fields that are zero are left out. Addresses are absolute; heap addresses are the same in every run.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "device/actor.hpp"
#include "device/launch.hpp"
#include "transports/op.hpp"

namespace shmemu::traces {

constexpr int kVersion = 1;
constexpr uint64_t kTail = 8;          // of packed data, which somebody polls, the end is kept
constexpr uint64_t kMostPayload = 64;  // larger payloads are not kept: only their size matters to time

struct Header {
  std::string program, platform;
  int pes = 0, gpus = 0;
  uint64_t heap_base = 0, heap_stride = 0;
};

// A thread, or a warp, of a kernel of a PE.
struct Where {
  int pe = 0;
  uint32_t kernel = 0, block = 0, thread = 0;
  auto operator<=>(const Where&) const = default;
};

struct LaneEntry {
  Op op;
  Payload payload;
  Time gap;  // beside counted work
  shmemu_work work{};
};

struct HostEntry {
  bool submit = false;
  Time since;            // of the last stop
  Op op;                 // a stop
  int64_t awaited = -1;  // number of the command that a stream_wait waits for; -1 none
  // a submission
  OpKind kind = OpKind::none;
  std::string name;
  int stream = 0;
  bool blocking = true;
  Time latency;
  std::vector<uint64_t> also;
  bool has_launch = false, has_duration = false;
  device::Launch launch;
  int gpu = 0;
  int64_t kernel = -1;  // number of the launch in the PE; -1: launches count in the order in which they start
  Time duration;
};

// One line of a trace.
struct Entry {
  enum class What : uint8_t { comment, host, lane, warp };
  What what = What::comment;
  Where where;        // lane, warp; `pe` also of a host
  LaneEntry lane;     // lane
  device::Work work;  // warp
  HostEntry host;     // host
  std::string text;   // of a comment or host, as it stands in the file
};

std::string write_header(const Header& header);
std::string write_lane(const Where& where, const Op& op, const Payload* payload, Time gap, const shmemu_work& work);
// The work of one warp of a block whose threads ran at once.
std::string write_warp(const Where& where, const device::Work& work);
std::string write_host(PeId pe, const HostEntry& entry);

}  // namespace shmemu::traces
