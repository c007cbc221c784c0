// What DeepEP's own kernels cost on the SMs: steps of its loops, read from platforms/deepep/*.yaml, where every number
// names its source. Values. Links, adapters, work requests and memory are the platform's.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/time.hpp"

namespace shmemu::deepep {

struct Costs {
  std::string name;
  double nvlink_share = 1;  // of the platform's store rate, for loops that copy whole messages
  Time nvlink_flag, local_flag;
  std::optional<Time> post;  // of a request, where it is not the platform's NVSHMEM call
  struct LowLatency {
    Time kernel_entry, receive_entry, entry_spread, step, order_wait, atomic_service, gap;
    uint64_t copy_trip = 1;    // bytes
    double combine_share = 1;  // of the NVLink rate, for rows
    Rate reduce_rate;
  } ll;
  struct HighThroughput {
    Time l2_step, scan_step, memory_step, chunk_step, prologue, own_tail, credit_sleep, barriers;
  } ht;
  struct Intranode {
    Time entry, chunk_step, copy_round, reduce_entry, reduce_trip, reduce_part, barriers;
  } nvl;
  std::vector<std::string> guesses;
};

Costs load_costs(const std::filesystem::path& file);

}  // namespace shmemu::deepep
