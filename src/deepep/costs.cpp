#include "deepep/costs.hpp"

#include "model/yaml_section.hpp"

namespace shmemu::deepep {

Costs load_costs(const std::filesystem::path& file) {
  YAML::Node root = load_yaml(file);
  refuse_unknown(root, file, {"name", "links", "low_latency", "high_throughput", "intranode"});
  Costs c;
  c.name = root["name"].as<std::string>("");
  {
    Section s(root, "links", file, c.guesses);
    s.read("nvlink_share", c.nvlink_share, "");
    s.read("nvlink_flag", c.nvlink_flag);
    s.read("local_flag", c.local_flag);
    if (root["links"]["post"]) s.read("post", c.post.emplace());
  }
  {
    Section s(root, "low_latency", file, c.guesses);
    s.read("kernel_entry", c.ll.kernel_entry);
    s.read("receive_entry", c.ll.receive_entry);
    s.read("entry_spread", c.ll.entry_spread);
    s.read("step", c.ll.step);
    s.read("copy_trip", c.ll.copy_trip, "B");
    s.read("order_wait", c.ll.order_wait);
    s.read("atomic_service", c.ll.atomic_service);
    s.read("combine_share", c.ll.combine_share, "");
    s.read("reduce_rate", c.ll.reduce_rate);
    s.read("gap", c.ll.gap);
  }
  {
    Section s(root, "high_throughput", file, c.guesses);
    s.read("l2_step", c.ht.l2_step);
    s.read("scan_step", c.ht.scan_step);
    s.read("memory_step", c.ht.memory_step);
    s.read("chunk_step", c.ht.chunk_step);
    s.read("prologue", c.ht.prologue);
    s.read("own_tail", c.ht.own_tail);
    s.read("credit_sleep", c.ht.credit_sleep);
    s.read("barriers", c.ht.barriers);
  }
  Section s(root, "intranode", file, c.guesses);
  s.read("entry", c.nvl.entry);
  s.read("chunk_step", c.nvl.chunk_step);
  s.read("copy_round", c.nvl.copy_round);
  s.read("reduce_entry", c.nvl.reduce_entry);
  s.read("reduce_trip", c.nvl.reduce_trip);
  s.read("reduce_part", c.nvl.reduce_part);
  s.read("barriers", c.nvl.barriers);
  return c;
}

}  // namespace shmemu::deepep
