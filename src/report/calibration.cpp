#include "report/calibration.hpp"

#include <cmath>
#include <optional>

#include <fmt/format.h>

namespace shmemu::validation {
namespace {

// The loop around a measured operation: of nvshmem_probe's scalar rows, counted instructions of one round on an H200.
constexpr double kRound = 0.011;

class Rows {
 public:
  explicit Rows(const std::vector<Row>& rows) : rows_(rows) {}
  // The measured value; NaN, and named in `missing`, if there is no such row.
  double at(const std::string& test, const std::string& scope = "thread", uint64_t bytes = 8, int blocks = 1) {
    for (const Row& r : rows_)
      if (r.probe && r.test == test && r.scope == scope && r.bytes == bytes && r.blocks == blocks) return r.measured;
    missing += fmt::format("{}{} {} {} B", missing.empty() ? "" : ", ", test, scope, bytes);
    return NAN;
  }
  // Time per byte between two sizes.
  double slope(const std::string& test, const std::string& scope, uint64_t small, uint64_t large) {
    return (at(test, scope, large) - at(test, scope, small)) / static_cast<double>(large - small);
  }
  // Bytes per µs beyond what a round costs by itself, in GB/s.
  double rate(const std::string& test, int blocks, uint64_t small, uint64_t large) {
    auto us = [&](uint64_t bytes) { return static_cast<double>(bytes) / at(test, "block", bytes, blocks) * 1e-3; };
    return static_cast<double>(large - small) / (us(large) - us(small)) * 1e-3;
  }
  std::string missing;

 private:
  const std::vector<Row>& rows_;
};

}  // namespace

std::vector<Calibrated> calibrate(const std::vector<Row>& rows, std::vector<std::string>& absent) {
  std::vector<Calibrated> out;
  auto add = [&](const char* section, const char* key, const char* source, auto&& formula, const char* unit = "us") {
    Rows measured(rows);
    double value = formula(measured);
    if (std::isfinite(value) && value > 0)
      out.push_back({section, key, value, unit, source});
    else
      absent.push_back(
          fmt::format("{}.{}: {}", section, key,
                      measured.missing.empty() ? fmt::format("comes to {:.4f}", value) : "no row " + measured.missing));
  };
  auto loop = [](Rows& r) { return r.slope("put_nbi_issue", "thread", 2048, 8192) * 16; };
  auto warp_trip = [](Rows& r) { return r.slope("put_nbi_issue", "warp", 8192, 32768) * 512; };
  add("copy", "call_group", "RMA put_nbi_issue warp 512 B, less one trip and the loop around it",
      [&](Rows& r) { return r.at("put_nbi_issue", "warp", 512) - warp_trip(r) - kRound; });
  add("copy", "loop", "RMA put_nbi_issue thread 2048 B to 8192 B, slope per 16 B", loop);
  add("copy", "line", "RMA put_nbi_issue warp 8192 B to 32768 B, slope per 512 B, less loop, for three lines",
      [&](Rows& r) { return (warp_trip(r) - loop(r)) / 3; });
  add("copy", "l2_load", "RMA put_quiet thread 32768 B to 131072 B, slope per 32 B sector, less two loops",
      [&](Rows& r) { return r.slope("put_quiet", "thread", 32768, 131072) * 32 - 2 * loop(r); });
  add("copy", "remote_load", "RMA get warp 524288 B to 2097152 B, slope per 512 B, less a trip that hits L1",
      [&](Rows& r) { return r.slope("get", "warp", 524288, 2097152) * 512 - warp_trip(r); });
  add("copy", "p_issue", "RMA p_issue, less the loop around it", [](Rows& r) { return r.at("p_issue") - 0.013; });
  add("copy", "atomic_issue", "RMA atomic_add_issue, less the loop around it",
      [](Rows& r) { return r.at("atomic_add_issue") - kRound; });
  add("completion", "fence_system", "RMA quiet_only, less the loop around it",
      [](Rows& r) { return r.at("quiet_only") - kRound; });
  add("completion", "fence_gpu", "RMA pingpong_p minus pingpong_signal",
      [](Rows& r) { return r.at("pingpong_p") - r.at("pingpong_signal"); });
  auto ack = [](Rows& r) { return r.at("p_quiet") - r.at("quiet_only") - r.at("p_issue"); };
  auto ack_local = [](Rows& r) { return r.at("local_p_quiet") - r.at("local_quiet_only") - r.at("local_p_issue"); };
  add("completion", "ack_remote", "RMA p_quiet, less quiet_only and p_issue", ack);
  add("completion", "ack_local", "RMA local_p_quiet, less local_quiet_only and local_p_issue", ack_local);
  add("completion", "flight_remote",
      "guess: equal to ack_remote, so that quiet never returns before the data is visible", ack);
  add("completion", "flight_local", "guess: equal to ack_local", ack_local);
  add("completion", "fetch_remote", "RMA atomic_swap, less the loop around it",
      [](Rows& r) { return r.at("atomic_swap") - kRound; });
  add("completion", "fetch_local", "RMA local_atomic_swap, less the loop around it",
      [](Rows& r) { return r.at("local_atomic_swap") - kRound; });
  add("completion", "fetch_add_extra", "RMA atomic_fetch_add minus atomic_swap",
      [](Rows& r) { return r.at("atomic_fetch_add") - r.at("atomic_swap"); });
  add("completion", "poll_hit", "RMA pingpong_signal, less p_issue and flight_remote",
      [&](Rows& r) { return r.at("pingpong_signal") - r.at("p_issue") - ack(r); });
  add(
      "links", "nvlink_store", "RMA put_bw block 64 CTA, 1048576 B to 16777216 B: slope",
      [](Rows& r) { return r.rate("put_bw", 64, 1048576, 16777216); }, "GB/s");
  add(
      "links", "nvlink_load", "RMA g_bw 132 CTA", [](Rows& r) { return r.at("g_bw", "thread", 33554432, 132); },
      "GB/s");
  auto local = [](Rows& r) { return r.rate("local_put_bw", 132, 2162688, 34603008); };
  add("links", "local_copy", "RMA local_put_bw block 132 CTA, 2162688 B to 34603008 B: slope", local, "GB/s");
  add(
      "links", "hbm", "RMA local_put_bw 132 CTA, read plus write", [&](Rows& r) { return 2 * local(r); }, "GB/s");
  return out;
}

std::string gpu_file(const std::string& name, const std::string& like, const std::string& measured,
                     const std::vector<Calibrated>& constants) {
  std::string out = fmt::format(
      "# Calibrated by `shmemu calibrate` from {}: RMA = rows of nvshmem_probe. A value is [number, unit,\n"
      "# source]. What is not here is taken over from {}.\nname: {}\nlike: {}\n",
      measured, like, name, like);
  std::string section;
  for (const Calibrated& c : constants) {
    if (c.section != section) out += (section = c.section) + ":\n";
    out += fmt::format("  {}: [{:.5g}, {}, \"{}\"]\n", c.key, c.value, c.unit, c.source);
  }
  return out;
}

}  // namespace shmemu::validation
