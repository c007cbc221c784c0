// Who carried how much in one operation: bytes and busy time of every adapter and NVLink port, and from them the shares
// of time in use and the resource that sets the pace. Built up by the protocols, then poured into an OpResult.
#pragma once
#include <string>
#include <vector>

#include "deepep/costs.hpp"
#include "deepep/results.hpp"
#include "deepep/setup.hpp"

namespace shmemu::deepep {

// What SM copy loops reach of a GPU's NVLink.
Rate nvlink_rate(const Platform& platform, const Costs& costs, const Setup& setup);
// Payload per direction of an adapter.
Rate adapter_rate(const Platform& platform, const Setup& setup);

class Loads {
 public:
  Loads(const Platform& platform, const Setup& setup, const Costs& costs);
  void adapter(int from, int to, uint64_t messages, uint64_t bytes_each);
  void atomics(int from, int to, uint64_t count, Time each);
  void nvlink(int from, int to, uint64_t copies, uint64_t bytes_each);
  // Of a pool of warps on an SM: `pool` names it.
  void busy(const std::string& pool, std::vector<Time> times) { pools_.emplace_back(pool, std::move(times)); }
  // Bytes and messages, and shares of the mean kernel time; call it when `out` has its samples.
  void fill(OpResult& out) const;

 private:
  int adapter_of(int rank) const { return rank / per_node_ * nics_ + rank % per_node_ / (per_node_ / nics_); }
  Rate adapter_rate_, nvlink_rate_;
  int per_node_, nics_, ranks_;
  std::vector<double> adapter_out_, adapter_in_, nvlink_out_, nvlink_in_;  // ps
  std::vector<std::pair<std::string, std::vector<Time>>> pools_;
  double wire_bytes_ = 0, nvlink_bytes_ = 0;
  uint64_t messages_ = 0, atomics_ = 0, copies_ = 0;
};

// "adapters (83 % busy)"; "latency" when nothing is busy half of the time.
std::string bound_of(const OpResult& op);

}  // namespace shmemu::deepep
