#include "deepep/setup.hpp"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/errors.hpp"
#include "deepep/sizes.hpp"

namespace shmemu::deepep {
namespace {

[[noreturn]] void refuse_setup(std::string message) {
  throw UserError(ExitCode::usage, "deepep: " + std::move(message));
}

// Buffer::get_dispatch_config and get_combine_config of 29d31c0: NVL and RDMA chunk by ranks. The scripts sweep the
// chunks and print the best; their best inside a node are the large ones.
struct Chunks {
  int ranks, nvl_dispatch, rdma_dispatch, nvl_combine, rdma_combine;
};
constexpr Chunks kChunks[] = {{2, 24, 6, 10, 6},  {4, 6, 6, 9, 6},     {8, 6, 6, 4, 6},     {16, 36, 20, 4, 12},
                              {24, 32, 8, 1, 8},  {32, 32, 8, 1, 8},   {48, 32, 8, 1, 8},   {64, 32, 8, 1, 8},
                              {96, 20, 12, 1, 8}, {128, 20, 12, 1, 8}, {144, 32, 12, 2, 8}, {160, 28, 12, 2, 8}};

void check_low_latency(const Setup& s, const Platform& p) {
  constexpr int kHidden[] = {2048, 2560, 3072, 4096, 5120, 6144, 7168, 8192};
  if (std::find(std::begin(kHidden), std::end(kHidden), s.hidden) == std::end(kHidden))
    refuse_setup(
        fmt::format("--hidden {}: the low-latency kernels exist for {} only", s.hidden, fmt::join(kHidden, ", ")));
  if (s.topk > 11)
    refuse_setup(fmt::format("--topk {}: the low-latency kernels take at most 11 (kNumMaxTopK)", s.topk));
  constexpr int kDepth = 1024;  // of a queue pair; the library checks depth >= 2 (tokens + 1)
  if (2 * (s.tokens + 1) > kDepth)
    refuse_setup(
        fmt::format("--tokens {}: a queue pair of depth {} holds the requests of at most {} tokens; use --mode ht",
                    s.tokens, kDepth, kDepth / 2 - 1));
  if (ll_buffer(s) > p.gpu.memory)
    refuse_setup(fmt::format("--experts {} --tokens {}: the buffers take {} MB of a GPU's {} MB", s.experts, s.tokens,
                             ll_buffer(s) / 1000000, p.gpu.memory / 1000000));
}

void check_high_throughput(const Setup& s, int nodes) {
  constexpr int kMostNodes = 32;  // a token's nodes are bits of a word here
  if (s.version == Version::gin && nodes > kMostNodes)
    refuse_setup(fmt::format("--ep {}: {} nodes; at most {}", s.ep, nodes, kMostNodes));
  if (s.version != Version::gin && s.ep > 160)
    refuse_setup(fmt::format("--ep {}: the high-throughput kernels stop at 160 ranks; use --mode ll", s.ep));
  constexpr int kNodes[] = {1, 2, 3, 4, 6, 8, 12, 16, 18, 20};
  if (s.version != Version::gin && std::find(std::begin(kNodes), std::end(kNodes), nodes) == std::end(kNodes))
    refuse_setup(fmt::format("--ep {}: {} nodes; the high-throughput kernels exist for {} nodes", s.ep, nodes,
                             fmt::join(kNodes, ", ")));
  if (s.sms < 2 || s.sms % 2)
    refuse_setup(fmt::format("--num-sms {}: half send and half receive, so the number must be even", s.sms));
  if (nodes == 1) {
    if (s.ep != 2 && s.ep != 4 && s.ep != 8)
      refuse_setup(fmt::format("--ep {}: the kernels inside an NVLink domain exist for 2, 4 and 8 ranks", s.ep));
    int chunk = std::max(s.nvl_chunk_dispatch, s.nvl_chunk_combine);
    if (chunk >= s.nvl_ring)
      refuse_setup(fmt::format("--nvl-chunk {}: must be below the ring of {} tokens (--nvl-ring)", chunk, s.nvl_ring));
    return;
  }
  for (int chunk : {s.rdma_chunk_dispatch, s.rdma_chunk_combine})
    if (2 * chunk > s.rdma_ring)
      refuse_setup(fmt::format(
          "--rdma-chunk {}: at most half of the ring of {} tokens (--rdma-ring), or senders and credits wait "
          "for each other",
          chunk, s.rdma_ring));
  constexpr uint64_t kMostRdma = uint64_t{2} << 30;  // the library's offsets are of 32 bits
  if (ht_rdma_buffer(s, nodes) >= kMostRdma)
    refuse_setup(
        fmt::format("--rdma-ring {}: {} channels and {} nodes take {} MB of RDMA buffer, the library stops at 2 GiB; "
                    "lower --rdma-ring or --num-sms",
                    s.rdma_ring, s.sms / 2, nodes, ht_rdma_buffer(s, nodes) / 1000000));
  int share = s.nvl_ring / nodes;
  if (share <= std::max(s.rdma_chunk_combine, s.nvl_chunk_combine))
    refuse_setup(fmt::format(
        "combine: a node's share of the NVLink ring is {} tokens ({} / {} nodes), not above the chunks ({} RDMA, {} "
        "NVLink); raise --nvl-ring or lower the chunks",
        share, s.nvl_ring, nodes, s.rdma_chunk_combine, s.nvl_chunk_combine));
}

}  // namespace

int ranks_per_node(const Setup& s, const Platform& p) { return std::min(s.ep, p.gpus_per_node.value_or(s.ep)); }

void fill_defaults(Setup& s, const Platform& p) {
  int nodes = nodes_of(s, p);
  if (!s.iterations) s.iterations = s.ll() ? std::clamp(512 / s.ep, 1, 30) : 1;
  if (!s.groups) s.groups = std::min(nodes, 4);
  if (!s.sms_low_latency) s.sms_low_latency = p.gpu.sms;
  if (!s.nics_per_node) s.nics_per_node = ranks_per_node(s, p);
  const Chunks* row = kChunks;
  for (const Chunks& c : kChunks)
    if (c.ranks <= s.ep) row = &c;
  if (s.version == Version::feb25 && nodes > 1) {  // the first public commit
    static constexpr Chunks kFirst[] = {{16, 16, 20, 2, 28}, {32, 8, 32, 1, 20}, {64, 20, 28, 1, 20}};
    row = kFirst;
    for (const Chunks& c : kFirst)
      if (c.ranks <= s.ep) row = &c;
  }
  if (s.version == Version::gin &&
      nodes > 1)  // guess: V2's own table was not read; its rows say that chunks cost little
    row = std::find_if(std::begin(kChunks), std::end(kChunks), [](const Chunks& c) { return c.ranks == 16; });
  if (!s.nvl_chunk_dispatch) s.nvl_chunk_dispatch = row->nvl_dispatch;
  if (!s.nvl_chunk_combine) s.nvl_chunk_combine = row->nvl_combine;
  if (!s.rdma_chunk_dispatch) s.rdma_chunk_dispatch = row->rdma_dispatch;
  if (!s.rdma_chunk_combine) s.rdma_chunk_combine = row->rdma_combine;
}

void check(const Setup& s, const Platform& p) {
  auto positive = [](const char* option, int value) {
    if (value < 1) refuse_setup(fmt::format("{} {}: must be at least 1", option, value));
  };
  positive("--ep", s.ep), positive("--tokens", s.tokens), positive("--topk", s.topk), positive("--experts", s.experts);
  positive("--iterations", s.iterations), positive("--doorbell", s.doorbell_every);
  auto within = [](const char* option, double value, double least, double most) {
    if (!(value >= least && value <= most))
      refuse_setup(fmt::format("{} {}: must lie between {} and {}", option, value, least, most));
  };
  constexpr double kLongest = 1e9;  // us: a quarter of an hour
  within("--nic-scale", s.nic_scale, 1e-3, 1e3), within("--nvlink-scale", s.nvlink_scale, 1e-3, 1e3);
  within("--skew", s.skew_us, 0, kLongest);
  for (const auto* starts : {&s.arrivals_us, &s.combine_arrivals_us})
    for (double at : *starts) within("--arrivals", at, 0, kLongest);
  constexpr int kExperts = INT16_MAX;  // of a Routing
  if (s.experts > kExperts) refuse_setup(fmt::format("--experts {}: at most {}", s.experts, kExperts));
  int sms = s.ll() ? s.sms_low_latency : s.sms;
  positive("--num-sms", sms);
  if (sms > p.gpu.sms) refuse_setup(fmt::format("--num-sms {}: a {} has {}", sms, p.gpu.name, p.gpu.sms));
  if (s.ep < 2) refuse_setup("--ep 1: one rank has nobody to send to");
  if (s.experts % s.ep) refuse_setup(fmt::format("--experts {}: must be a multiple of the {} ranks", s.experts, s.ep));
  if (s.topk > s.experts) refuse_setup(fmt::format("--topk {}: only {} experts", s.topk, s.experts));
  if (s.hidden < 512 || s.hidden % 512)
    refuse_setup(fmt::format("--hidden {}: must be a multiple of 512 (32 lanes of 16 B)", s.hidden));
  int per_node = ranks_per_node(s, p), nodes = nodes_of(s, p);
  if (s.ep % per_node) refuse_setup(fmt::format("--ep {}: nodes of {} GPUs must be full", s.ep, per_node));
  if (nodes > p.nodes)
    refuse_setup(fmt::format("--ep {}: needs {} nodes of {} GPUs, platform '{}' has {}", s.ep, nodes, per_node, p.name,
                             p.nodes));
  if (nodes > 1 && !p.nic)
    refuse_setup(fmt::format("--ep {}: {} nodes, but platform '{}' has no adapters", s.ep, nodes, p.name));
  if (p.nvlink_domain && *p.nvlink_domain < per_node)
    refuse_setup(fmt::format("platform '{}': NVLink joins {} GPUs of a node's {}; DeepEP needs all", p.name,
                             *p.nvlink_domain, per_node));
  if (s.nics_per_node > per_node || per_node % s.nics_per_node)
    refuse_setup(fmt::format("--nics-per-node {}: must divide the {} GPUs of a node", s.nics_per_node, per_node));
  if (s.hook_us) within("--hook", *s.hook_us, 0, kLongest);
  for (const auto* starts : {&s.arrivals_us, &s.combine_arrivals_us})
    if (!starts->empty() && static_cast<int>(starts->size()) != s.ep)
      refuse_setup(fmt::format("{} start times for {} ranks", starts->size(), s.ep));
  if (!s.ll() && nodes > 1 && per_node != 8)
    refuse_setup(fmt::format("--mode ht: the kernels that cross nodes want 8 GPUs in a node, platform '{}' has {}",
                             p.name, per_node));
  if (s.ll() && s.version == Version::gin)
    refuse_setup("--version gin: DeepEP V2 has no low-latency mode over the adapter (its README); use --mode ht");
  s.ll() ? check_low_latency(s, p) : check_high_throughput(s, nodes);
}

std::string name_of(Version version) {
  return version == Version::newest ? "newest" : version == Version::gin ? "gin" : "feb25";
}

std::vector<std::pair<std::string, std::string>> describe(const Setup& s) {
  std::vector<std::pair<std::string, std::string>> out;
  auto add = [&](const char* name, auto value) { out.emplace_back(name, fmt::format("{}", value)); };
  add("mode", s.ll() ? "ll" : "ht");
  add("version", name_of(s.version));
  add("ep", s.ep), add("tokens", s.tokens), add("hidden", s.hidden), add("topk", s.topk), add("experts", s.experts);
  add("dispatch", s.dispatch == Dispatch::fp8 ? "fp8" : "bf16");
  add("combine", s.combine == Combine::bf16 ? "bf16" : "logfmt");
  if (s.ll()) {
    add("doorbell", s.doorbell_every), add("num-sms", s.sms_low_latency);
    add("hook", s.hook_us ? fmt::format("{} us later", *s.hook_us) : std::string("no"));
    add("buffer", fmt::format("{} MB", ll_buffer(s) / 1000000));
  } else {
    add("groups", s.groups), add("num-sms", s.sms);
    add("nvl-chunk", fmt::format("{}/{}", s.nvl_chunk_dispatch, s.nvl_chunk_combine));
    add("rdma-chunk", fmt::format("{}/{}", s.rdma_chunk_dispatch, s.rdma_chunk_combine));
    add("nvl-ring", s.nvl_ring), add("rdma-ring", s.rdma_ring);
    add("timing", s.notify_in_time ? "call (cached notify + kernel)" : "kernel");
  }
  add("nics-per-node", s.nics_per_node), add("adaptive-routing", s.adaptive_routing ? "on" : "off");
  add("nic-scale", s.nic_scale), add("nvlink-scale", s.nvlink_scale);
  add("skew", s.arrivals_us.empty() ? fmt::format("{} us", s.skew_us) : std::string("as given per rank"));
  add("iterations", s.iterations), add("seed", s.seed);
  return out;
}

}  // namespace shmemu::deepep
