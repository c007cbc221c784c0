// Beyond NVSHMEM: two levels. What the members of a node can do over NVLink they do first, so that each byte crosses
// the network once per node pair and every adapter carries an equal share.
#include <algorithm>

#include "collectives/algorithms.hpp"

namespace shmemu {
namespace {

struct Levels {
  std::unique_ptr<Endpoint> node, column;
  Synchronisation node_sync, column_sync;
  uint64_t places, nodes, place, my_node;
};

Levels levels_of(Endpoint& at, const CollectiveSettings& settings) {
  Levels l;
  l.node = at.part(Endpoint::Part::node), l.column = at.part(Endpoint::Part::column);
  l.node_sync = synchronisation_of(*l.node, settings), l.column_sync = synchronisation_of(*l.column, settings);
  l.places = static_cast<uint64_t>(l.node->size()), l.nodes = static_cast<uint64_t>(l.column->size());
  l.place = static_cast<uint64_t>(l.node->me()), l.my_node = static_cast<uint64_t>(l.column->me());
  return l;
}

// Elements of the share that member i of m has in `count`.
struct Share {
  uint64_t first, count;
};
Share share_of(uint64_t count, uint64_t i, uint64_t m) { return {count * i / m, count * (i + 1) / m - count * i / m}; }

// Everybody gives member i its share of `source`, which arrives in `work`, one place per sender; the sums land in
// `dest`.
void scatter_sums(Endpoint& at, const Synchronisation& how, char* work, char* dest, const char* source, uint64_t count,
                  uint64_t element) {
  auto m = static_cast<uint64_t>(at.size()), me = static_cast<uint64_t>(at.me());
  uint64_t stride = (count / m + 1) * element;
  Share mine = share_of(count, me, m);
  for (uint64_t i = 1; i < m; ++i) {
    uint64_t peer = (me + i) % m;
    Share s = share_of(count, peer, m);
    at.spend(Overhead::peer);
    at.put({work + me * stride, source + s.first * element, s.count * element, static_cast<int>(peer)});
  }
  barrier(at, how);
  if (at.leader()) {
    if (dest != source) at.copy(dest + mine.first * element, source + mine.first * element, mine.count * element);
    for (uint64_t i = 0; i < m; ++i)
      if (i != me) at.combine(dest + mine.first * element, work + i * stride, mine.count);
  }
  for (uint64_t i = 1; i < m; ++i) at.spend(Overhead::combine_received, mine.count);
  at.group_sync();
}

// The inverse: everybody has its share of `dest` in place and gives it to all.
void gather(Endpoint& at, const Synchronisation& how, char* dest, uint64_t count, uint64_t element) {
  auto m = static_cast<uint64_t>(at.size()), me = static_cast<uint64_t>(at.me());
  Share mine = share_of(count, me, m);
  char* place = dest + mine.first * element;
  for (uint64_t i = 1; i < m; ++i) {
    at.spend(Overhead::peer);
    at.put({place, place, mine.count * element, static_cast<int>((me + i) % m)});
  }
  barrier(at, how);
}

}  // namespace

void reduce_two_level(Endpoint& at, const CollectiveSettings& settings, const Call& call) {
  Levels l = levels_of(at, settings);
  char* work = next_half(at);
  uint64_t half = at.scratch_bytes(Area::reduce) / 2, element = call.element_bytes;
  // both levels need a place for a piece and one element per sender
  uint64_t spare = (l.places + l.nodes) * element;
  uint64_t most = std::max<uint64_t>(1, (half / 2 - std::min(half / 4, spare)) / element);
  uint64_t members = l.places * l.nodes;
  if (most > members) most -= most % members;  // equal shares in all pieces but the last
  at.spend(Overhead::entry);
  auto count_of = [&](uint64_t piece) { return std::min(most, call.count - piece * most); };
  at.repeat({(call.count + most - 1) / most, count_of}, [&](uint64_t piece) {
    uint64_t count = count_of(piece), offset = piece * most * element;
    char* dest = static_cast<char*>(call.dest) + offset;
    scatter_sums(*l.node, l.node_sync, work, dest, static_cast<const char*>(call.source) + offset, count, element);
    Share mine = share_of(count, l.place, l.places);
    char* part = dest + mine.first * element;
    if (l.nodes > 1 && mine.count) {
      scatter_sums(*l.column, l.column_sync, work + half / 2, part, part, mine.count, element);
      gather(*l.column, l.column_sync, part, mine.count, element);
    }
    gather(*l.node, l.node_sync, dest, count, element);
  });
}

void fcollect_two_level(Endpoint& at, const CollectiveSettings& settings, const Call& call) {
  Levels l = levels_of(at, settings);
  uint64_t bytes = call.bytes();
  auto block = [&](uint64_t node, uint64_t place) {
    return static_cast<char*>(call.dest) + (node * l.places + place) * bytes;
  };
  at.spend(Overhead::entry);
  for (uint64_t i = 0; i < l.nodes; ++i) {
    at.spend(Overhead::peer);
    at.put({block(l.my_node, l.place), call.source, bytes,
            static_cast<int>(((l.my_node + i) % l.nodes) * l.places + l.place)});
  }
  barrier(*l.column, l.column_sync);
  for (uint64_t i = 1; i < l.places; ++i) {
    auto peer = static_cast<int>((l.place + i) % l.places);
    at.spend(Overhead::peer);
    for (uint64_t node = 0; node < l.nodes; ++node) {
      char* there = block(node, l.place);
      l.node->put({there, there, bytes, peer});
    }
  }
  barrier(at, synchronisation_of(at, settings));
}

// To the member of the node that has the place of the receiver, then along the columns: a PE sends one message to each
// node instead of one to each PE.
void alltoall_two_level(Endpoint& at, const CollectiveSettings& settings, const Call& call) {
  Levels l = levels_of(at, settings);
  uint64_t bytes = call.bytes();
  char* work = next_half(at);
  auto from = [&](uint64_t pe) { return static_cast<const char*>(call.source) + pe * bytes; };
  at.spend(Overhead::entry);
  for (uint64_t i = 0; i < l.places; ++i) {
    uint64_t place = (l.place + i) % l.places;
    at.spend(Overhead::peer);
    for (uint64_t node = 0; node < l.nodes; ++node)  // in `work`: by node, then by sender
      l.node->put(
          {work + (node * l.places + l.place) * bytes, from(node * l.places + place), bytes, static_cast<int>(place)});
  }
  barrier(*l.node, l.node_sync);
  char* mine = static_cast<char*>(call.dest) + l.my_node * l.places * bytes;
  for (uint64_t i = 0; i < l.nodes; ++i) {
    uint64_t node = (l.my_node + i) % l.nodes;
    at.spend(Overhead::peer);
    l.column->put({mine, work + node * l.places * bytes, l.places * bytes, static_cast<int>(node)});
  }
  barrier(at, synchronisation_of(at, settings));
}

}  // namespace shmemu
