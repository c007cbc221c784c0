#include "collectives/plain.hpp"

namespace shmemu {

void sync(Endpoint& at) {
  at.group_sync();
  if (at.leader()) {
    at.spend(Overhead::sync_entry);
    uint64_t number = at.next_sync();
    int n = at.size();
    for (int distance = 1, round = 0; distance < n; distance *= 2, ++round) {
      at.spend(Overhead::sync_round);
      at.signal(round, number, (at.me() + distance) % n);
      at.wait(round, number);
    }
  }
  at.group_sync();
}

void barrier(Endpoint& at) {
  at.group_sync();
  if (at.leader()) {
    at.spend(Overhead::barrier);
    at.quiet();
  }
  sync(at);
}

void broadcast(Endpoint& at, void* dest, const void* source, uint64_t bytes, int root) {
  if (at.me() == root)
    for (int i = 0; i < at.size(); ++i) at.put(dest, source, bytes, (root + i) % at.size());
  barrier(at);
}

void fcollect(Endpoint& at, void* dest, const void* source, uint64_t bytes) {
  char* mine = static_cast<char*>(dest) + static_cast<uint64_t>(at.me()) * bytes;
  for (int i = 0; i < at.size(); ++i) at.put(mine, source, bytes, (at.me() + i) % at.size());
  barrier(at);
}

void alltoall(Endpoint& at, void* dest, const void* source, uint64_t bytes) {
  char* mine = static_cast<char*>(dest) + static_cast<uint64_t>(at.me()) * bytes;
  for (int i = 0; i < at.size(); ++i) {
    int peer = (at.me() + i) % at.size();
    at.put(mine, static_cast<const char*>(source) + static_cast<uint64_t>(peer) * bytes, bytes, peer);
  }
  barrier(at);
}

namespace {

// Every PE reads the others' sources in rank order, so all get the same rounding.
void gather_and_combine(Endpoint& at, void* dest, const char* source, uint64_t count, uint64_t element_bytes,
                        void* buffer) {
  uint64_t bytes = count * element_bytes;
  barrier(at);  // sources are ready, and nobody still reads an older one
  char* sum = static_cast<char*>(buffer);
  char* piece = sum + bytes;
  at.get(sum, source, bytes, 0);
  for (int i = 1; i < at.size(); ++i) {
    at.get(piece, source, bytes, i);
    if (at.leader()) at.combine(sum, piece, count);
    at.group_sync();
  }
  sync(at);  // dest may be source
  at.put(dest, sum, bytes, at.me());
  barrier(at);
}

}  // namespace

void reduce(Endpoint& at, void* dest, const void* source, uint64_t count, uint64_t element_bytes, void* buffer) {
  gather_and_combine(at, dest, static_cast<const char*>(source), count, element_bytes, buffer);
}

void reducescatter(Endpoint& at, void* dest, const void* source, uint64_t count, uint64_t element_bytes, void* buffer) {
  uint64_t offset = static_cast<uint64_t>(at.me()) * count * element_bytes;
  gather_and_combine(at, dest, static_cast<const char*>(source) + offset, count, element_bytes, buffer);
}

}  // namespace shmemu
