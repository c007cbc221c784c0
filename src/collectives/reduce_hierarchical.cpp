// Small vectors in a block: every node collects its members' vectors (packed) and reduces them in order, then the PEs
// of the same place in their nodes collect and reduce those results.
#include "collectives/algorithms.hpp"

namespace shmemu {
namespace {

void collect_and_reduce(Endpoint& part, char* work, void* dest, const void* source, const Call& call,
                        bool across_nodes) {
  auto n = static_cast<uint64_t>(part.size());
  fcollect_packed(part, Packing::ll, work, source, call.bytes());
  if (part.leader()) {
    part.copy(dest, work, call.bytes());
    for (uint64_t i = 1; i < n; ++i) part.combine(dest, work + i * call.bytes(), call.count);
  }
  if (across_nodes) {  // NVSHMEM reduces element by element there (sums of 4 and 8 B)
    part.spend(Overhead::combine_async, call.count);
  } else {
    for (uint64_t i = 0; i < n; ++i) part.spend(Overhead::combine, call.count);
  }
  part.group_sync();
}

}  // namespace

void reduce_hierarchical(Endpoint& at, const Call& call) {
  char* work = next_half(at);
  at.spend(Overhead::hierarchical);
  std::unique_ptr<Endpoint> node = at.part(Endpoint::Part::node), column = at.part(Endpoint::Part::column);
  collect_and_reduce(*node, work, call.dest, call.source, call, false);
  if (column->size() > 1) collect_and_reduce(*column, work, call.dest, call.dest, call, true);
}

}  // namespace shmemu
