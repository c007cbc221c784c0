// Predicted against every published and measured row in platforms/measurements/deepep_*.csv. No constant knows the
// number of ranks.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include <catch2/catch.hpp>

#include "deepep/report.hpp"
#include "deepep/run.hpp"
#include "tests/unit_support.hpp"

using namespace shmemu;
using namespace shmemu::deepep;

namespace {

using Row = std::map<std::string, std::string>;

std::vector<Row> rows_of(const std::string& name) {
  std::ifstream file(test::platform_folder() / "measurements" / name);
  std::vector<Row> rows;
  std::vector<std::string> names;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) continue;
    std::vector<std::string> cells;
    std::stringstream text(line);
    for (std::string cell; std::getline(text, cell, ',');) cells.push_back(cell);
    if (names.empty()) {
      names = cells;
      continue;
    }
    cells.resize(names.size());
    Row row;
    for (size_t i = 0; i < names.size(); ++i) row[names[i]] = cells[i];
    rows.push_back(row);
  }
  return rows;
}

const Platform& platform(const std::string& name) {
  static std::map<std::string, Platform> all;
  if (!all.count(name)) all[name] = load_platform(test::platform_folder(), name);
  return all[name];
}

const Costs& costs() {
  static const Costs c = load_costs(test::platform_folder() / "deepep" / "v1.yaml");
  return c;
}

OpSummary predict(const Row& row, const std::string& name, Setup s) {
  static std::map<std::string, std::map<std::string, OpSummary>> done;  // one run gives all its operations
  s.mode = row.at("mode") == "ll" ? Mode::low_latency : Mode::high_throughput;
  fill_defaults(s, platform(name));
  std::string key = name;
  for (const auto& [setting, value] : describe(s)) key += setting + value;
  auto& ops = done[key];
  if (ops.empty())
    for (const OpResult& op : run(platform(name), costs(), s).ops) ops[op.name] = summary_of(op);
  return ops.at(row.at("op"));
}

// Relative error of a row of the README's tables.
double published_error(const Row& row) {
  Setup s;
  s.ep = std::stoi(row.at("ep")), s.experts = std::stoi(row.at("experts"));
  bool ll = row.at("mode") == "ll";
  s.tokens = ll ? 128 : 4096;
  if (ll) s.iterations = 2;
  if (row.at("version") == "feb25") {
    s.version = Version::feb25;
    if (!ll) s.rdma_chunk_dispatch = s.rdma_chunk_combine = 32;  // the README prints the best of a sweep
  }
  OpSummary p = predict(row, "hgx-h800", s);
  if (ll) return p.mean_us / std::stod(row.at("us")) - 1;
  return p.logical_gbps / std::stod(row.at("GBps")) - 1;
}

double pair_error(const Row& row) {
  Setup s;
  s.ep = 2, s.tokens = std::stoi(row.at("tokens")), s.hidden = std::stoi(row.at("hidden")),
  s.topk = std::stoi(row.at("topk"));
  s.notify_in_time = false;
  if (row.at("op").ends_with("_send") || row.at("op").ends_with("_recv")) s.hook_us = 150;
  if (row.at("op").starts_with("dispatch") && row.at("dtype") == "bf16") s.dispatch = Dispatch::bf16;
  if (row.at("mode") == "ht") {
    s.sms = std::stoi(row.at("num_sms")), s.nvl_ring = 256;
    s.nvl_chunk_dispatch = s.nvl_chunk_combine = std::stoi(row.at("nvl_chunk"));
  }
  return predict(row, "hgx-h200", s).mean_us / std::stod(row.at("kernel_us")) - 1;
}

double median(std::vector<double> errors) {
  for (double& e : errors) e = std::abs(e);
  std::sort(errors.begin(), errors.end());
  return errors.at(errors.size() / 2);
}

}  // namespace

TEST_CASE("the README's tables come out on hgx-h800: LL EP16 to EP64, HT EP8 to EP64", "[deepep]") {
  std::vector<double> errors;
  for (const Row& row : rows_of("deepep_h800.csv")) {
    if (row.at("version") != "newest" || (row.at("mode") == "ll" && row.at("ep") == "8")) continue;
    double error = published_error(row);
    INFO(row.at("mode") << " " << row.at("op") << " EP" << row.at("ep") << ": " << error * 100 << " %");
    CHECK(std::abs(error) < 0.10);
    errors.push_back(error);
  }
  CHECK(errors.size() == 14);
  CHECK(median(errors) < 0.05);
}

// Known: EP8 dispatch is 17 % too fast, all-to-all over eight NVLinks loses more than the pair of H200 shows.
TEST_CASE("LL within one H800 node is known to be off for dispatch, not for combine", "[deepep]") {
  for (const Row& row : rows_of("deepep_h800.csv"))
    if (row.at("version") == "newest" && row.at("mode") == "ll" && row.at("ep") == "8") {
      double error = published_error(row);
      CHECK(std::abs(error) < (row.at("op") == "dispatch" ? 0.25 : 0.10));
    }
}

TEST_CASE("the first release: everything through the adapter, HT over the CPU proxy", "[deepep]") {
  for (const Row& row : rows_of("deepep_h800.csv")) {
    if (row.at("version") != "feb25" || row.at("ep") == "256") continue;  // EP256: see the slow test below
    double error = published_error(row);
    INFO(row.at("mode") << " " << row.at("op") << " EP" << row.at("ep") << ": " << error * 100 << " %");
    CHECK(std::abs(error) < 0.10);
  }
}

TEST_CASE("LL EP256 of the first release", "[deepep]") {
  for (const Row& row : rows_of("deepep_h800.csv"))
    if (row.at("version") == "feb25" && row.at("ep") == "256") CHECK(std::abs(published_error(row)) < 0.10);
}

TEST_CASE("two H200: HT over SMs, chunks, tokens and top-k, LL over tokens and hidden", "[deepep]") {
  std::map<std::string, std::vector<double>> errors;
  for (const Row& row : rows_of("deepep_h200x2.csv"))
    errors[row.at("mode") + " " + row.at("op")].push_back(pair_error(row));
  std::vector<double> all;
  for (const auto& [table, list] : errors) {
    INFO(table);
    CHECK(median(list) < 0.10);
    all.insert(all.end(), list.begin(), list.end());
  }
  CHECK(all.size() == 253);
  CHECK(median(all) < 0.07);
}
