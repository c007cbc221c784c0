// The chooser against NVSHMEM 3.3.9's rules, written down a second time as tables of conditions instead of as a tree,
// on generated situations. The order of the lines is the order of the library's tests; the first that holds decides.
#include <catch2/catch.hpp>

#include <functional>

#include "base/random.hpp"
#include "collectives/chooser.hpp"

using namespace shmemu;

namespace {

using A = Algorithm;

struct Line {
  bool holds;
  A algorithm;
};
A first_of(std::initializer_list<Line> lines) {
  for (const Line& l : lines)
    if (l.holds) return l.algorithm;
  FAIL("no line holds");
  return A::count_;
}

A expected(const Situation& s, const CollectiveSettings& c) {
  const uint64_t bytes = s.count * s.element_bytes, n = static_cast<uint64_t>(s.pes);
  const bool block = s.scope == Scope::block, warp_or_block = s.scope != Scope::thread;
  const bool pairs = s.element_bytes >= 4 && s.count % 2 == 0;  // of words
  const bool hybrid = !s.one_node && s.block_distributed && s.all_load_store;
  const bool ll = warp_or_block && !hybrid && (pairs || (s.element_bytes == 2 && s.count % 4 == 0 && n % 2 == 0));
  switch (s.collective) {
    case Collective::barrier:
    case Collective::sync: {
      bool radix_n = s.all_load_store && block;
      return radix_n && (n == 2 || n == 4 || n == 8 || n == 16 || n == 32) ? A::sync_full : A::sync_dissemination;
    }
    case Collective::broadcast: {
      const bool legal = pairs && 2 * bytes <= 276480 * 8;
      const int forced = c.broadcast_algo;
      return first_of({{forced == 1, A::broadcast_put},
                       {forced > 1 && !legal, A::broadcast_put},
                       {forced == 2 && s.block_distributed, A::broadcast_tree_2d},
                       {forced == 2, A::broadcast_put},
                       {forced == 3, A::broadcast_tree},
                       {forced == 4, A::broadcast_flat},
                       {!legal || bytes > 16384, A::broadcast_flat},
                       {n > 32 && s.block_distributed, A::broadcast_tree_2d},
                       {true, A::broadcast_tree}});
    }
    case Collective::fcollect: {
      const int forced = c.fcollect_algo;
      const bool nvls = s.nvls && bytes % 4 == 0, nvls_ll = nvls && pairs && block;
      return first_of({{forced == 1 && ll, A::fcollect_ll},
                       {forced == 6 && ll, A::fcollect_ll128},
                       {forced == 4 && nvls_ll, A::fcollect_nvls_ll},
                       {(forced == 3 || forced == 4) && nvls, A::fcollect_nvls},
                       {forced != 0, A::fcollect_put},
                       {ll && bytes <= c.fcollect_ll_threshold, A::fcollect_ll},
                       {ll && bytes < c.fcollect_ll128_threshold, A::fcollect_ll128},
                       {nvls_ll && bytes <= c.fcollect_ll_threshold, A::fcollect_nvls_ll},
                       {nvls, A::fcollect_nvls},
                       {true, A::fcollect_put}});
    }
    case Collective::alltoall:
      return s.all_load_store ? A::alltoall_put : A::alltoall_signal;
    case Collective::reduce: {
      const int forced = c.reduce_algo;
      const bool half = s.element_bytes == 2, nvls = s.sum && s.floating && s.nvls && bytes % 4 == 0;
      const bool one = nvls && !s.in_place && !(half && s.count == 1);
      const bool two = nvls && !(half && (s.count <= n || s.count % n != 0));
      const uint64_t k = std::min<uint64_t>(static_cast<uint64_t>(c.exchange_radix), std::max<uint64_t>(2, n));
      uint64_t phases = 0;
      for (uint64_t reach = k; reach <= n; reach *= k) ++phases;
      return first_of(
          {{forced <= 2 && one && s.count <= c.reduce_nvls_threshold, A::reduce_nvls_one_shot},
           {forced <= 2 && two, A::reduce_nvls_two_shot},
           {forced == 3 && two, A::reduce_nvls_two_shot},
           {forced == 4 && one, A::reduce_nvls_one_shot},
           {s.world && block && s.block_distributed && pairs && n * bytes <= c.reduce_scratch / 2 &&
                bytes <= c.fcollect_ll_threshold,
            A::reduce_hierarchical},
           {s.world && s.count * ((k - 1) + k * phases + phases) <= c.reduce_scratch / 2 / 8, A::reduce_exchange},
           {true, A::reduce_segmented}});
    }
    case Collective::reducescatter:
      return s.nvls && bytes % 4 == 0 && c.reducescatter_algo != 2 &&
                     ((s.sum && s.element_bytes >= 4) ||
                      (s.sum && s.floating && s.element_bytes == 2 && s.count >= 2 && n % 2 == 0))
                 ? A::reducescatter_nvls
                 : A::reducescatter_put;
  }
  return A::count_;
}

}  // namespace

TEST_CASE("chooser: as the documented rules decide, on 2000 generated situations") {
  Random random(20261130);
  auto one_of = [&](auto list) { return *(list.begin() + static_cast<std::ptrdiff_t>(random.below(list.size()))); };
  using Sizes = std::initializer_list<uint64_t>;
  for (int i = 0; i < 2000; ++i) {
    Situation s;
    s.collective = static_cast<Collective>(random.below(7));
    s.scope = static_cast<Scope>(random.below(3));
    s.element_bytes = one_of(Sizes{1, 2, 4, 4, 8});
    s.count = one_of(Sizes{1, 2, 3, 4, 7, 16, 63, 64, 256, 512, 1000, 2048, 2049, 4096, 6553, 16384, 65536, 552961}) +
              random.below(2);
    s.floating = random.below(2), s.sum = random.below(3) > 0;
    s.in_place = random.below(4) == 0;
    s.pes = static_cast<int>(one_of(Sizes{1, 2, 3, 4, 6, 8, 12, 16, 17, 32, 64, 72}));
    s.world = random.below(4) > 0;
    s.one_node = s.pes <= 8;
    s.all_load_store = s.one_node || random.below(2);
    s.block_distributed = random.below(4) > 0;
    s.nvls = s.all_load_store && s.pes > 1 && random.below(2);
    CollectiveSettings c;
    if (random.below(2)) {
      c.broadcast_algo = static_cast<int>(random.below(5));
      c.fcollect_algo = one_of(std::initializer_list<int>{0, 0, 1, 2, 3, 4, 6});
      c.reduce_algo = static_cast<int>(random.below(5));
      c.reducescatter_algo = one_of(std::initializer_list<int>{0, 2, 3});
      c.fcollect_ll_threshold = one_of(Sizes{0, 64, 2048, 16384});
      c.fcollect_ll128_threshold = one_of(Sizes{0, 4096, 65536});
      c.reduce_nvls_threshold = one_of(Sizes{0, 64, 2048});
      c.reduce_scratch = one_of(Sizes{4096, 524288, 4194304});
      c.exchange_radix = one_of(std::initializer_list<int>{2, 3, 4, 8});
      c.barrier_radix = one_of(std::initializer_list<int>{2, 4});
    }
    INFO("situation " << i << ": " << name_of(s.collective) << ", " << s.count << " elements of " << s.element_bytes
                      << " B, scope " << static_cast<int>(s.scope) << ", " << s.pes << " PEs, nvls " << s.nvls
                      << ", load/store " << s.all_load_store << ", distributed " << s.block_distributed << ", world "
                      << s.world << ", algos " << c.broadcast_algo << c.fcollect_algo << c.reduce_algo
                      << c.reducescatter_algo);
    CHECK(name_of(choose(s, c).algorithm) == name_of(expected(s, c)));
  }
}
