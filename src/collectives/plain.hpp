// Straightforward collectives over put, signal and wait: right data and causal time. The algorithms of NVSHMEM and NCCL
// with their own times come beside them, behind the same chooser. Semantics: OpenSHMEM 1.5, chapter 9.9; every member and
// every thread of the group calls with equal arguments.
#pragma once
#include "collectives/endpoint.hpp"

namespace shmemu {

// Dissemination: in round r a PE signals the one 2^r ahead and waits for the one 2^r behind.
void sync(Endpoint& at);
// Completes the callers' operations, then synchronises.
void barrier(Endpoint& at);
// `bytes` from the root's source to every dest.
void broadcast(Endpoint& at, void* dest, const void* source, uint64_t bytes, int root);
// dest = concatenation of all sources, `bytes` each.
void fcollect(Endpoint& at, void* dest, const void* source, uint64_t bytes);
// Block i of source goes to block me of dest on PE i.
void alltoall(Endpoint& at, void* dest, const void* source, uint64_t bytes);
// dest[i] = op over all PEs of source[i]; `buffer` is local memory of twice `count * element_bytes`.
void reduce(Endpoint& at, void* dest, const void* source, uint64_t count, uint64_t element_bytes, void* buffer);
// The same for block `me` of sources that are size() * count elements long.
void reducescatter(Endpoint& at, void* dest, const void* source, uint64_t count, uint64_t element_bytes, void* buffer);

}  // namespace shmemu
