// NVSHMEM's collective algorithms, one file each, written once over an Endpoint. Semantics: OpenSHMEM 1.5, chapter 9.9;
// every member and every thread of the group calls with equal arguments. Structure and thresholds: NVSHMEM 3.3.9; time:
// docs/design/collectives.md.
#pragma once
#include "collectives/chooser.hpp"
#include "collectives/endpoint.hpp"

namespace shmemu {

// The arguments of one call.
struct Call {
  void* dest = nullptr;
  const void* source = nullptr;
  uint64_t count = 0, element_bytes = 1;
  int root = 0;
  uint64_t bytes() const { return count * element_bytes; }
};

// How an Endpoint's team synchronises; the same for all calls of a group.
struct Synchronisation {
  Algorithm algorithm = Algorithm::sync_dissemination;
  int radix = 2;
};

void run(Endpoint& at, Collective collective, Algorithm algorithm, const CollectiveSettings& settings,
         const Call& call);

// sync_dissemination.cpp, sync_full.cpp, barrier.cpp
void sync(Endpoint& at, const Synchronisation& how);
// `gathered`: the group has met and only its leader has gone on since.
void sync_dissemination(Endpoint& at, int radix, bool gathered = false);
void sync_full(Endpoint& at);
// Completes the callers' operations, then synchronises.
void barrier(Endpoint& at, const Synchronisation& how);
Synchronisation synchronisation_of(const Endpoint& at, const CollectiveSettings& settings);

// A broadcast goes through its children twice, first for those that only an adapter reaches (each by a thread), then
// for those that loads and stores reach (by all), and looks their addresses up (NVSHMEM 3.3.9): Overhead::peer so
// often.
inline uint64_t lookups_of(const Endpoint& at, size_t children) {
  return children * (at.scope() == Scope::thread ? 2 : 1);
}
void broadcast_put(Endpoint& at, const Synchronisation& how, const Call& call);
void broadcast_tree(Endpoint& at, const Synchronisation& how, const Call& call, int arity);
void broadcast_tree_2d(Endpoint& at, const Synchronisation& how, const Call& call, int arity);
void broadcast_flat(Endpoint& at, const Synchronisation& how, const Call& call);

void fcollect_put(Endpoint& at, const Synchronisation& how, const Call& call);
// `multicast`: one store reaches all (NVLS_LL).
void fcollect_packed(Endpoint& at, Packing packing, void* dest, const void* source, uint64_t bytes,
                     bool multicast = false);

void alltoall_put(Endpoint& at, const Synchronisation& how, const Call& call);
void alltoall_signal(Endpoint& at, const Call& call);

// The half of the work space for the next reduction: they take turns, since a PE can be one reduction ahead of another,
// never two. With a group_sync.
char* next_half(Endpoint& at);
void reduce_hierarchical(Endpoint& at, const Call& call);
void reduce_exchange(Endpoint& at, const Call& call, int radix);
void reduce_segmented(Endpoint& at, const Synchronisation& how, const Call& call);
// reduce_nvls.cpp
void reduce_nvls_one_shot(Endpoint& at, const Synchronisation& how, const Call& call);
void reduce_nvls_two_shot(Endpoint& at, const Synchronisation& how, const Call& call);
void reducescatter_nvls(Endpoint& at, const Synchronisation& how, const Call& call);
void fcollect_nvls(Endpoint& at, const Synchronisation& how, const Call& call);

// Beyond NVSHMEM: reduce_ring.cpp, two_level.cpp
void reduce_ring(Endpoint& at, const Synchronisation& how, const Call& call);
void reduce_two_level(Endpoint& at, const CollectiveSettings& settings, const Call& call);
void fcollect_two_level(Endpoint& at, const CollectiveSettings& settings, const Call& call);
void alltoall_two_level(Endpoint& at, const CollectiveSettings& settings, const Call& call);

void reducescatter_put(Endpoint& at, const Synchronisation& how, const Call& call);

}  // namespace shmemu
