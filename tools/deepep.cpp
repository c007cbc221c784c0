#include "deepep.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

#include "base/errors.hpp"
#include "deepep/goal.hpp"
#include "deepep/placement.hpp"
#include "deepep/report.hpp"
#include "deepep/routing_file.hpp"
#include "deepep/run.hpp"
#include "deepep/trace.hpp"
#include "ranges.hpp"
#include "traces/kineto.hpp"

namespace shmemu::tools {
namespace {

struct Options {
  deepep::Setup setup;
  std::string mode = "ll", platform, version = "newest", dispatch = "fp8", combine = "bf16", timing = "call",
              adaptive = "on", timeline;
  std::string routing, column, trace, record, goal, ep_range = "8", tokens_range;
  int tokens = 0, experts = 0, topk = 0, num_sms = 0, nvl_chunk = 0, rdma_chunk = 0, layer = -1, redundant = 0;
  bool json = false, csv = false, balance = false, drop_warmup = false;
  bool sizes_given = false;  // all of --tokens, --hidden, --topk and --dispatch
};

deepep::Setup setup_of(const Options& o) {
  deepep::Setup s = o.setup;
  s.mode = o.mode == "ll" ? deepep::Mode::low_latency : deepep::Mode::high_throughput;
  s.version = o.version == "feb25" ? deepep::Version::feb25
              : o.version == "gin" ? deepep::Version::gin
                                   : deepep::Version::newest;
  s.dispatch = o.dispatch == "bf16" ? deepep::Dispatch::bf16 : deepep::Dispatch::fp8;
  s.combine = o.combine == "logfmt" ? deepep::Combine::logfmt : deepep::Combine::bf16;
  s.tokens = o.tokens ? o.tokens : s.ll() ? 128 : 4096;
  if (o.experts) s.experts = o.experts;
  if (o.topk) s.topk = o.topk;
  (s.ll() ? s.sms_low_latency : s.sms) = o.num_sms ? o.num_sms : s.ll() ? 0 : s.sms;
  if (o.nvl_chunk) s.nvl_chunk_dispatch = s.nvl_chunk_combine = o.nvl_chunk;
  if (o.rdma_chunk) s.rdma_chunk_dispatch = s.rdma_chunk_combine = o.rdma_chunk;
  s.notify_in_time = o.timing == "call";
  s.adaptive_routing = o.adaptive == "on";
  return s;
}

// From the file or the script's generator, then placed; what the routing says goes into the setup.
deepep::Routing routing_of(const Options& o, const Platform& platform, deepep::Setup& s,
                           std::vector<std::string>& notes) {
  deepep::Routing routing;
  if (o.routing.empty()) {
    deepep::fill_defaults(s, platform);
    deepep::check(s, platform);
    routing = deepep::generate(s, deepep::nodes_of(s, platform));
  } else {
    deepep::RoutingRequest request;
    request.ranks = s.ep, request.column = o.column, request.drop_warmup = o.drop_warmup, request.seed = s.seed;
    if (o.tokens) request.tokens = o.tokens;
    if (o.experts) request.experts = o.experts;
    if (o.layer >= 0) request.layer = o.layer;
    deepep::RoutingFile file = deepep::read_routing(o.routing, request);
    notes = file.notes;
    routing = std::move(file.routing);
    if (o.topk && o.topk != routing.topk)
      throw UserError(ExitCode::usage, fmt::format("{}: top-{}, --topk says {}", o.routing, routing.topk, o.topk));
    s.topk = routing.topk, s.experts = routing.experts, s.tokens = 1;
    for (int r = 0; r < s.ep; ++r) s.tokens = std::max(s.tokens, routing.tokens(r));
  }
  if (o.balance || o.redundant) {
    routing = deepep::place_experts(routing, deepep::balance(deepep::loads_of(routing), s.ep, o.redundant));
    notes.push_back(fmt::format("experts placed by load, {} copies of hot ones: {} slots on {} ranks", o.redundant,
                                routing.experts, s.ep));
    s.experts = routing.experts;
  }
  deepep::fill_defaults(s, platform);
  deepep::check(s, platform);
  return routing;
}

double mean(const std::vector<double>& v) {
  double sum = 0;
  for (double x : v) sum += x;
  return v.empty() ? 0 : sum / static_cast<double>(v.size());
}

// Recorded beside predicted, call by call.
void replay(const Options& o, const Platform& platform, const deepep::Costs& costs) {
  deepep::Trace trace = deepep::read_trace(o.trace);
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  std::string text =
      fmt::format("{} calls of {} ranks recorded with {}, replayed on {}\n{:>5} {:<10}{:>8}{:>14}{:>14}{:>10}  {}\n",
                  trace.calls.size(), trace.ranks, trace.library, platform.name, "call", "op", "tokens", "recorded us",
                  "predicted us", "error", "of it skew, bound");
  for (size_t i = 0; i < trace.calls.size(); ++i) {
    deepep::TraceCall& call = trace.calls[i];
    deepep::Setup& s = call.setup;
    s.nics_per_node = o.setup.nics_per_node, s.nic_scale = o.setup.nic_scale, s.nvlink_scale = o.setup.nvlink_scale;
    s.adaptive_routing = o.adaptive == "on";
    deepep::fill_defaults(s, platform);
    deepep::Results results = deepep::run(platform, costs, s, &call.routing);
    for (size_t op = 0; op < 2; ++op) {
      const auto& recorded = op ? call.combine_us : call.dispatch_us;
      if (recorded.empty()) continue;
      deepep::OpSummary p = deepep::summary_of(results.ops[op]);
      double was = mean(recorded), error = was > 0 ? 100 * (p.mean_us / was - 1) : 0;
      text += fmt::format("{:>5} {:<10}{:>8}{:>14.1f}{:>14.1f}{:>+9.1f}%  {:.1f}, {}\n", i, results.ops[op].name,
                          s.tokens, was, p.mean_us, error, p.skew_us, p.bound);
      rows.push_back({{"call", i},
                      {"op", results.ops[op].name},
                      {"tokens", s.tokens},
                      {"recorded_us", was},
                      {"predicted_us", p.mean_us},
                      {"skew_us", p.skew_us},
                      {"bound", p.bound},
                      {"recorded_per_rank_us", recorded},
                      {"predicted_per_rank_us", p.per_rank_us}});
    }
  }
  for (const std::string& note : trace.notes) text += fmt::format("note: {}\n", note);
  if (o.json)
    fmt::print(
        "{}\n",
        nlohmann::ordered_json{{"version", 1}, {"platform", platform.name}, {"library", trace.library}, {"calls", rows}}
            .dump(1));
  else
    fmt::print("{}", text);
}

// A profile of kernels: what the change of the switches adds to dispatch and combine, and to the step around them.
// Recorded kernels also wait for other ranks; that part, and notify, stays as it was.
void replay_profile(const Options& o, const Platform& platform, const deepep::Costs& costs) {
  traces::Kineto profile = traces::read_kineto(o.trace);
  if (!o.sizes_given)
    throw UserError(
        ExitCode::usage,
        fmt::format("{}: a profile holds no peer, size or rank of a message; give --tokens, --hidden, --topk "
                    "and --dispatch to predict its bytes (`shmemu trace info` shows its kernels)",
                    o.trace));
  Options asked = o;
  asked.mode = "ht", asked.timing = "kernel";
  asked.tokens = static_cast<int>(read_range("--tokens", o.tokens_range, 1).at(0));
  if (!asked.experts) asked.experts = profile.experts_assumed;
  if (!asked.num_sms) asked.num_sms = profile.sms_assumed;
  deepep::Setup changed = setup_of(asked);
  changed.ep = profile.ranks ? profile.ranks : profile.ranks_assumed;
  if (!changed.ep) changed.ep = static_cast<int>(read_range("--ep", o.ep_range, 2).at(0));
  deepep::Setup base = changed;
  base.nics_per_node = 0, base.nic_scale = base.nvlink_scale = 1, base.adaptive_routing = true;
  for (deepep::Setup* s : {&base, &changed}) deepep::fill_defaults(*s, platform), deepep::check(*s, platform);
  deepep::Results was = deepep::run(platform, costs, base), is = deepep::run(platform, costs, changed);
  std::map<std::string, double> longer;
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  std::string text =
      fmt::format("{:<18}{:>8}{:>14}{:>16}{:>12}\n", "kernels", "count", "recorded us", "predicted us", "changed us");
  for (const char* kind : {"dispatch", "cached dispatch", "combine"}) {
    if (!profile.kinds.count(kind)) continue;
    const traces::KinetoKind& k = profile.kinds.at(kind);
    size_t op = std::string(kind) == "combine" ? 1 : 0;
    double before = deepep::summary_of(was.ops[op]).kernel_us, after = deepep::summary_of(is.ops[op]).kernel_us;
    double recorded = k.total_us / static_cast<double>(k.kernels);
    longer[kind] = after - before;
    text += fmt::format("{:<18}{:>8}{:>14.1f}{:>16.1f}{:>12.1f}\n", kind, k.kernels, recorded, before, after);
    rows.push_back({{"kind", kind},
                    {"kernels", k.kernels},
                    {"recorded_us", recorded},
                    {"predicted_us", before},
                    {"changed_us", after}});
  }
  double same = traces::play(profile, {}), other = traces::play(profile, longer);
  text += fmt::format("step: {:.1f} ms recorded, {:.1f} ms played unchanged, {:.1f} ms with the change\n",
                      profile.span_us / 1e3, same / 1e3, other / 1e3);
  profile.notes.pop_back();  // sizes were given
  profile.notes.push_back(
      "predicted kernels start together and carry equal loads; recorded ones also wait for other "
      "ranks, and that part is kept");
  for (const std::string& note : profile.notes) text += fmt::format("note: {}\n", note);
  if (o.json)
    fmt::print("{}\n", nlohmann::ordered_json{{"version", 1},
                                              {"platform", platform.name},
                                              {"kernels", rows},
                                              {"recorded_ms", profile.span_us / 1e3},
                                              {"played_ms", same / 1e3},
                                              {"changed_ms", other / 1e3},
                                              {"notes", profile.notes}}
                           .dump(1));
  else
    fmt::print("{}", text);
}

struct Outcome {
  deepep::Setup setup;
  deepep::Results results;
  deepep::Skew skew;
};

Outcome predict(const Options& o, const Platform& platform, const deepep::Costs& costs) {
  Outcome out;
  out.setup = setup_of(o);
  if (out.setup.hook_us && (!out.setup.ll() || !o.record.empty()))
    throw UserError(ExitCode::usage, "deepep: --hook is of --mode ll, and not with --record");
  std::vector<std::string> notes;
  if (!o.record.empty()) out.setup.iterations = 1;
  deepep::Routing routing = routing_of(o, platform, out.setup, notes);
  deepep::Spans spans;
  out.results = deepep::run(platform, costs, out.setup, &routing, o.timeline.empty() ? nullptr : &spans);
  out.results.notes.insert(out.results.notes.begin(), notes.begin(), notes.end());
  int per_node = deepep::ranks_per_node(out.setup, platform);
  out.skew = deepep::skew_of(routing, out.setup.ep, per_node);
  if (!o.goal.empty()) deepep::write_goal(o.goal, out.setup, routing, per_node);
  if (!o.record.empty()) deepep::write_trace(o.record, out.results, out.setup, routing, per_node);
  if (!o.timeline.empty())
    deepep::write_timeline(spans, o.timeline,
                           fmt::format("DeepEP V1 {} EP{} on {}", o.mode, out.setup.ep, platform.name));
  return out;
}

int whole(uint64_t value, const char* option) {
  if (value > 1 << 20) throw UserError(ExitCode::usage, fmt::format("{} {}: at most {}", option, value, 1 << 20));
  return static_cast<int>(value);
}

void run(const Options& asked, const Layout& layout) {
  std::vector<uint64_t> eps = read_range("--ep", asked.ep_range, 2), tokens{0};
  if (!asked.tokens_range.empty()) tokens = read_range("--tokens", asked.tokens_range, 2);
  bool many = eps.size() * tokens.size() > 1;
  if (many && (!asked.record.empty() || !asked.timeline.empty() || !asked.goal.empty()))
    throw UserError(ExitCode::usage, "deepep: --record, --timeline and --goal take one --ep and one --tokens");
  int most = whole(*std::max_element(eps.begin(), eps.end()), "--ep");
  Platform platform =
      load_platform(layout.platforms(),
                    asked.platform.empty() ? default_platform(layout.platforms(), std::max(1, most)) : asked.platform);
  deepep::Costs costs =
      deepep::load_costs(layout.platforms() / "deepep" / (asked.version == "gin" ? "v2_gin.yaml" : "v1.yaml"));
  if (!asked.trace.empty())
    return std::filesystem::path(asked.trace).extension() == ".json" ? replay_profile(asked, platform, costs)
                                                                     : replay(asked, platform, costs);
  nlohmann::ordered_json runs = nlohmann::ordered_json::array();
  bool first = true;
  for (uint64_t ep : eps)
    for (uint64_t count : tokens) {
      Options o = asked;
      o.setup.ep = whole(ep, "--ep"), o.tokens = whole(count, "--tokens");
      Outcome out = predict(o, platform, costs);
      if (o.json) {
        runs.push_back(deepep::json_of(out.results, out.setup, platform, out.skew));
      } else if (o.csv) {
        std::string table = deepep::csv_of(out.results, out.setup, platform);
        fmt::print("{}", first ? table : table.substr(table.find('\n') + 1));
      } else {
        fmt::print("{}{}", first ? "" : "\n", deepep::text_of(out.results, out.setup, platform, out.skew));
      }
      first = false;
    }
  if (asked.json)
    fmt::print("{}\n", (many ? nlohmann::ordered_json{{"version", 1}, {"runs", runs}} : runs.at(0)).dump(1));
}

}  // namespace

void add_deepep(CLI::App& app, const Layout& layout) {
  auto o = std::make_shared<Options>();
  CLI::App* cmd =
      app.add_subcommand("deepep", "DeepEP V1 dispatch and combine: times and bandwidths of its message protocol");
  deepep::Setup& s = o->setup;
  cmd->add_option("--mode", o->mode, "ll: low latency; ht: high throughput")
      ->check(CLI::IsMember({"ll", "ht"}))
      ->capture_default_str();
  cmd->add_option("--ep", o->ep_range, "ranks (GPUs): 64, or 8,64, or 8:256 (doubling)")->capture_default_str();
  cmd->add_option("-p,--platform", o->platform, "platform name or YAML file; default: the first that is large enough");
  cmd->add_option("--tokens", o->tokens_range, "per rank, one or a list as --ep; default: 128 (ll), 4096 (ht)");
  cmd->add_option("--hidden", s.hidden, "of a token")->capture_default_str();
  cmd->add_option("--topk", o->topk, "experts of a token; default: 8")->check(CLI::Range(1, 1 << 20));
  cmd->add_option("--experts", o->experts, "of all ranks; default: 256")->check(CLI::Range(1, 1 << 20));
  cmd->add_option(
      "--routing", o->routing,
      "topk_idx as .npy or .h5, a log as .jsonl, or selections per expert as .csv; default: the script's generator");
  cmd->add_option("--layer", o->layer, "of a .jsonl log")->check(CLI::NonNegativeNumber);
  cmd->add_option("--column", o->column, "of a .csv, default: the last; the dataset of a .h5, default: topk_idx");
  cmd->add_flag("--drop-warmup", o->drop_warmup, "leave out leading tokens that all select the same");
  cmd->add_flag("--balance", o->balance, "place experts by load, as EPLB's global policy");
  cmd->add_option("--redundant", o->redundant, "with copies of hot experts in so many further slots")
      ->check(CLI::NonNegativeNumber);
  cmd->add_option("--trace", o->trace,
                  "replay a folder written by tools/deepep_record.py; prints recorded beside predicted; or a Kineto "
                  "profile (.json), with --tokens, --hidden, --topk and --dispatch");
  cmd->add_option("--groups", s.groups, "ht: nodes that a token's experts may lie on; default: min(nodes, 4)")
      ->check(CLI::Range(1, 1 << 20));
  cmd->add_option("--dispatch", o->dispatch, "data type of dispatch")
      ->check(CLI::IsMember({"fp8", "bf16"}))
      ->capture_default_str();
  cmd->add_option("--combine", o->combine, "data type of combine")
      ->check(CLI::IsMember({"bf16", "logfmt"}))
      ->capture_default_str();
  cmd->add_option(
         "--version", o->version,
         "of the library: newest; feb25: all through the adapter, ht over the CPU proxy; gin: V2, ht over NCCL GIN")
      ->check(CLI::IsMember({"newest", "feb25", "gin"}))
      ->capture_default_str();
  cmd->add_option("--num-sms", o->num_sms, "SMs; default: all (ll), 24 (ht)")->check(CLI::Range(1, 1 << 20));
  cmd->add_option("--nvl-chunk", o->nvl_chunk, "ht: tokens per NVLink chunk; default: the library's configuration")
      ->check(CLI::Range(1, 1 << 20));
  cmd->add_option("--rdma-chunk,--chunk", o->rdma_chunk,
                  "ht: tokens per RDMA chunk; default: the library's configuration")
      ->check(CLI::Range(1, 1 << 20));
  cmd->add_option("--nvl-ring", s.nvl_ring, "ht: tokens of an NVLink ring")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  cmd->add_option("--rdma-ring", s.rdma_ring, "ht: tokens of an RDMA ring")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  cmd->add_option("--timing", o->timing, "ht: call (cached notify + kernel, as the README's rows) or kernel")
      ->check(CLI::IsMember({"call", "kernel"}))
      ->capture_default_str();
  cmd->add_option("--doorbell", s.doorbell_every, "ll: a doorbell every so many messages")->capture_default_str();
  cmd->add_option("--hook", s.hook_us, "ll: receive in a kernel of its own, us after the sending one has ended")
      ->check(CLI::NonNegativeNumber);
  cmd->add_option("--iterations", s.iterations, "ll: counted pairs of operations, after one that warms up")
      ->capture_default_str();
  cmd->add_option("--seed", s.seed, "of routing and start times")->capture_default_str();
  cmd->add_option("--skew", s.skew_us, "us: ranks start at random within this time")->capture_default_str();
  cmd->add_option("--nics-per-node", s.nics_per_node, "what if: adapters shared by neighbouring GPUs")
      ->check(CLI::Range(1, 1 << 20));
  cmd->add_option("--nic-scale", s.nic_scale, "what if: rate of the adapters")->capture_default_str();
  cmd->add_option("--nvlink-scale", s.nvlink_scale, "what if: rate of NVLink")->capture_default_str();
  cmd->add_option("--adaptive-routing", o->adaptive,
                  "what if: off: every queue pair keeps to one path through the spine")
      ->check(CLI::IsMember({"on", "off"}))
      ->capture_default_str();
  cmd->add_option("--record", o->record, "write the predicted calls as a folder that --trace reads");
  cmd->add_option("--goal", o->goal, "write the messages between nodes as a GOAL schedule for LogGOPSim");
  cmd->add_option("--arrivals", s.arrivals_us, "us: start of each rank, with commas")->delimiter(',');
  cmd->add_option("--timeline", o->timeline, "write a timeline: .pftrace (Perfetto), .svg (picture), else JSON lines");
  cmd->add_flag("--json", o->json, "as JSON on standard output");
  cmd->add_flag("--csv", o->csv, "as CSV on standard output");
  cmd->callback([o, cmd, layout] {
    o->sizes_given =
        cmd->count("--tokens") && cmd->count("--hidden") && cmd->count("--topk") && cmd->count("--dispatch");
    run(*o, layout);
  });
}

}  // namespace shmemu::tools
