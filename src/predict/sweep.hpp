// Predictions over counts and sizes: which algorithm the library would run (or the ones asked for), and how long it
// takes.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "collectives/chooser.hpp"
#include "model/platform.hpp"
#include "transports/settings.hpp"

namespace shmemu::predict {

struct Question {
  std::string library = "nvshmem";  // or "nccl"
  Collective collective = Collective::reduce;
  Scope scope = Scope::block;
  bool on_stream = false;
  bool graph = false;      // on a stream: kernels of a CUDA graph
  bool registered = true;  // NCCL: buffers in symmetric windows
  bool nvls = false;       // teams of one NVLink domain have multicast
  int blocks = 1;          // that share a call in a kernel, each on a team of its own (beyond NVSHMEM)
  uint32_t threads = 256;  // of a block
  uint64_t element_bytes = 4;
  std::vector<int> pes;
  std::vector<uint64_t> bytes;     // of one PE's part, or of the vector of a broadcast or reduce
  std::string algorithm = "auto";  // or "all", or a name
  int calls = 4;                   // one after the other
  bool fold = true;
  CollectiveSettings settings;
  NvshmemSettings transports;
};

struct Row {
  int pes;
  uint64_t bytes;
  std::string library, algorithm, protocol;
  bool chosen;    // by the library
  int blocks;     // of a PE, that shared the call
  Time latency;   // of a call in a loop, until the last PE has finished
  Time first_pe;  // the same on PE 0, which is what benchmarks print
  double alg_gbps, bus_gbps;
  double tuner_us = 0;  // NCCL's own estimate
  std::string bound;    // what limits it, where that is known
  uint64_t messages, events;
  int simulated;                  // PEs that were gone through, for all
  double folded;                  // share of the time that repeats what came before and was skipped
  Time unlike;                    // not zero: steps like those that were skipped differed by so much
  std::vector<std::string> path;  // through the chooser
  std::string label;              // of what is compared
};

struct Skipped {
  int pes;
  uint64_t bytes;
  std::string algorithm;
  std::string why;
};

struct Answer {
  std::vector<Row> rows;
  std::vector<Skipped> skipped;  // algorithms that cannot run there
};

// Messages that all rows together need, about: what decides how long the answer takes.
double messages_of(const Question& q, const Platform& platform);
// `done` hears the share of the messages that is behind, 0 … 1.
Answer predict(const Question& q, const Platform& platform, const std::function<void(double)>& done);

}  // namespace shmemu::predict
