// Costs of one type of network adapter and of the software that drives it, read from platforms/nics/*.yaml, where every
// number names its source; and the shape of the switches between nodes. Values only; the formulas are in
// src/transports.
#pragma once
#include <cstdint>
#include <string>

#include "base/time.hpp"

namespace shmemu {

struct NicModel {
  std::string name;
  // wire
  Rate line_rate;
  uint64_t packet = 0, packet_overhead = 0;  // payload of a full packet; headers and gaps of each
  // work requests
  Time request, queue_request;  // the adapter, and one queue pair, take one per this time
  Time payload_fetch;           // until a payload that is not inline has been read
  Time flight;                  // doorbell → a small inline write is visible in the target's memory, below one switch
  Time acknowledge;             // then → its completion entry is visible to the issuer
  Time atomic;                  // an atomic is applied this much later than a write
  // requests built by GPU threads (IBGDA)
  Time post;                       // reserve, build, order, doorbell: one request of a lone thread
  Time post_call;                  // what the thread-scoped put call adds
  Time hand_off, merged_hand_off;  // from one poster of a queue pair to the next
  Time merged_extra, inline_byte;  // the values of a warp as one inline request
  Time sm_turn;                    // such requests of one SM follow each other at this distance
  Time empty_call;                 // a call that moves nothing
  Time poll;                       // completion entry visible → the waiting thread goes on
  Time next_queue;                 // quiet looks at one more queue pair
  Time read_turn;                  // a queue pair is blocked by the fenced read of `g`
};

// Requests handed to a CPU thread (the NVSHMEM proxy), read from the host file.
struct ProxyModel {
  Time enqueue;        // the GPU thread
  Time pick_up;        // in the ring → the CPU begins with it
  Time request;        // the CPU per request
  Time payload_fetch;  // as of NicModel, for requests posted by the CPU
  Time ring_fence;     // until an entry of the ring is out of the GPU: a system fence waits for it
  Time quiet;          // a quiet takes at least so long, beside its fence
  Time complete;       // completion entry → the GPU thread goes on
  uint64_t inline_bytes = 0;
};

struct FabricModel {
  // rail: leaf switch r of a group of nodes has their r-th adapters. fat_tree: a leaf has all adapters of its nodes.
  enum class Kind { rail, fat_tree };
  Kind kind = Kind::rail;
  int leaf_ports = 0;           // adapters below one leaf switch
  double oversubscription = 1;  // of its links to the spine
  Time switch_latency;
};

}  // namespace shmemu
