#include <algorithm>
#include <string>

#include "base/errors.hpp"
#include "collectives/algorithms.hpp"

namespace shmemu {

char* next_half(Endpoint& at) {
  if (at.leader()) ++at.state(Tally::reductions);
  at.group_sync();
  return at.scratch(Area::reduce) + at.state(Tally::reductions) % 2 * (at.scratch_bytes(Area::reduce) / 2);
}

void run(Endpoint& at, Collective collective, Algorithm algorithm, const CollectiveSettings& settings,
         const Call& call) {
  if (collective == Collective::barrier) return barrier(at, {algorithm, settings.barrier_radix});
  if (collective == Collective::sync) return sync(at, {algorithm, settings.barrier_radix});
  Synchronisation how = synchronisation_of(at, settings);
  switch (algorithm) {
    case Algorithm::broadcast_put:
      return broadcast_put(at, how, call);
    case Algorithm::broadcast_tree:
      return broadcast_tree(at, how, call, settings.broadcast_arity);
    case Algorithm::broadcast_tree_2d:
      return broadcast_tree_2d(at, how, call, settings.broadcast_arity);
    case Algorithm::broadcast_flat:
      return broadcast_flat(at, how, call);
    case Algorithm::fcollect_ll:
      return fcollect_packed(at, Packing::ll, call.dest, call.source, call.bytes());
    case Algorithm::fcollect_ll128:
      return fcollect_packed(at, Packing::ll128, call.dest, call.source, call.bytes());
    case Algorithm::fcollect_put:
      return fcollect_put(at, how, call);
    case Algorithm::alltoall_put:
      return alltoall_put(at, how, call);
    case Algorithm::alltoall_signal:
      return alltoall_signal(at, call);
    case Algorithm::fcollect_nvls:
      return fcollect_nvls(at, how, call);
    case Algorithm::fcollect_nvls_ll:
      return fcollect_packed(at, Packing::ll, call.dest, call.source, call.bytes(), /*multicast=*/true);
    case Algorithm::fcollect_two_level:
      return fcollect_two_level(at, settings, call);
    case Algorithm::alltoall_two_level:
      return alltoall_two_level(at, settings, call);
    case Algorithm::reduce_nvls_one_shot:
      return reduce_nvls_one_shot(at, how, call);
    case Algorithm::reduce_nvls_two_shot:
      return reduce_nvls_two_shot(at, how, call);
    case Algorithm::reduce_ring:
      return reduce_ring(at, how, call);
    case Algorithm::reduce_two_level:
      return reduce_two_level(at, settings, call);
    case Algorithm::reducescatter_nvls:
      return reducescatter_nvls(at, how, call);
    case Algorithm::reduce_hierarchical:
      return reduce_hierarchical(at, call);
    case Algorithm::reduce_exchange:
      return reduce_exchange(at, call, std::min(settings.exchange_radix, std::max(2, at.size())));
    case Algorithm::reduce_segmented:
      return reduce_segmented(at, how, call);
    case Algorithm::reducescatter_put:
      return reducescatter_put(at, how, call);
    default:
      SHMEMU_ASSERT(false, std::string(name_of(algorithm)) + " is not an algorithm that can run");
  }
}

}  // namespace shmemu
