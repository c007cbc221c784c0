// Vectors of any length: for each segment of half the work space / 8 and each distance i, put the segment to the PE i
// ahead, barrier, add what came from the PE i behind, sync. A short tail serves as many distances a round as fit.
#include <algorithm>

#include "collectives/algorithms.hpp"

namespace shmemu {

void reduce_segmented(Endpoint& at, const Synchronisation& how, const Call& call) {
  int n = at.size(), me = at.me();
  char* work = next_half(at);
  uint64_t elements = std::max<uint64_t>(1, at.scratch_bytes(Area::reduce) / 16 / call.element_bytes);
  uint64_t segment = elements * call.element_bytes;
  auto* dest = static_cast<char*>(call.dest);
  auto* source = static_cast<const char*>(call.source);
  bool in_place = call.dest == call.source;
  at.spend(Overhead::entry);
  if (!in_place) at.put({call.dest, call.source, call.bytes(), me});  // a local copy
  at.group_sync();
  // Rounds: `distances` distances from `first` on, of `count` elements from `offset` on. Full segments have a distance
  // a round, the tail as many as its segment of work space holds.
  struct Round {
    uint64_t offset, count;
    int first, distances;
  };
  uint64_t full = call.bytes() / segment, rest = call.count % elements, others = static_cast<uint64_t>(n - 1);
  auto at_once = rest ? static_cast<int>(std::min(segment / (rest * call.element_bytes), others + 1)) : 1;
  auto round_of = [&](uint64_t i) {
    if (i < full * others) return Round{i / others * segment, elements, 1 + static_cast<int>(i % others), 1};
    int first = 1 + static_cast<int>(i - full * others) * at_once;
    return Round{full * segment, rest, first, std::min(at_once, n - first)};
  };
  auto stages = [&](const Round& r) { return in_place && r.first == 1; };
  auto kind_of = [&](uint64_t i) {
    Round r = round_of(i);
    return (at.ways(r.first, r.distances) * (elements + 1) + r.count) * 2 + (stages(r) ? 1 : 0);
  };
  uint64_t rounds =
      full * others + (rest ? (others + static_cast<uint64_t>(at_once) - 1) / static_cast<uint64_t>(at_once) : 0);
  at.repeat({rounds, kind_of, 1, others, full * others}, [&](uint64_t i) {
    Round r = round_of(i);
    uint64_t bytes = r.count * call.element_bytes;
    const void* from = source + r.offset;
    if (in_place) from = at.scratch(Area::staging);  // the sum replaces what later distances still need
    if (stages(r)) {
      if (at.leader()) at.copy(at.scratch(Area::staging), source + r.offset, bytes);
      at.group_sync();
    }
    for (int j = 0; j < r.distances; ++j)
      at.put({work + static_cast<uint64_t>(j) * bytes, from, bytes, (me + r.first + j) % n});
    barrier(at, how);
    at.spend(Overhead::segment);
    for (int j = 0; j < r.distances; ++j) {
      if (at.leader()) at.combine(dest + r.offset, work + static_cast<uint64_t>(j) * bytes, r.count);
      at.spend(Overhead::combine_received, r.count);
    }
    sync(at, how);
  });
}

}  // namespace shmemu
