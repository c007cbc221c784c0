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
  auto reduce_piece = [&](uint64_t offset, uint64_t count, int most_at_once) {
    uint64_t bytes = count * call.element_bytes;
    const void* from = source + offset;
    if (in_place) {  // the sum replaces what later distances still need
      from = at.scratch(Area::staging);
      if (at.leader()) at.copy(at.scratch(Area::staging), source + offset, bytes);
      at.group_sync();
    }
    auto distances = [&](int i, int m) {
      for (int j = 0; j < m; ++j) at.put({work + static_cast<uint64_t>(j) * bytes, from, bytes, (me + i + j) % n});
      barrier(at, how);
      at.spend(Overhead::segment);
      for (int j = 0; j < m; ++j) {
        if (at.leader()) at.combine(dest + offset, work + static_cast<uint64_t>(j) * bytes, count);
        at.spend(Overhead::combine_received, count);
      }
      sync(at, how);
    };
    // steps of `most_at_once` distances: near, far from everybody, near again from the other side
    int steps = (n - 1) / most_at_once, far = at.far();
    int first = std::min(steps, (far - 1 + most_at_once - 1) / most_at_once);
    int last = std::max(first, std::min(steps, (n - far) / most_at_once));
    uint64_t kind = 3 * bytes;
    auto run = [&](int from, int to, uint64_t part) {
      at.repeat({static_cast<uint64_t>(to - from), part == 1, kind + part},
                [&](uint64_t i) { distances(1 + (from + static_cast<int>(i)) * most_at_once, most_at_once); });
    };
    run(0, first, 0);
    run(first, last, 1);
    run(last, steps, 2);
    if (int left = (n - 1) % most_at_once) distances(n - left, left);
  };
  uint64_t full = call.bytes() / segment, rest = call.count % elements;
  if (n > 1 && full) at.repeat({full, true, 0}, [&](uint64_t s) { reduce_piece(s * segment, elements, 1); });
  if (n > 1 && rest)
    reduce_piece(full * segment, rest,
                 static_cast<int>(std::min<uint64_t>(segment / (rest * call.element_bytes), static_cast<uint64_t>(n))));
}

}  // namespace shmemu
