#include "model/platform.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include "base/errors.hpp"

namespace shmemu {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& message) { throw UserError(ExitCode::usage, message); }

// Reads sections of `key: [value, unit, source]` triples and refuses keys nobody asked for.
class Section {
 public:
  Section(const YAML::Node& root, std::string section, std::string file, std::vector<std::string>& guesses)
      : section_(std::move(section)), file_(std::move(file)), guesses_(guesses) {
    node_ = root[section_];
    if (!node_ || !node_.IsMap()) fail(fmt::format("{}: section '{}' is missing", file_, section_));
  }
  ~Section() noexcept(false) {
    if (std::uncaught_exceptions()) return;
    for (const auto& item : node_)
      if (auto key = item.first.as<std::string>(); !std::count(seen_.begin(), seen_.end(), key))
        fail(fmt::format("{}: unknown key '{}' in section '{}'; known: {}", file_, key, section_,
                         fmt::join(seen_, ", ")));
  }
  void read(const char* key, Time& out) { out = Time::from_us(number(key, "us")); }
  void read(const char* key, Rate& out) { out = Rate::gb_per_s(number(key, "GB/s")); }
  void read(const char* key, uint64_t& out, const char* unit) { out = static_cast<uint64_t>(number(key, unit)); }
  void read(const char* key, int& out) { out = static_cast<int>(number(key, "")); }
  void read(const char* key, double& out, const char* unit) { out = number(key, unit); }

 private:
  double number(const char* key, const char* unit) {
    seen_.push_back(key);
    YAML::Node n = node_[key];
    if (!n) fail(fmt::format("{}: '{}.{}' is missing", file_, section_, key));
    if (!n.IsSequence() || n.size() != 3)
      fail(fmt::format("{}:{}: '{}.{}' must be [value, unit, source]", file_, n.Mark().line + 1, section_, key));
    if (n[1].as<std::string>() != unit)
      fail(fmt::format("{}:{}: '{}.{}' has unit '{}', expected '{}'", file_, n.Mark().line + 1, section_, key,
                       n[1].as<std::string>(), unit));
    auto source = n[2].as<std::string>();
    if (source.empty()) fail(fmt::format("{}: '{}.{}' names no source", file_, section_, key));
    if (source.starts_with("guess")) guesses_.push_back(fmt::format("{}.{}: {}", section_, key, source));
    double value = n[0].as<double>();
    if (!(value > 0)) fail(fmt::format("{}: '{}.{}' is {}, must be above 0", file_, section_, key, value));
    return value;
  }
  YAML::Node node_;
  std::string section_, file_;
  std::vector<std::string>& guesses_;
  std::vector<std::string> seen_;
};

YAML::Node load_yaml(const fs::path& file) {
  try {
    return YAML::LoadFile(file.string());
  } catch (const YAML::BadFile&) {
    fail(fmt::format("cannot read '{}'", file.string()));
  } catch (const YAML::Exception& e) {
    fail(fmt::format("{}: {}", file.string(), e.what()));
  }
}

GpuModel load_gpu(const fs::path& file, std::vector<std::string>& guesses) {
  YAML::Node root = load_yaml(file);
  GpuModel g;
  g.name = root["name"].as<std::string>("");
  {
    Section s(root, "shape", file.string(), guesses);
    s.read("sms", g.sms);
    s.read("max_threads_per_sm", g.max_threads_per_sm);
    s.read("max_ctas_per_sm", g.max_ctas_per_sm);
    s.read("max_threads_per_cta", g.max_threads_per_cta);
    s.read("shared_per_sm", g.shared_per_sm, "B");
    s.read("shared_per_cta", g.shared_per_cta, "B");
    s.read("registers_per_sm", g.registers_per_sm, "");
    s.read("memory", g.memory, "B");
    s.read("l2", g.l2, "B");
    s.read("clock_ghz", g.clock_ghz, "GHz");
  }
  {
    Section s(root, "copy", file.string(), guesses);
    s.read("call_thread", g.call_thread);
    s.read("call_group", g.call_group);
    s.read("sync_per_warp", g.sync_per_warp);
    s.read("loop", g.loop);
    s.read("line", g.line);
    s.read("warp", g.warp);
    s.read("l2_load", g.l2_load);
    s.read("remote_load", g.remote_load);
    s.read("pipe_warp", g.pipe_warp);
    s.read("pipe_line", g.pipe_line);
    s.read("pipe_line_part", g.pipe_line_part);
    s.read("tail_thread", g.tail_thread);
    s.read("tail_group", g.tail_group);
    s.read("tail_per_warp", g.tail_per_warp);
    s.read("l1_reach", g.l1_reach, "B");
    s.read("full_port_stall", g.full_port_stall);
    s.read("p_issue", g.p_issue);
    s.read("atomic_issue", g.atomic_issue);
    s.read("g_extra", g.g_extra);
  }
  {
    Section s(root, "completion", file.string(), guesses);
    s.read("fence_system", g.fence_system);
    s.read("fence_gpu", g.fence_gpu);
    s.read("ack_remote", g.ack_remote);
    s.read("ack_local", g.ack_local);
    s.read("fetch_remote", g.fetch_remote);
    s.read("fetch_local", g.fetch_local);
    s.read("fetch_add_extra", g.fetch_add_extra);
    s.read("flight_remote", g.flight_remote);
    s.read("flight_local", g.flight_local);
    s.read("poll_hit", g.poll_hit);
    s.read("poll_interval", g.poll_interval);
    s.read("same_address_atomic", g.same_address_atomic);
  }
  {
    Section s(root, "links", file.string(), guesses);
    s.read("nvlink_store", g.nvlink_store);
    s.read("nvlink_load", g.nvlink_load);
    s.read("hbm", g.hbm);
    s.read("local_copy", g.local_copy);
  }
  {
    Section s(root, "compute", file.string(), guesses);
    s.read("memory_load", g.memory_load);
    s.read("sm_path", g.sm_path);
    s.read("l2_rate", g.l2_rate);
  }
  {
    Section s(root, "collectives", file.string(), guesses);
    s.read("sync_entry_thread", g.sync_entry_thread);
    s.read("sync_entry_warp", g.sync_entry_warp);
    s.read("sync_entry_block", g.sync_entry_block);
    s.read("sync_round", g.sync_round);
    s.read("barrier_extra", g.barrier_extra);
  }
  Section s(root, "kernel", file.string(), guesses);
  s.read("launch_latency", g.launch_latency);
  s.read("kernel_start", g.kernel_start);
  s.read("kernel_minimum", g.kernel_minimum);
  s.read("kernel_end", g.kernel_end);
  s.read("cta_start", g.cta_start);
  s.read("grid_barrier", g.grid_barrier);
  s.read("grid_barrier_per_cta", g.grid_barrier_per_cta);
  s.read("cta_barrier", g.cta_barrier);
  s.read("warp_op", g.warp_op);
  s.read("clock_read", g.clock_read);
  s.read("event_record", g.event_record);
  return g;
}

HostModel load_host(const fs::path& file, std::vector<std::string>& guesses) {
  YAML::Node root = load_yaml(file);
  HostModel h;
  h.name = root["name"].as<std::string>("");
  Section s(root, "host", file.string(), guesses);
  s.read("launch_call", h.launch_call);
  s.read("api_call", h.api_call);
  s.read("copy_call", h.copy_call);
  s.read("sync_return", h.sync_return);
  s.read("malloc_call", h.malloc_call);
  s.read("copy_to_device", h.copy_to_device);
  s.read("copy_to_host", h.copy_to_host);
  s.read("copy_pageable", h.copy_pageable);
  s.read("copy_latency", h.copy_latency);
  return h;
}

}  // namespace

std::vector<std::string> list_platforms(const fs::path& folder) {
  std::vector<std::pair<int, std::string>> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".yaml")
      found.emplace_back(load_yaml(entry.path())["order"].as<int>(1000), entry.path().stem().string());
  if (error) fail(fmt::format("cannot read the platform folder '{}': {}", folder.string(), error.message()));
  std::sort(found.begin(), found.end());
  std::vector<std::string> names;
  for (auto& [order, name] : found) names.push_back(name);
  return names;
}

Platform load_platform(const fs::path& folder, const std::string& name) {
  bool is_path = name.find('/') != std::string::npos || name.ends_with(".yaml");
  fs::path file = is_path ? fs::path(name) : folder / (name + ".yaml");
  if (!fs::exists(file))
    fail(is_path ? fmt::format("platform file '{}' does not exist", name)
                 : fmt::format("unknown platform '{}'; known: {}; or give a path to a .yaml file", name,
                               fmt::join(list_platforms(folder), ", ")));
  YAML::Node root = load_yaml(file);
  Platform p;
  try {
    p.name = root["name"].as<std::string>();
    p.description = root["description"].as<std::string>("");
    p.nodes = root["nodes"].as<int>(1);
    if (root["gpus_per_node"]) p.gpus_per_node = root["gpus_per_node"].as<int>();
    p.nvlink_domain = root["nvlink_domain"] ? std::optional(root["nvlink_domain"].as<int>()) : p.gpus_per_node;
    p.gpu = load_gpu(file.parent_path() / root["gpu"].as<std::string>(), p.guesses);
    p.host = load_host(file.parent_path() / root["host"].as<std::string>(), p.guesses);
  } catch (const YAML::Exception& e) {
    fail(fmt::format("{}: {}", file.string(), e.what()));
  }
  if (p.nodes < 1 || (p.gpus_per_node && *p.gpus_per_node < 1))
    fail(fmt::format("{}: nodes and gpus_per_node must be at least 1", file.string()));
  return p;
}

std::string default_platform(const fs::path& folder, int pes) {
  for (const auto& name : list_platforms(folder))
    if (auto gpus = load_platform(folder, name).gpus(); !gpus || *gpus >= pes) return name;
  fail(fmt::format("no platform has a GPU for each of {} PEs; name one with -p", pes));
}

}  // namespace shmemu
