// One DeepEP V1 run to predict: mode, sizes, kernel configuration, version and what-if switches. Values; defaults are
// those of the library's own test scripts and configuration table at deepseek-ai/DeepEP 29d31c0. `check` refuses what
// the library would refuse, before anything runs.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/platform.hpp"

namespace shmemu::deepep {

enum class Mode { low_latency, high_throughput };
enum class Dispatch { fp8, bf16 };
enum class Combine { bf16, logfmt };
// feb25: everything through the adapter, counts as writes; HT over the CPU proxy, one queue pair per peer.
// newest: NVLink to peers of the node, counts as atomics; HT over IBGDA, a queue pair per channel.
// gin: DeepEP V2's way (2026-04): HT roles over NCCL GIN, data and its signal as one put; costs of its own.
enum class Version { feb25, newest, gin };
std::string name_of(Version version);

struct Setup {
  Mode mode = Mode::low_latency;
  Version version = Version::newest;
  int ep = 8;  // ranks
  int tokens = 128, hidden = 7168, topk = 8, experts = 256;
  int groups = 0;  // nodes a token's experts may lie on; 0: the script's min(nodes, 4) (HT only)
  Dispatch dispatch = Dispatch::fp8;
  Combine combine = Combine::bf16;
  // HT
  int sms = 24, nvl_ring = 512, rdma_ring = 128;
  int nvl_chunk_dispatch = 0, nvl_chunk_combine = 0, rdma_chunk_dispatch = 0, rdma_chunk_combine = 0;
  bool notify_in_time = true;  // as the README's HT rows: the whole call is timed, cached notify included
  // LL
  int doorbell_every = 4, sms_low_latency = 0;  // 0: all of the GPU
  // Sending and receiving are kernels of their own, the second starts so long after the first has ended; absent: one
  // kernel.
  std::optional<double> hook_us;
  // run
  int iterations = 0;  // LL: pairs of operations; 0: up to 30 as the script, fewer with many ranks (512 / ep)
  uint64_t seed = 0;
  // what if
  int nics_per_node = 0;  // 0: as the platform, one per GPU
  double nic_scale = 1, nvlink_scale = 1;
  bool adaptive_routing = true;
  double skew_us = 0;                       // starts of the ranks, uniform in [0, skew)
  std::vector<double> arrivals_us;          // start of each rank; empty: skew_us
  std::vector<double> combine_arrivals_us;  // of combine, on the same clock; empty: LL follows dispatch, HT as dispatch

  bool ll() const { return mode == Mode::low_latency; }
  int local_experts() const { return experts / ep; }
};

// What `sms = 0` and the like come to, for `ep` ranks on nodes of `gpus_per_node`.
void fill_defaults(Setup& setup, const Platform& platform);
// UserError(usage) with the reason and the remedy.
void check(const Setup& setup, const Platform& platform);
// Every setting with its value, in the order of a report.
std::vector<std::pair<std::string, std::string>> describe(const Setup& setup);

// GPUs of a node that take part; HT across nodes wants 8.
int ranks_per_node(const Setup& setup, const Platform& platform);
inline int nodes_of(const Setup& setup, const Platform& platform) {
  return (setup.ep + ranks_per_node(setup, platform) - 1) / ranks_per_node(setup, platform);
}

}  // namespace shmemu::deepep
