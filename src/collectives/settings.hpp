// NVSHMEM's environment variables that steer collectives, with their defaults (NVSHMEM 3.3.9). Read once; a value.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

namespace shmemu {

struct CollectiveSettings {
  int broadcast_algo = 0, fcollect_algo = 0, reduce_algo = 0, reducescatter_algo = 0;
  uint64_t fcollect_ll_threshold = 2048;  // bytes per PE
  uint64_t fcollect_ll128_threshold = 0;  // 0 = off
  uint64_t reduce_nvls_threshold = 2048;  // elements
  uint64_t reduce_scratch = 512 << 10;    // bytes per team, two halves
  int most_blocks = 0;                    // of a collective on a stream; 0: as NVSHMEM chooses
  int barrier_radix = 2, exchange_radix = 2, broadcast_arity = 2;
};

// `variable` gives the value of NVSHMEM_<name> or null. UserError for values that make no sense.
CollectiveSettings read_collective_settings(const std::function<const char*(const char*)>& variable);

}  // namespace shmemu
