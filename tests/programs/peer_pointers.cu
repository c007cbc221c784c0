// Plain loads, stores and atomics through pointers of nvshmem_ptr: the data is right, it takes the time of the link,
// and a store arrives when a store arrives, not at once. Needs a single node, 2 PEs.
#include "program.hpp"

using Word = unsigned long long;

__global__ void touch(Word* peer, uint4* peer_wide, const uint4* wide, Word* own) {
  const int t = threadIdx.x;
  peer[t] = 100 + t;
  peer_wide[t] = wide[t];
  own[t] = 7;  // of this PE: an ordinary store
  __syncthreads();
  if (t == 0) {
    atomicAdd(peer + 40, 5ull);
    own[32] = atomicAdd(peer + 40, 1ull);
    own[33] = atomicCAS(peer + 41, 0ull, 9ull);
    own[34] = peer[3];  // its own store comes first
    *reinterpret_cast<volatile Word*>(peer + 42) = 11;
  }
}

// Cycles that one dependent load of a peer takes; the stores before it are on their way meanwhile.
__global__ void time_load(const Word* peer, long long* cycles, Word* sum) {
  const long long begin = clock64();
  Word at = 0;
  for (int i = 0; i < 16; ++i) at += peer[64 + 16 * i + at];  // a new line each time: remote loads are cached, too
  *cycles = clock64() - begin;
  *sum = at;
}

int main(int argc, char**) {
  const int me = start(2).me;
  Word *words = symmetric<Word>(64 + 16 * 16), *own = symmetric<Word>(64);
  uint4* wide = symmetric<uint4>(64);
  for (int i = 0; i < 32; ++i) wide[i] = make_uint4(me, i, 1, 2);
  auto* peer = static_cast<Word*>(nvshmem_ptr(words, 1 - me));
  auto* peer_wide = static_cast<uint4*>(nvshmem_ptr(wide + 32, 1 - me));
  nvshmem_barrier_all();
  touch<<<1, 32>>>(peer, peer_wide, wide, own);
  cudaDeviceSynchronize();
  nvshmem_barrier_all();
  bool ok = words[0] == 100 && words[31] == 131 && words[40] == 6 && words[41] == 9 && words[42] == 11;
  ok = ok && own[0] == 7 && own[32] == 5 && own[33] == 0 && own[34] == 103;
  for (unsigned i = 0; i < 32; ++i) ok = ok && wide[32 + i].x == unsigned(1 - me) && wide[32 + i].y == i;
  long long* cycles = symmetric<long long>();
  time_load<<<1, 1>>>(peer, cycles, own + 50);
  cudaDeviceSynchronize();
  const double us = *cycles / 16 / 1980.0;
  ok = ok && us > 0.86 && (us < 1.0 || argc > 1);  // a load over NVLink; "late": it may take longer
  if (!ok) printf("a load takes %.3f us\n", us);
  return finish("peer_pointers", ok);
}
