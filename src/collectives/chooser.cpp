#include "collectives/chooser.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "collectives/scratch.hpp"

namespace shmemu {
namespace {

using A = Algorithm;

struct Names {
  A algorithm;
  Collective collective;
  std::string_view name;
};
constexpr Names kNames[] = {
    {A::sync_dissemination, Collective::sync, "dissemination"},
    {A::sync_full, Collective::sync, "all-to-all"},
    {A::broadcast_put, Collective::broadcast, "put"},
    {A::broadcast_tree_2d, Collective::broadcast, "tree2"},
    {A::broadcast_tree, Collective::broadcast, "tree"},
    {A::broadcast_flat, Collective::broadcast, "put-signal"},
    {A::fcollect_ll, Collective::fcollect, "ll"},
    {A::fcollect_ll128, Collective::fcollect, "ll128"},
    {A::fcollect_put, Collective::fcollect, "put"},
    {A::fcollect_nvls, Collective::fcollect, "nvls"},
    {A::fcollect_nvls_ll, Collective::fcollect, "nvls-ll"},
    {A::fcollect_two_level, Collective::fcollect, "two-level"},
    {A::alltoall_put, Collective::alltoall, "put"},
    {A::alltoall_signal, Collective::alltoall, "put-signal"},
    {A::alltoall_two_level, Collective::alltoall, "two-level"},
    {A::reduce_nvls_one_shot, Collective::reduce, "nvls-one-shot"},
    {A::reduce_nvls_two_shot, Collective::reduce, "nvls-two-shot"},
    {A::reduce_hierarchical, Collective::reduce, "hierarchical"},
    {A::reduce_exchange, Collective::reduce, "exchange"},
    {A::reduce_segmented, Collective::reduce, "segmented"},
    {A::reduce_ring, Collective::reduce, "ring"},
    {A::reduce_two_level, Collective::reduce, "two-level"},
    {A::reducescatter_put, Collective::reducescatter, "put"},
    {A::reducescatter_nvls, Collective::reducescatter, "nvls"},
};
static_assert(std::size(kNames) == static_cast<size_t>(A::count_));

// Writes down the questions of the tree and their answers.
class Path {
 public:
  explicit Path(bool explain) : explain_(explain) {}
  template <class... T>
  bool asks(bool answer, fmt::format_string<T...> question, T&&... values) {
    if (explain_)
      lines_.push_back(fmt::format("{}: {}", fmt::format(question, std::forward<T>(values)...), answer ? "yes" : "no"));
    return answer;
  }
  Choice take(A a) {
    if (explain_) lines_.push_back(fmt::format("→ {}", name_of(a)));
    return {a, std::move(lines_)};
  }

 private:
  bool explain_;
  std::vector<std::string> lines_;
};

std::string_view text(Scope s) { return s == Scope::thread ? "thread" : s == Scope::warp ? "warp" : "block"; }

bool even_words(const Situation& s) { return s.element_bytes >= 4 && s.count % 2 == 0; }

// For reducescatter. (Also integers' and, or, xor, min and max on hardware; a Situation does not tell them apart.)
bool sums_in_switch(const Situation& s) {
  if (!s.sum || s.bytes() % 4) return false;
  return s.element_bytes >= 4 || (s.element_bytes == 2 && s.floating && s.count >= 2 && s.pes % 2 == 0);
}

// Units of 8 B must be whole (packing.hpp).
bool packs(const Situation& s) {
  return s.scope != Scope::thread && (even_words(s) || (s.element_bytes == 2 && s.count % 4 == 0 && s.pes % 2 == 0)) &&
         (s.one_node || !s.block_distributed || !s.all_load_store);
}

Choice choose_sync(const Situation& s, const CollectiveSettings& c, bool explain) {
  Path p(explain);
  bool pow2 = s.pes >= 2 && s.pes <= 32 && (s.pes & (s.pes - 1)) == 0;
  if (p.asks(s.scope == Scope::block, "scope {} is block", text(s.scope)) &&
      p.asks(s.all_load_store, "all members reach each other by loads and stores") &&
      p.asks(pow2, "{} PEs are 2, 4, 8, 16 or 32", s.pes))
    return p.take(A::sync_full);
  p.asks(true, "radix is NVSHMEM_BARRIER_TG_DISSEM_KVAL {}", c.barrier_radix);
  return p.take(A::sync_dissemination);
}

Choice choose_broadcast(const Situation& s, const CollectiveSettings& c, bool explain) {
  Path p(explain);
  bool fits = 2 * s.bytes() <= kBroadcastRing;
  auto packed = [&] {
    return p.asks(even_words(s), "{} elements of {} B: at least 4 B each and an even number", s.count,
                  s.element_bytes) &&
           p.asks(fits, "packed {} B fit the ring of {} B", 2 * s.bytes(), kBroadcastRing);
  };
  if (p.asks(c.broadcast_algo == 0, "NVSHMEM_BCAST_ALGO {} is 0", c.broadcast_algo)) {
    if (packed() && p.asks(s.bytes() <= 16384, "{} B <= 16384", s.bytes()))
      return p.take(p.asks(s.pes > 32 && s.block_distributed, "{} PEs > 32 and as many on each node", s.pes)
                        ? A::broadcast_tree_2d
                        : A::broadcast_tree);
    return p.take(A::broadcast_flat);
  }
  if (c.broadcast_algo == 1 || !packed()) return p.take(A::broadcast_put);
  if (c.broadcast_algo == 2)
    return p.take(p.asks(s.block_distributed, "as many PEs on each node") ? A::broadcast_tree_2d : A::broadcast_put);
  return p.take(c.broadcast_algo == 3 ? A::broadcast_tree : A::broadcast_flat);
}

Choice choose_fcollect(const Situation& s, const CollectiveSettings& c, bool explain) {
  Path p(explain);
  auto packable = [&] {
    return p.asks(packs(s), "scope {}, {} elements of {} B on {} PEs can be packed", text(s.scope), s.count,
                  s.element_bytes, s.pes);
  };
  auto multicast = [&] {
    return p.asks(s.nvls, "the team has multicast") && p.asks(s.bytes() % 4 == 0, "{} B % 4 = 0", s.bytes());
  };
  switch (c.fcollect_algo) {
    case 0:
      break;
    case 1:
      return p.take(packable() ? A::fcollect_ll : A::fcollect_put);
    case 3:
      return p.take(multicast() ? A::fcollect_nvls : A::fcollect_put);
    case 4:
      return p.take(multicast() ? (even_words(s) && s.scope == Scope::block ? A::fcollect_nvls_ll : A::fcollect_nvls)
                                : A::fcollect_put);
    case 6:
      return p.take(packable() ? A::fcollect_ll128 : A::fcollect_put);
    default:
      p.asks(true, "NVSHMEM_FCOLLECT_ALGO is {}", c.fcollect_algo);
      return p.take(A::fcollect_put);
  }
  if (packable()) {
    if (p.asks(s.bytes() <= c.fcollect_ll_threshold, "{} B <= NVSHMEM_FCOLLECT_LL_THRESHOLD {}", s.bytes(),
               c.fcollect_ll_threshold))
      return p.take(A::fcollect_ll);
    if (p.asks(s.bytes() < c.fcollect_ll128_threshold, "{} B < NVSHMEM_FCOLLECT_LL128_THRESHOLD {}", s.bytes(),
               c.fcollect_ll128_threshold))
      return p.take(A::fcollect_ll128);
  }
  if (s.nvls && even_words(s) && s.bytes() <= c.fcollect_ll_threshold && s.scope == Scope::block)
    return p.take(A::fcollect_nvls_ll);
  return p.take(multicast() ? A::fcollect_nvls : A::fcollect_put);
}

Choice choose_reduce(const Situation& s, const CollectiveSettings& c, bool explain) {
  Path p(explain);
  bool small_type = s.element_bytes == 2;
  bool nvls = p.asks(s.nvls && s.sum && s.floating && s.bytes() % 4 == 0, "a sum of floats over a team with multicast");
  bool one_shot = nvls && !s.in_place && !(small_type && s.count == 1);
  bool two_shot =
      nvls && !(small_type && (s.count <= static_cast<uint64_t>(s.pes) || s.count % static_cast<uint64_t>(s.pes)));
  if (c.reduce_algo <= 2) {
    if (one_shot && p.asks(s.count <= c.reduce_nvls_threshold, "{} elements <= NVSHMEM_REDUCE_NVLS_THRESHOLD {}",
                           s.count, c.reduce_nvls_threshold))
      return p.take(A::reduce_nvls_one_shot);
    if (two_shot) return p.take(A::reduce_nvls_two_shot);
  } else if (c.reduce_algo == 4 ? one_shot : two_shot) {
    return p.take(c.reduce_algo == 4 ? A::reduce_nvls_one_shot : A::reduce_nvls_two_shot);
  }
  uint64_t half = c.reduce_scratch / 2, n = static_cast<uint64_t>(s.pes);
  if (p.asks(s.world, "the team is WORLD")) {
    if (p.asks(s.scope == Scope::block, "scope {} is block", text(s.scope)) &&
        p.asks(s.block_distributed, "as many PEs on each node") &&
        p.asks(even_words(s), "{} elements of {} B: at least 4 B each and an even number", s.count, s.element_bytes) &&
        p.asks(n * s.bytes() <= half, "{} PEs x {} B <= half of NVSHMEM_REDUCE_SCRATCH_SIZE {}", n, s.bytes(), half) &&
        p.asks(s.bytes() <= c.fcollect_ll_threshold, "{} B <= NVSHMEM_FCOLLECT_LL_THRESHOLD {}", s.bytes(),
               c.fcollect_ll_threshold))
      return p.take(A::reduce_hierarchical);
    int k = std::min(c.exchange_radix, std::max(2, s.pes));
    auto phases = static_cast<uint64_t>(exchange_phases(s.pes, k)), radix = static_cast<uint64_t>(k);
    uint64_t places = (radix - 1) + radix * phases + phases;
    if (p.asks(s.count * places <= half / 8, "{} elements x {} places <= {}", s.count, places, half / 8))
      return p.take(A::reduce_exchange);
  }
  return p.take(A::reduce_segmented);
}

}  // namespace

std::string_view name_of(Algorithm algorithm) { return kNames[static_cast<size_t>(algorithm)].name; }

std::string_view name_of(Collective collective) {
  constexpr std::string_view names[] = {"barrier",  "sync",   "broadcast",    "fcollect",
                                        "alltoall", "reduce", "reducescatter"};
  return names[static_cast<size_t>(collective)];
}

std::vector<Algorithm> algorithms_of(Collective collective) {
  std::vector<Algorithm> out;
  for (const Names& n : kNames)
    if (n.collective == (collective == Collective::barrier ? Collective::sync : collective)) out.push_back(n.algorithm);
  return out;
}

StreamShape stream_shape(const Situation& s, const CollectiveSettings& c) {
  // NVSHMEM takes a warp; on two H200 such barriers last as long as those of a thread, which cost the CPU less
  if (s.collective == Collective::barrier || s.collective == Collective::sync) return {Scope::thread, 1};
  constexpr uint64_t kMost = 1024;  // what fits a block; NVSHMEM asks for the occupancy of its kernels
  StreamShape shape{Scope::block, static_cast<uint32_t>(std::clamp<uint64_t>(s.count, 32, kMost))};
  if (!s.nvls) return shape;
  auto n = static_cast<uint64_t>(s.pes);
  bool many = s.collective == Collective::reduce ? s.bytes() >= 256 << 10 : n * s.bytes() >= 1 << 20;
  int usual = s.collective == Collective::fcollect ? std::max(1, 32 / s.pes) : 16;
  if (s.collective == Collective::reduce || s.collective == Collective::fcollect ||
      s.collective == Collective::reducescatter)
    shape.blocks = many ? (c.most_blocks ? c.most_blocks : usual) : 1;
  // its kernels with multicast loops behave like blocks of 256 (arXiv:2606.05951, on_stream against one block)
  if (s.collective == Collective::reduce) shape.threads = std::min(shape.threads, 256u);
  return shape;
}

int exchange_phases(int pes, int radix) {
  int phases = 0;
  for (int64_t reach = radix; reach <= pes; reach *= radix) ++phases;
  return phases;
}

Choice choose(const Situation& s, const CollectiveSettings& c, bool explain) {
  Path p(explain);
  switch (s.collective) {
    case Collective::barrier:
    case Collective::sync:
      return choose_sync(s, c, explain);
    case Collective::broadcast:
      return choose_broadcast(s, c, explain);
    case Collective::fcollect:
      return choose_fcollect(s, c, explain);
    case Collective::alltoall:
      return p.take(p.asks(s.all_load_store, "all members reach each other by loads and stores") ? A::alltoall_put
                                                                                                 : A::alltoall_signal);
    case Collective::reduce:
      return choose_reduce(s, c, explain);
    case Collective::reducescatter:
      return p.take(p.asks(s.nvls && c.reducescatter_algo != 2, "the team has multicast") &&
                            p.asks(sums_in_switch(s),
                                   "a sum of {} elements of {} B: of 4 B or more, or of halves in pairs", s.count,
                                   s.element_bytes)
                        ? A::reducescatter_nvls
                        : A::reducescatter_put);
  }
  SHMEMU_ASSERT(false, "a collective without a tree");
}

std::string illegal(Algorithm a, const Situation& s, const CollectiveSettings& c) {
  uint64_t half = c.reduce_scratch / 2, n = static_cast<uint64_t>(s.pes);
  switch (a) {
    case A::fcollect_nvls:
    case A::fcollect_nvls_ll:
    case A::reduce_nvls_one_shot:
    case A::reduce_nvls_two_shot:
    case A::reducescatter_nvls:
      if (!s.nvls) return "the team has no multicast (NVLS)";
      if (s.bytes() % 4) return fmt::format("{} B are no multiple of 4", s.bytes());
      if (a == A::reduce_nvls_one_shot && s.in_place) return "everybody would read what others have replaced by sums";
      if (a == A::fcollect_nvls_ll && (!even_words(s) || s.bytes() > c.fcollect_ll_threshold))
        return fmt::format("{} elements of {} B cannot be packed, or are above NVSHMEM_FCOLLECT_LL_THRESHOLD {}",
                           s.count, s.element_bytes, c.fcollect_ll_threshold);
      return "";
    case A::reduce_ring:
      return s.in_place ? "parts arrive in the destination, which is the source" : "";
    case A::reduce_two_level:
    case A::fcollect_two_level:
    case A::alltoall_two_level:
      if (!s.block_distributed || !s.world) return "the nodes do not hold as many PEs each, in order";
      if (a == A::alltoall_two_level && n * s.bytes() > half)
        return fmt::format("{} PEs x {} B do not fit NVSHMEM_REDUCE_SCRATCH_SIZE / 2 = {} B", n, s.bytes(), half);
      return "";
    case A::sync_full:
      if (s.pes > 32) return fmt::format("{} PEs are more than its 32 slots", s.pes);
      if (static_cast<uint64_t>(s.pes) > 1 && s.scope != Scope::block) return "it needs a block";
      return "";
    case A::broadcast_tree:
    case A::broadcast_tree_2d:
      if (!even_words(s)) return fmt::format("{} elements of {} B cannot be packed", s.count, s.element_bytes);
      if (2 * s.bytes() > kBroadcastRing)
        return fmt::format("packed {} B do not fit the ring of {} B", 2 * s.bytes(), kBroadcastRing);
      if (a == A::broadcast_tree_2d && !s.block_distributed) return "the nodes do not hold as many PEs each, in order";
      return "";
    case A::fcollect_ll:
      if (!packs(s))
        return fmt::format("scope {}, {} elements of {} B cannot be packed", text(s.scope), s.count, s.element_bytes);
      if (s.bytes() > c.fcollect_ll_threshold)
        return fmt::format("{} B do not fit its memory of NVSHMEM_FCOLLECT_LL_THRESHOLD {} B per PE", s.bytes(),
                           c.fcollect_ll_threshold);
      return "";
    case A::fcollect_ll128:
      if (!packs(s))
        return fmt::format("scope {}, {} elements of {} B cannot be packed", text(s.scope), s.count, s.element_bytes);
      if (!s.all_load_store) return "packets of 128 B arrive whole only over NVLink";
      if (s.bytes() > c.fcollect_ll128_threshold)
        return fmt::format("{} B do not fit its memory of NVSHMEM_FCOLLECT_LL128_THRESHOLD {} B per PE", s.bytes(),
                           c.fcollect_ll128_threshold);
      return "";
    case A::reduce_hierarchical: {
      if (!s.block_distributed) return "the nodes do not hold as many PEs each, in order";
      if (s.scope == Scope::thread || !even_words(s))
        return fmt::format("scope {}, {} elements of {} B cannot be packed", text(s.scope), s.count, s.element_bytes);
      if (n * s.bytes() > half || s.bytes() > c.fcollect_ll_threshold)
        return fmt::format(
            "{} PEs x {} B do not fit NVSHMEM_REDUCE_SCRATCH_SIZE / 2 = {} B, or {} B is above "
            "NVSHMEM_FCOLLECT_LL_THRESHOLD",
            n, s.bytes(), half, s.bytes());
      return "";
    }
    case A::reduce_exchange: {
      int k = std::min(c.exchange_radix, std::max(2, s.pes));
      uint64_t places = static_cast<uint64_t>((k - 1) * (1 + exchange_phases(s.pes, k)) + exchange_phases(s.pes, k));
      if (places * s.bytes() > half)
        return fmt::format("{} places of {} B do not fit NVSHMEM_REDUCE_SCRATCH_SIZE / 2 = {} B", places, s.bytes(),
                           half);
      return "";
    }
    default:
      return "";
  }
}

}  // namespace shmemu
