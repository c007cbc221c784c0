// Costs of one GPU type, read from platforms/gpus/*.yaml, where every number names its source.
// Values only; the formulas that use them sit in src/transports and src/device. Times are for an unloaded GPU.
#pragma once
#include <string>

#include "base/time.hpp"
#include "model/collective_costs.hpp"
#include "model/nic_model.hpp"

namespace shmemu {

struct GpuModel {
  std::string name;
  // shape
  int sms = 0, max_threads_per_sm = 0, max_ctas_per_sm = 0, max_threads_per_cta = 0;
  uint64_t shared_per_sm = 0, shared_per_cta = 0, memory = 0, l2 = 0, registers_per_sm = 0;
  double clock_ghz = 0;
  // copy loops and stores (docs/design/model.md)
  Time call_thread, call_group, sync_per_warp;
  Time loop, line, warp;                        // one trip of a copy loop: fixed, per further line, per further warp
  Time l2_load, remote_load;                    // extra when the source is in local L2 / in a peer's L2
  Time pipe_warp, pipe_line, pipe_line_part;    // store pipe of an SM per warp instruction, line, partly written line
  Time tail_thread, tail_group, tail_per_warp;  // the loop over what 16 B pieces leave
  uint64_t l1_reach = 0;                        // bytes that a loop of loads finds again in L1
  Time full_port_stall;                         // see FairLinks
  Time p_issue, atomic_issue, g_extra;
  // completion
  Time fence_system, fence_gpu, ack_remote, ack_local, fetch_remote, fetch_local, fetch_add_extra;
  Time flight_remote, flight_local;  // store accepted → visible in the target's L2
  Time poll_hit;                     // visible → the polling thread has the value
  Time poll_interval;                // one failing poll
  Time same_address_atomic;
  Rate nvlink_store, nvlink_load, hbm, local_copy;
  // computing (src/device/compute.hpp)
  Time memory_load;       // what a load from memory takes longer than one from L2
  Rate sm_path, l2_rate;  // between an SM and L2, between L2 and all SMs; loads plus stores
  CollectiveCosts collectives;
  // kernels and barriers inside the GPU
  Time graph_gap;  // from the end of a kernel to the first instruction of the next one in a graph
  Time launch_latency, kernel_start, kernel_end, fill_start, copy_start, stream_join, cta_start, grid_barrier,
      grid_barrier_per_cta, cta_barrier, warp_op, clock_read, event_record;
};

struct HostModel {
  std::string name;
  // what calls keep their caller
  Time launch_call, collective_launch_call, event_call, api_call, copy_call, fill_call, sync_return, malloc_call,
      free_call;
  Rate copy_to_device, copy_to_host, copy_pageable;
  Time copy_latency;
  ProxyModel proxy;
};

}  // namespace shmemu
