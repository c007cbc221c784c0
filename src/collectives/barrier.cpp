#include "collectives/algorithms.hpp"

namespace shmemu {

void sync(Endpoint& at, const Synchronisation& how) {
  if (how.algorithm == Algorithm::sync_full) return sync_full(at);
  sync_dissemination(at, how.radix);
}

void barrier(Endpoint& at, const Synchronisation& how) {
  at.group_sync();
  if (at.leader()) {
    at.spend(Overhead::barrier);
    at.quiet();
  }
  if (how.algorithm == Algorithm::sync_full) return sync_full(at);
  sync_dissemination(at, how.radix, /*gathered=*/true);
}

Synchronisation synchronisation_of(const Endpoint& at, const CollectiveSettings& settings) {
  Situation s;
  s.scope = at.scope();
  s.pes = at.size();
  s.all_load_store = at.all_load_store();
  return {choose(s, settings).algorithm, settings.barrier_radix};
}

}  // namespace shmemu
