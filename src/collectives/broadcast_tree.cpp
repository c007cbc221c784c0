// Packed data down a k-ary tree: the root packs and sends to its children, the others poll, unpack and forward what
// they received as it is. Every call takes the next place of a ring; when the ring is full a barrier lets all start it
// afresh, so there is no synchronisation at the end of a call.
#include <optional>

#include "collectives/algorithms.hpp"

namespace shmemu {
namespace {

struct Node {
  std::optional<int> parent;
  std::vector<int> children;  // in the order in which they are served
};

// Position q of a k-ary tree whose positions are `member(0)`, `member(1)` …; children first that only a NIC reaches.
template <class Member>
void add_children(const Endpoint& at, Node& node, int position, int count, int arity, Member member) {
  std::vector<int> near;
  for (int64_t c = int64_t{position} * arity + 1; c <= int64_t{position} * arity + arity && c < count; ++c) {
    int child = member(static_cast<int>(c));
    (at.load_store(child) ? near : node.children).push_back(child);
  }
  node.children.insert(node.children.end(), near.begin(), near.end());
}

void along(Endpoint& at, const Synchronisation& how, const Call& call, const Node& node) {
  uint64_t packed = (packed_bytes(Packing::ll, call.bytes()) + 15) / 16 * 16,
           exact = packed_bytes(Packing::ll, call.bytes());
  at.group_sync();
  if (at.state(Tally::broadcast_offset) + packed > kBroadcastRing) {
    barrier(at, how);
    if (at.leader()) at.state(Tally::broadcast_offset) = 0;
    at.group_sync();
  }
  char* place = at.scratch(Area::broadcast) + at.state(Tally::broadcast_offset);
  auto flag = static_cast<uint32_t>(at.state(Tally::packed_broadcasts) + 1);
  uint64_t units = call.bytes() / 8;
  if (!node.parent) {
    at.spend(Overhead::broadcast_tree);
    if (node.children.size() > 1)  // the first one's are in broadcast_tree
      at.spend(Overhead::peer, lookups_of(at, node.children.size() - 1));
    // an adapter reads it late, so it may not be packed over by the next call; stores have read it when the put returns
    char* staging = at.all_load_store() ? at.scratch(Area::staging) : place;
    if (at.leader()) at.pack(Packing::ll, staging, call.source, call.bytes(), flag);
    at.spend(Overhead::pack, units);
    at.group_sync();
    for (int child : node.children) at.put({place, staging, exact, child, true});
    at.put({call.dest, call.source, call.bytes(), at.me()});
  } else {
    at.spend(Overhead::broadcast_receive);
    at.receive_each(Packing::ll, {{call.dest, place, call.bytes()}}, flag);
    at.spend(Overhead::unpack, units);
    at.spend(Overhead::peer, lookups_of(at, node.children.size()));
    for (int child : node.children) at.put({place, place, exact, child, true});
  }
  at.group_sync();
  if (at.leader()) {
    at.state(Tally::broadcast_offset) += packed;
    ++at.state(Tally::packed_broadcasts);
  }
  at.group_sync();
}

}  // namespace

void broadcast_tree(Endpoint& at, const Synchronisation& how, const Call& call, int arity) {
  int n = at.size(), position = (at.me() - call.root + n) % n;
  auto member = [&](int q) { return (q + call.root) % n; };
  Node node;
  if (position > 0) node.parent = member((position - 1) / arity);
  add_children(at, node, position, n, arity, member);
  along(at, how, call, node);
}

// Between the nodes along the root's column, then inside each node.
void broadcast_tree_2d(Endpoint& at, const Synchronisation& how, const Call& call, int arity) {
  int per_node = at.part(Endpoint::Part::node)->size(), nodes = at.size() / per_node;
  int root_node = call.root / per_node, root_place = call.root % per_node;
  int my_node = (at.me() / per_node - root_node + nodes) % nodes,
      my_place = (at.me() % per_node - root_place + per_node) % per_node;
  auto of_node = [&](int q) { return (q + root_node) % nodes * per_node + root_place; };
  int first = at.me() / per_node * per_node;
  auto of_place = [&](int q) { return first + (q + root_place) % per_node; };
  Node node;
  if (my_place > 0) {
    node.parent = of_place((my_place - 1) / arity);
  } else {
    if (my_node > 0) node.parent = of_node((my_node - 1) / arity);
    add_children(at, node, my_node, nodes, arity, of_node);
  }
  add_children(at, node, my_place, per_node, arity, of_place);
  along(at, how, call, node);
}

}  // namespace shmemu
