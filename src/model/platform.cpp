#include "model/platform.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include "base/errors.hpp"
#include "model/placement.hpp"
#include "model/yaml_section.hpp"

namespace shmemu {
namespace {

namespace fs = std::filesystem;

// The file that `root` takes over with `like`, read by `load`; a fresh model without. `chain`: files on the way here.
template <class Model, class Load>
Model taken_over(const YAML::Node& root, const fs::path& file, std::vector<fs::path>& chain,
                 std::vector<std::string>& guesses, Load load) {
  chain.push_back(fs::weakly_canonical(file));
  YAML::Node like = root["like"];
  if (!like) return {};
  fs::path other = fs::weakly_canonical(file.parent_path() / like.as<std::string>());
  if (std::find(chain.begin(), chain.end(), other) != chain.end())
    refuse(file, like,
           fmt::format("'like' goes round in a circle back to '{}'; let one file have all keys",
                       other.filename().string()));
  if (!fs::exists(other))
    refuse(file, like,
           fmt::format("'like' names '{}', which does not exist; paths are relative to the file", other.string()));
  Model model = load(other, guesses, chain);
  guesses.push_back(fmt::format("{}: all that the file does not say is taken over from {}",
                                root["name"].as<std::string>("?"), model.name));
  return model;
}

GpuModel load_gpu(const fs::path& file, std::vector<std::string>& guesses, std::vector<fs::path>& chain) {
  YAML::Node root = load_yaml(file);
  refuse_unknown(root, file,
                 {"name", "like", "shape", "copy", "completion", "links", "compute", "collectives", "kernel"});
  GpuModel g = taken_over<GpuModel>(root, file, chain, guesses, load_gpu);
  bool partial = root["like"].IsDefined();
  g.name = root["name"].as<std::string>("");
  {
    Section s(root, "shape", file, guesses, partial);
    s.read("sms", g.sms);
    s.read("max_threads_per_sm", g.max_threads_per_sm);
    s.read("max_ctas_per_sm", g.max_ctas_per_sm);
    s.read("max_threads_per_cta", g.max_threads_per_cta);
    s.read("shared_per_sm", g.shared_per_sm, "B");
    s.read("shared_per_cta", g.shared_per_cta, "B");
    s.read("registers_per_sm", g.registers_per_sm, "");
    s.read("memory", g.memory, "B");
    s.read("l2", g.l2, "B");
    s.read("clock_ghz", g.clock_ghz, "GHz", 10);
  }
  {
    Section s(root, "copy", file, guesses, partial);
    s.refuse_times_above(10);
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
    Section s(root, "completion", file, guesses, partial);
    s.refuse_times_above(10);
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
    Section s(root, "links", file, guesses, partial);
    s.read("nvlink_store", g.nvlink_store);
    s.read("nvlink_load", g.nvlink_load);
    s.read("hbm", g.hbm);
    s.read("local_copy", g.local_copy);
  }
  {
    Section s(root, "compute", file, guesses, partial);
    s.read("memory_load", g.memory_load);
    s.read("sm_path", g.sm_path);
    s.read("l2_rate", g.l2_rate);
  }
  {
    Section s(root, "collectives", file, guesses, partial);
    CollectiveCosts& c = g.collectives;
    s.read("sync_entry", c.sync_entry);
    s.read("sync_round", c.sync_round);
    s.read("barrier_extra", c.barrier);
    s.read("entry", c.entry);
    s.read("peer", c.peer);
    s.read("broadcast_tree", c.broadcast_tree);
    s.read("broadcast_flat", c.broadcast_flat);
    s.read("broadcast_receive", c.broadcast_receive);
    s.read("packed_entry", c.packed_entry);
    s.read("packed_grouped", c.packed_grouped);
    s.read("packed_peer", c.packed_peer);
    s.read("pack", c.pack);
    s.read("unpack", c.unpack);
    s.read("collect", c.collect);
    s.read("exchange_entry", c.exchange_entry);
    s.read("exchange_round", c.exchange_round);
    s.read("hierarchical", c.hierarchical);
    s.read("combine", c.combine);
    s.read("combine_wide_thread", c.combine_wide_thread);
    s.read("combine_async", c.combine_async);
    s.read("segment_block", c.segment_block);
    s.read("multicast_entry", c.multicast_entry);
    s.read("multicast_fence", c.multicast_fence);
    s.read("multicast_round", c.multicast_round);
    s.read("multicast_round_memory", c.multicast_round_memory);
    s.read("multicast_reach", c.multicast_reach, "B");
    s.read("multicast_rate", c.multicast_rate);
    s.read("combine_received", c.combine_received);
  }
  Section s(root, "kernel", file, guesses, partial);
  s.read("launch_latency", g.launch_latency);
  s.read("kernel_start", g.kernel_start);
  s.read("graph_gap", g.graph_gap);
  s.read("kernel_end", g.kernel_end);
  s.read("cta_start", g.cta_start);
  s.read("grid_barrier", g.grid_barrier);
  s.read("grid_barrier_per_cta", g.grid_barrier_per_cta);
  s.read("cta_barrier", g.cta_barrier);
  s.read("warp_op", g.warp_op);
  s.read("clock_read", g.clock_read);
  s.read("event_record", g.event_record);
  s.read("fill_start", g.fill_start);
  s.read("copy_start", g.copy_start);
  s.read("stream_join", g.stream_join);
  return g;
}

HostModel load_host(const fs::path& file, std::vector<std::string>& guesses, std::vector<fs::path>& chain) {
  YAML::Node root = load_yaml(file);
  refuse_unknown(root, file, {"name", "like", "host", "proxy"});
  HostModel h = taken_over<HostModel>(root, file, chain, guesses, load_host);
  bool partial = root["like"].IsDefined();
  h.name = root["name"].as<std::string>("");
  {
    Section s(root, "proxy", file, guesses, partial);
    s.read("enqueue", h.proxy.enqueue);
    s.read("pick_up", h.proxy.pick_up);
    s.read("request", h.proxy.request);
    s.read("ring_fence", h.proxy.ring_fence);
    s.read("quiet", h.proxy.quiet);
    s.read("payload_fetch", h.proxy.payload_fetch);
    s.read("complete", h.proxy.complete);
    s.read("inline_bytes", h.proxy.inline_bytes, "B");
  }
  Section s(root, "host", file, guesses, partial);
  s.read("launch_call", h.launch_call);
  s.read("collective_launch_call", h.collective_launch_call);
  s.read("event_call", h.event_call);
  s.read("api_call", h.api_call);
  s.read("copy_call", h.copy_call);
  s.read("fill_call", h.fill_call);
  s.read("sync_return", h.sync_return);
  s.read("malloc_call", h.malloc_call);
  s.read("free_call", h.free_call);
  s.read("copy_to_device", h.copy_to_device);
  s.read("copy_to_host", h.copy_to_host);
  s.read("copy_pageable", h.copy_pageable);
  s.read("copy_latency", h.copy_latency);
  return h;
}

NicModel load_nic(const fs::path& file, std::vector<std::string>& guesses, std::vector<fs::path>& chain) {
  YAML::Node root = load_yaml(file);
  refuse_unknown(root, file, {"name", "like", "wire", "requests", "ibgda"});
  NicModel n = taken_over<NicModel>(root, file, chain, guesses, load_nic);
  bool partial = root["like"].IsDefined();
  n.name = root["name"].as<std::string>("");
  {
    Section s(root, "wire", file, guesses, partial);
    s.read("line_rate", n.line_rate, 150);  // GB/s: 100 is the fastest adapter of 2026
    s.read("packet", n.packet, "B");
    s.read("packet_overhead", n.packet_overhead, "B");
  }
  {
    Section s(root, "requests", file, guesses, partial);
    s.read("request", n.request);
    s.read("queue_request", n.queue_request);
    s.read("payload_fetch", n.payload_fetch);
    s.read("flight", n.flight);
    s.read("acknowledge", n.acknowledge);
    s.read("atomic", n.atomic);
  }
  Section s(root, "ibgda", file, guesses, partial);
  s.read("post", n.post);
  s.read("post_call", n.post_call);
  s.read("hand_off", n.hand_off);
  s.read("merged_hand_off", n.merged_hand_off);
  s.read("merged_extra", n.merged_extra);
  s.read("inline_byte", n.inline_byte);
  s.read("sm_turn", n.sm_turn);
  s.read("empty_call", n.empty_call);
  s.read("poll", n.poll);
  s.read("next_queue", n.next_queue);
  s.read("read_turn", n.read_turn);
  return n;
}

FabricModel load_fabric(const YAML::Node& root, const fs::path& file, std::vector<std::string>& guesses) {
  FabricModel f;
  YAML::Node node = root["fabric"];
  if (!node) refuse(file, root, "a platform with 'nic' needs a section 'fabric'");
  refuse_unknown(node, file, {"kind", "leaf_ports", "oversubscription", "switch_latency"});
  auto kind = node["kind"].as<std::string>("");
  if (kind != "rail" && kind != "fat-tree")
    refuse(file, node["kind"] ? node["kind"] : node, fmt::format("'fabric.kind' is '{}'; known: rail, fat-tree", kind));
  f.kind = kind == "rail" ? FabricModel::Kind::rail : FabricModel::Kind::fat_tree;
  Section s(root, "fabric", file, guesses);
  s.allow("kind");
  s.read("leaf_ports", f.leaf_ports);
  s.read("oversubscription", f.oversubscription, "");
  s.read("switch_latency", f.switch_latency);
  if (f.oversubscription < 1)
    refuse(file, node["oversubscription"], "'fabric.oversubscription' must be at least 1 (1 = non-blocking)");
  return f;
}

// The file that the platform names under `key`.
template <class Load>
auto load_part(const YAML::Node& root, const char* key, const fs::path& file, std::vector<std::string>& guesses,
               Load load) {
  fs::path part = file.parent_path() / root[key].as<std::string>("");
  if (!root[key].IsScalar() || !fs::is_regular_file(part))
    refuse(file, root[key],
           fmt::format("'{}' names '{}', which is no file; paths are relative to the platform's file", key,
                       part.string()));
  std::vector<fs::path> chain;
  return load(part, guesses, chain);
}

// A positive whole number at the top level.
int count_at(const YAML::Node& root, const char* key, const fs::path& file) {
  int value = 0;
  if (!YAML::convert<int>::decode(root[key], value) || value < 1)
    refuse(file, root[key], fmt::format("'{}' must be a whole number of at least 1", key));
  return value;
}

}  // namespace

std::vector<std::string> list_platforms(const fs::path& folder) {
  std::vector<std::pair<int, std::string>> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".yaml")
      found.emplace_back(load_yaml(entry.path())["order"].as<int>(1000), entry.path().stem().string());
  if (error)
    throw UserError(ExitCode::usage,
                    fmt::format("cannot read the platform folder '{}': {}", folder.string(), error.message()));
  std::sort(found.begin(), found.end());
  std::vector<std::string> names;
  for (auto& [order, name] : found) names.push_back(name);
  return names;
}

Platform load_platform(const fs::path& folder, const std::string& name) {
  bool is_path = name.find('/') != std::string::npos || name.ends_with(".yaml");
  fs::path file = is_path ? fs::path(name) : folder / (name + ".yaml");
  if (!fs::exists(file))
    throw UserError(ExitCode::usage,
                    is_path ? fmt::format("platform file '{}' does not exist", name)
                            : fmt::format("unknown platform '{}'; known: {}; or give a path to a .yaml file", name,
                                          fmt::join(list_platforms(folder), ", ")));
  YAML::Node root = load_yaml(file);
  refuse_unknown(
      root, file,
      {"name", "description", "order", "gpu", "host", "nic", "nodes", "gpus_per_node", "nvlink_domain", "fabric"});
  for (const char* key : {"name", "gpu", "host"})
    if (!root[key])
      refuse(file, root,
             fmt::format("'{}' is missing; write {}: {}", key, key,
                         std::string_view(key) == "name" ? "what reports call it" : "the path of its file"));
  Platform p;
  try {
    p.name = root["name"].as<std::string>();
    p.description = root["description"].as<std::string>("");
    if (root["nodes"]) p.nodes = count_at(root, "nodes", file);
    if (root["gpus_per_node"]) p.gpus_per_node = count_at(root, "gpus_per_node", file);
    p.nvlink_domain = root["nvlink_domain"] ? std::optional(count_at(root, "nvlink_domain", file)) : p.gpus_per_node;
    p.gpu = load_part(root, "gpu", file, p.guesses, load_gpu);
    p.host = load_part(root, "host", file, p.guesses, load_host);
    if (root["nic"]) {
      p.nic = load_part(root, "nic", file, p.guesses, load_nic);
      p.fabric = load_fabric(root, file, p.guesses);
    }
  } catch (const YAML::Exception& e) {
    throw UserError(ExitCode::usage,
                    fmt::format("{}:{}: {}; names and paths are plain words", file.string(), e.mark.line + 1, e.msg));
  }
  if (p.gpus_per_node && *p.nvlink_domain % *p.gpus_per_node && *p.gpus_per_node % *p.nvlink_domain)
    refuse(file, root["nvlink_domain"],
           fmt::format("domains of {} GPUs cut through nodes of {}; take a divisor or a multiple", *p.nvlink_domain,
                       *p.gpus_per_node));
  if (p.nodes > 1 && !p.gpus_per_node) refuse(file, root["nodes"], "several nodes need 'gpus_per_node'");
  if (root["fabric"] && !p.nic) refuse(file, root["fabric"], "a fabric needs adapters: name a file with 'nic'");
  if (p.gpus_per_node && *p.nvlink_domain < p.nodes * *p.gpus_per_node && !p.nic)
    refuse(file, root,
           fmt::format("GPUs of different NVLink domains ({} GPUs each) cannot reach each other: name a file of "
                       "network adapters with 'nic', or put all {} GPUs into one domain",
                       *p.nvlink_domain, p.nodes * *p.gpus_per_node));
  return p;
}

std::string default_platform(const fs::path& folder, int pes) {
  for (const auto& name : list_platforms(folder))
    if (has_room(load_platform(folder, name), pes)) return name;
  throw UserError(ExitCode::usage, fmt::format("no platform has a GPU for each of {} PEs; name one with -p", pes));
}

}  // namespace shmemu
