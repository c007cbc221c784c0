// What a run on real GPUs did, before anybody asks for its time: per PE the host's commands and stops, and per kernel
// the records of its threads. A value; decode() makes a Trace of it.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shmemu/gpu/record.h"
#include "traces/format.hpp"

namespace shmemu::gpu {

// A collective that the host asked for: it becomes an internal kernel of one block.
struct HostCollective {
  int kind = 0, team = 0;
  uint64_t dest = 0, source = 0;  // addresses of this PE
  uint64_t count = 0, element_bytes = 0;
  int type = 0, op = 0, root = 0;
};

// Members by handle, empty = no such team. Shared by the launches between two changes.
using Teams = std::vector<std::vector<int>>;

struct LaunchLog {
  device::Launch launch;
  std::vector<shmemu_log_record> records;  // blocks of a ring in one order
  std::optional<HostCollective> collective;
  std::shared_ptr<const Teams> teams;         // of the PE, when it was launched
  std::vector<traces::LaneEntry> operations;  // of an internal kernel of one thread
  Time measured;                              // on the GPU, from start to end
  bool shared = false;                        // the GPU with other kernels, for some of that time
  std::optional<Time> alone;                  // measured in a run without logging, when it had a GPU to itself
  bool exact = false;                         // `measured` is by marks around the kernel, not by the host's clock
  bool finished = true;                       // else it is not part of the trace
  bool overlapped = false;                    // with another kernel of this PE: whose records are whose is unknown
};

struct PeLog {
  std::vector<traces::HostEntry> host;  // entries with has_launch are, in order, the `launches`
  std::vector<LaunchLog> launches;
  std::shared_ptr<const Teams> teams;  // now
};

struct RunLog {
  traces::Header header;           // its heap: where the trace has it
  uint64_t heaps = 0, stride = 0;  // where the GPU had it
  uint64_t scratch = 0;            // offset of the library's memory in a heap of the trace
  double clock_ghz = 1;            // of the SMs that stamped the records
  double slower = 1;               // the modelled GPU's computing, than that of the GPU which ran it
  bool calibrated = false;         // by a run that timed kernels alone
  std::vector<PeLog> pes;
};

}  // namespace shmemu::gpu
