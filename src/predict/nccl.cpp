// Constants: NCCL 2.30 source (tuning.cc: latencies, bandwidths, corrections; symmetric kernels: their model) where a
// line says "tuner" or "selector"; else all-reduce on 8 and 16 H200 with NDR400, C-TC/multi-gpu-programming-models,
// repro/ (May 2026), rows NAR-*; what is set on which row stands in docs/design/collectives.md. Units: µs, B, B/µs.
#include "predict/nccl.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/errors.hpp"

namespace shmemu::predict {
namespace {

enum Protocol { ll, ll128, simple, kProtocols };
constexpr const char* kProtocolNames[] = {"LL", "LL128", "Simple"};
constexpr int kMostChannels = 16;
constexpr double kChannelRate = 22.5e3;  // guess: graph of 16 channels, chosen because it gives the published choices
constexpr double kSmStores = 45.1e3;     // of one SM (RMA st16_bw 1 CTA)
constexpr double kLoad = 0.92;           // round trip of a load over NVLink (published, one block get)
constexpr double kNvls = 310.9e3;        // NAR NVLS, slope 276.4 GB/s times 9/8

struct Shape {
  double n, nodes, per_node, bytes, steps;  // bytes: of the whole vector
};

double log2_of(double v) { return std::log2(std::max(1.0, v)); }

// ---- inside a node, registered buffers: symmetric kernels ----

double softmin(double x, double c, double s) { return c - s * std::log1p((std::exp(c / s) - 1) * std::exp(-x / s)); }
double softplus(double x) { return x > 30 ? x : std::log1p(std::exp(x)); }

struct Kernel {
  const char* name;
  double bus, base, factor, peak;
  int most_blocks;
};

// Selector: NCCL's estimate and how many blocks it takes: the fewest within 2.5 % of the best.
std::pair<double, int> selected(const Kernel& k) {
  constexpr double kG = 1073.7, kSm = 65 * kG;
  auto time = [&](int blocks) {
    return k.base + softplus(k.bus / softmin(blocks * kSm * k.factor, k.peak * kG, kSm) - 1);
  };
  int blocks = 1;
  while (blocks < k.most_blocks && time(blocks) > time(k.most_blocks) * 1.025) ++blocks;
  return {time(blocks) * (1 + 0.025 * blocks), blocks};
}

// Loads from all, stores to all: passes of 16 B packs by 4 warps, of 4 B packs, of single elements; numbers of blocks
// that do not divide the vector leave something for each.
double load_store_kernel(double n, double b, int blocks) {
  double unit = 8192 * n * blocks, units = std::floor(b / unit), rounds = std::floor(units / 4);
  double t = 6.0 + rounds * (2 * (n - 1) * 32768 / kSmStores + 0.95);
  if (double left = units - 4 * rounds) {
    double x = (n - 1) * 2048 * 4 * left / kSmStores;
    t += std::max(std::ceil((n - 1) / 2) * kLoad, x) + x + 0.28;
  }
  double rest = b - units * unit, small = 2048 * n * blocks, pieces = std::floor(rest / small);
  double start = std::ceil((n - 1) / 4) * kLoad + 0.5;
  if (pieces > 0) t += start + 2 * (n - 1) * 2048 * pieces / kSmStores;
  if (rest - pieces * small > 0) t += start;
  return t;
}

double multicast_kernel(const GpuModel& gpu, double n, double b, int blocks) {
  double round = (b > static_cast<double>(gpu.collectives.multicast_reach) ? gpu.collectives.multicast_round_memory
                                                                           : gpu.collectives.multicast_round)
                     .us();
  double each = b / n / blocks, rounds = std::ceil(each / 65536);  // 16 warps, 8 packs of 512 B
  return 4.9 +
         std::max(rounds * round + each / kSmStores, b * (1 + 1 / n) / kNvls + 0.45 * round + (blocks > 1 ? 0.6 : 0));
}

void symmetric(std::vector<NcclTime>& out, const NcclSituation& s, const GpuModel& gpu) {
  double n = s.pes, b = static_cast<double>(s.bytes);
  bool mc = s.nvls && n > 2;
  Kernel packed{mc ? "symmetric LLMC" : "symmetric LL", 9 * n * b, 4.5, mc ? 1.1 : 1.0, 320, 64};
  Kernel loads{"symmetric LD/ST", 2 * b * (n - 1) / n, 7.8, 1, 320, 64};
  Kernel sums{"symmetric MC", b / n + b, 7.8, n, 480, static_cast<int>(std::ceil(16 / n))};
  auto [t1, c1] = selected(packed);
  out.push_back({packed.name, "LL", c1, 5.2 + 2 * n * b / 310e3 * (mc ? 0.6 : 1), t1, false, "latency"});
  auto [t2, c2] = selected(loads);
  out.push_back({loads.name, "Simple", c2, load_store_kernel(n, b, c2), t2, false, "stores of the SMs"});
  if (!mc) return;
  auto [t3, c3] = selected(sums);
  out.push_back({sums.name, "Simple", c3, multicast_kernel(gpu, n, b, c3), t3, false, "NVLink, multicast"});
}

// ---- the tuner ----

constexpr double kTreeBase[] = {6.8, 14, 8.4}, kRingBase[] = {6.6, 14, 8.4};
constexpr double kTreeHop[] = {0.6, 1.25, 4}, kRingHop[] = {0.6, 1.9, 3.4};
constexpr double kTreeNet[] = {5, 8.5, 14}, kRingNet[] = {2.7, 4, 14};
constexpr double kNetOverhead = 1;  // Intel CPU; three times for Simple

double ring_latency(const Shape& s, Protocol p, double crossings) {
  double overhead = s.nodes > 1 ? kNetOverhead * (p == simple ? 3 : 1) : 0;
  return kRingBase[p] + (s.steps - crossings) * std::max(kRingHop[p], overhead) + crossings * kRingNet[p];
}
double tree_latency(const Shape& s, Protocol p) {
  return kTreeBase[p] + 2 * ((s.per_node - 1) * kTreeHop[p] + std::ceil(log2_of(s.nodes)) * kTreeNet[p]);
}
double packed_most(const Shape& s) { return s.nodes == 1 ? 141e3 : s.nodes == 2 ? 39e3 : 20.4e3; }
size_t of_nodes(const Shape& s) { return s.nodes == 1 ? 0 : s.nodes == 2 ? 1 : 2; }

double ring_bus(const Shape& s, Protocol p) {
  double bus = kMostChannels * kChannelRate;
  if (p == ll) return std::min(packed_most(s), bus / 2);
  return p == ll128 ? std::min(0.92 * bus, kMostChannels * 36.7e3) : bus;
}
double tree_bus(const Shape& s, Protocol p) {
  constexpr double per_channel[] = {38.7e3, 41.4e3, 36e3}, per_channel128[] = {36.7e3, 36.7e3, 29e3};
  double bus = std::min(0.92 * kMostChannels * kChannelRate, kMostChannels * per_channel[of_nodes(s)]);
  if (p == ll) bus = std::min(bus / 3.8, packed_most(s));
  if (p == ll128)
    bus = std::min(bus * (s.nodes == 1 ? 7.0 / 9 : 15.0 / 16), kMostChannels * per_channel128[of_nodes(s)]);
  return bus * 0.85;
}
// Tuner: how much of a tree's bandwidth is reached, by log2(bytes / 64).
double tree_correction(Protocol p, double bytes) {
  static constexpr double table[][24] = {
      {1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1, 1},
      {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1, 1},
      {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9, .9}};
  double at = std::floor(std::log2(std::max(1.0, bytes / 64)));
  return table[p][static_cast<size_t>(std::clamp(at, 0.0, 23.0))];
}
int channels_for(double bytes, double per_channel) {
  return static_cast<int>(std::clamp(std::floor(bytes / per_channel), 1.0, static_cast<double>(kMostChannels)));
}
double ring_part(const Shape& s, Protocol p) {
  return (p == simple ? 64.0 * 512 : p == ll ? 8.0 * 512 * s.n : 8.0 * 640);
}

// ---- steps of the kernels over the network, on 2 nodes; more nodes by the tuner's terms ----

double ring_time(const Shape& s, Protocol p, double latency, int channels) {
  double over = 352e3 * s.n / s.steps;  // 8 adapters of 44 GB/s, NAR ring 16 MiB to 1 GiB
  if (p == ll)
    return latency + (s.bytes >= 512 ? 3 : 0) + s.steps * 0.105 * (s.bytes / channels / s.n / 1024) +
           5 * log2_of(channels);
  if (p == ll128)
    return s.bytes >= 2 << 20 ? latency + 65 + s.bytes / (0.86 * over) : latency + 29 * s.bytes / (1 << 20);
  return 1.4 * latency + 54 + s.bytes / over;
}
double tree_time(const Shape& s, Protocol p, int channels) {
  double each = s.bytes / 1024 / channels, deeper = 2 * std::max(0.0, std::ceil(log2_of(s.nodes)) - 1);
  if (p == ll) return 23.9 + deeper * kTreeNet[ll] + 1.55 * std::min(each, 4.0) + 1.25 * std::max(0.0, each - 4);
  if (p == ll128) return 38.5 + deeper * kTreeNet[ll128] + 0.40 * each;
  return tree_latency(s, simple) + s.bytes / (tree_bus(s, simple) / 2 * tree_correction(simple, s.bytes));
}
// Waves of chunks: 8 heads reduce by multicast, exchange over the network, store by multicast.
double nvls_tree_time(const Shape& s) {
  double lanes = s.per_node * kMostChannels, chunk = 128 << 10;
  if (s.bytes < 4 * lanes * (128 << 10)) chunk = 64 << 10;
  if (s.bytes < lanes * (64 << 10)) chunk = 32 << 10;
  double each = s.bytes / lanes, waves = std::ceil(each / chunk),
         deeper = std::max(0.0, std::ceil(log2_of(s.nodes)) - 1);
  double slower = s.nodes > 2 ? 57.7 / 45.5 : 1;  // tuner, per channel
  return 59 + deeper * 2 * 20.9 + 0.6 * std::min(chunk, each) / 1024 + (waves - 1) * (17 + 0.366e-3 * chunk) * slower;
}

void add_all_reduce(std::vector<NcclTime>& out, const NcclSituation& situation, const GpuModel& gpu) {
  double n = situation.pes, nodes = situation.nodes;
  Shape s{n, nodes, n / nodes, static_cast<double>(situation.bytes), 2 * (n - 1)};
  for (Protocol p : {ll, ll128, simple}) {
    double ring = ring_latency(s, p, nodes > 1 ? 2 * (nodes - 1) : 0), tree = tree_latency(s, p);
    double plateau = p == simple && nodes > 1 && s.bytes / (kMostChannels * n) >= 64 ? 1.4 : 1;
    double ring_guess = ring * plateau + s.bytes / (ring_bus(s, p) * n / s.steps);
    double tree_guess = tree + s.bytes / (tree_bus(s, p) / 2 * tree_correction(p, s.bytes));
    int rc = channels_for(s.bytes, ring_part(s, p)), tc = channels_for(s.bytes, p == simple ? 64.0 * 512 : 4096);
    out.push_back({"Ring", kProtocolNames[p], rc, nodes > 1 ? ring_time(s, p, ring, rc) : ring_guess, ring_guess, false,
                   s.bytes / ring_bus(s, p) > ring ? "bandwidth of the ring" : "latency of the steps"});
    out.push_back({"Tree", kProtocolNames[p], tc, nodes > 1 ? tree_time(s, p, tc) : tree_guess, tree_guess, false,
                   s.bytes / tree_bus(s, p) > tree ? "bandwidth of the tree" : "latency of the steps"});
  }
  if (nodes == 1 && situation.registered) symmetric(out, situation, gpu);
  if (!situation.nvls || s.per_node <= 2) return;
  if (nodes > 1) {
    constexpr double per_channel[] = {0, 57.7e3, 45.5e3};
    double rate = std::min(2 * 0.85 * kChannelRate * 15 / 16, per_channel[of_nodes(s)]) * kMostChannels;
    out.push_back({"NVLSTree", "Simple", kMostChannels, nvls_tree_time(s),
                   25 + 2 * std::ceil(log2_of(nodes)) * 20.9 + s.bytes / (rate * n / s.steps), false,
                   "waves of chunks"});
  } else {
    double rate = 2 * 0.85 * kChannelRate * 15 / 16 * kMostChannels;
    out.push_back({"NVLS", "Simple", kMostChannels, 25 + s.bytes * (1 + 1 / n) / kNvls,
                   25 + s.bytes / (rate * n / s.steps), false, "NVLink, multicast"});
  }
}

// One ring, n - 1 steps (AllGather, ReduceScatter) or a pipeline (Broadcast): the tuner's own times.
void add_one_way(std::vector<NcclTime>& out, const NcclSituation& situation) {
  double n = situation.pes, nodes = situation.nodes;
  bool broadcast = situation.collective == Collective::broadcast;
  Shape s{n, nodes, n / nodes, static_cast<double>(situation.bytes) * (broadcast ? 1 : n), broadcast ? n : n - 1};
  for (Protocol p : {ll, ll128, simple}) {
    double latency = ring_latency(s, p, nodes > 1 ? nodes - 1 : 0);
    double t = latency + s.bytes / (ring_bus(s, p) * n / s.steps);
    out.push_back({"Ring", kProtocolNames[p], channels_for(s.bytes, ring_part(s, p)), t, t, false,
                   t > 2 * latency ? "bandwidth of the ring" : "latency of the steps"});
  }
}

void add_all_to_all(std::vector<NcclTime>& out, const NcclSituation& situation) {
  double n = situation.pes, nodes = situation.nodes, per_node = n / nodes, pair = static_cast<double>(situation.bytes);
  bool packed = pair <= 16384.0 * kMostChannels;
  double near = (per_node - 1) * pair / 350e3, far = (n - per_node) * pair / 48.07e3;  // NA2A, slopes
  double start = (packed ? 9 : 12) + (nodes > 1 ? 14 : 0);                             // guesses
  double t = start + std::max(near, far);
  out.push_back({"send/recv", packed ? "LL" : "Simple", kMostChannels, t, t, false,
                 std::max(near, far) < start ? "latency"
                 : far > near                ? "adapters"
                                             : "NVLink"});
}

}  // namespace

std::vector<NcclTime> nccl_times(const NcclSituation& s, const GpuModel& gpu) {
  std::vector<NcclTime> out;
  switch (s.collective) {
    case Collective::reduce:
      add_all_reduce(out, s, gpu);
      break;
    case Collective::broadcast:
    case Collective::fcollect:
    case Collective::reducescatter:
      add_one_way(out, s);
      break;
    case Collective::alltoall:
      add_all_to_all(out, s);
      break;
    default:
      throw UserError(ExitCode::usage,
                      fmt::format("NCCL has no {}; it has broadcast, fcollect (AllGather), alltoall, reduce "
                                  "(AllReduce) and reducescatter",
                                  name_of(s.collective)));
  }
  // symmetric kernels are taken before the tuner is asked
  auto symmetric_kernel = [](const NcclTime& t) { return t.algorithm.starts_with("symmetric"); };
  bool any = std::any_of(out.begin(), out.end(), symmetric_kernel);
  NcclTime* best = nullptr;
  for (NcclTime& t : out)
    if ((!any || symmetric_kernel(t)) && (!best || t.tuner < best->tuner)) best = &t;
  best->chosen = true;
  return out;
}

}  // namespace shmemu::predict
