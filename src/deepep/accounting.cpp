#include "deepep/accounting.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace shmemu::deepep {

Rate nvlink_rate(const Platform& p, const Costs& c, const Setup& s) {
  return {p.gpu.nvlink_store.bytes_per_second * c.nvlink_share * s.nvlink_scale};
}

Rate adapter_rate(const Platform& p, const Setup& s) {
  if (!p.nic) return {1};
  return {p.nic->line_rate.bytes_per_second * s.nic_scale * static_cast<double>(p.nic->packet) /
          static_cast<double>(p.nic->packet + p.nic->packet_overhead)};
}

Loads::Loads(const Platform& platform, const Setup& setup, const Costs& costs)
    : adapter_rate_(adapter_rate(platform, setup)),
      nvlink_rate_(nvlink_rate(platform, costs, setup)),
      per_node_(ranks_per_node(setup, platform)),
      nics_(setup.nics_per_node),
      ranks_(setup.ep),
      adapter_out_(static_cast<size_t>(adapter_of(setup.ep - 1)) + 1),
      adapter_in_(adapter_out_),
      nvlink_out_(static_cast<size_t>(setup.ep)),
      nvlink_in_(nvlink_out_) {}

void Loads::adapter(int from, int to, uint64_t messages, uint64_t bytes_each) {
  double bytes = static_cast<double>(messages) * static_cast<double>(bytes_each),
         ps = bytes / adapter_rate_.bytes_per_second * 1e12;
  adapter_out_[static_cast<size_t>(adapter_of(from))] += ps, adapter_in_[static_cast<size_t>(adapter_of(to))] += ps;
  wire_bytes_ += bytes, messages_ += messages;
}

void Loads::atomics(int from, int to, uint64_t count, Time each) {
  double ps = static_cast<double>(count) * static_cast<double>(each.ps);
  adapter_out_[static_cast<size_t>(adapter_of(from))] += ps, adapter_in_[static_cast<size_t>(adapter_of(to))] += ps;
  atomics_ += count;
}

void Loads::nvlink(int from, int to, uint64_t copies, uint64_t bytes_each) {
  double bytes = static_cast<double>(copies) * static_cast<double>(bytes_each),
         ps = bytes / nvlink_rate_.bytes_per_second * 1e12;
  nvlink_out_[static_cast<size_t>(from)] += ps, nvlink_in_[static_cast<size_t>(to)] += ps;
  nvlink_bytes_ += bytes, copies_ += copies;
}

void Loads::fill(OpResult& out) const {
  double kernel = 0;
  for (const RankTimes& t : out.samples) kernel += static_cast<double>(t.kernel().ps);
  kernel /= std::max<double>(1, static_cast<double>(out.samples.size()));
  auto add = [&](const std::string& name, const std::vector<double>& busy, bool each = true) {
    if (busy.empty() || !(kernel > 0)) return;
    double sum = std::accumulate(busy.begin(), busy.end(), 0.0), most = *std::max_element(busy.begin(), busy.end());
    if (!(sum > 0)) return;
    Use& use = out.use[name] = {sum / static_cast<double>(busy.size()) / kernel, most / kernel, {}};
    if (each)
      for (double b : busy) use.each.push_back(b / kernel);
  };
  add("adapters out", adapter_out_), add("adapters in", adapter_in_);
  add("NVLink out", nvlink_out_), add("NVLink in", nvlink_in_);
  for (const auto& [name, times] : pools_) {
    std::vector<double> ps;
    for (Time t : times) ps.push_back(static_cast<double>(t.ps));
    add(name, ps, false);
  }
  out.wire_bytes = wire_bytes_ / ranks_, out.nvlink_bytes = nvlink_bytes_ / ranks_;
  out.messages = messages_, out.atomics = atomics_, out.nvlink_copies = copies_;
}

std::string bound_of(const OpResult& op) {
  std::string name = "latency";
  double most = 0.5;  // below, no resource explains the time
  for (const auto& [resource, use] : op.use)
    if (use.mean > most) name = resource, most = use.mean;
  return name;
}

}  // namespace shmemu::deepep
