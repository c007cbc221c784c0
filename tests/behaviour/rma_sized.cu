// The sized forms that rma_host does not use: iput and iget by bits, put with signal by bits and by bytes, in all
// scopes, from the host and on a stream.
#include "check.hpp"

constexpr int kN = 3;  // elements of up to 16 bytes, gaps of one element

__global__ void wait_for(uint64_t* signal, uint64_t count) { nvshmem_signal_wait_until(signal, NVSHMEM_CMP_EQ, count); }

// what the strided forms leave: elements of `from` at every other place of `step` bytes
bool spread(const char* found, int from, int step) {
  for (int i = 0; i < 2 * kN * step; ++i) {
    int element = i / step;
    char expected = element % 2 ? 0 : static_cast<char>(from + element / 2 * step + i % step);
    if (found[i] != expected) return false;
  }
  return true;
}
bool whole(const char* found, int from, int bytes) {
  for (int i = 0; i < bytes; ++i)
    if (found[i] != static_cast<char>(from + i)) return false;
  return true;
}

template <class F>
void with_buffers(F f) {
  Symmetric<char> source(64), dest(6 * 128), got(6 * 128);
  Symmetric<uint64_t> signal(1);
  std::vector<char> mine(64);
  for (int i = 0; i < 64; ++i) mine[i] = static_cast<char>(nvshmem_my_pe() + i);
  source.write(mine);
  nvshmem_barrier_all();
  f(dest, got, source.data(), signal);
  nvshmem_barrier_all();
}

#define STRIDED(BITS, BYTES)                                                                                  \
  __global__ void strided_##BITS(char* dest, char* got, const char* source, int right) {                      \
    if (threadIdx.x == 0) nvshmem_iput##BITS(dest, source, 2, 1, kN, right);                                  \
    if (threadIdx.x < 32) nvshmemx_iput##BITS##_warp(dest + 128, source, 2, 1, kN, right);                    \
    nvshmemx_iput##BITS##_block(dest + 256, source, 2, 1, kN, right);                                         \
    if (threadIdx.x == 0) nvshmem_iget##BITS(got, source, 2, 1, kN, right);                                   \
    if (threadIdx.x < 32) nvshmemx_iget##BITS##_warp(got + 128, source, 2, 1, kN, right);                     \
    nvshmemx_iget##BITS##_block(got + 256, source, 2, 1, kN, right);                                          \
  }                                                                                                           \
  void test_strided_##BITS(int right, int left) {                                                             \
    with_buffers([&](Symmetric<char>& dest, Symmetric<char>& got, const char* source, Symmetric<uint64_t>&) { \
      strided_##BITS<<<1, 64>>>(dest.data(), got.data(), source, right);                                      \
      nvshmemx_iput##BITS##_on_stream(dest.data() + 384, source, 2, 1, kN, right, 0);                         \
      nvshmemx_iget##BITS##_on_stream(got.data() + 384, source, 2, 1, kN, right, 0);                          \
      CUDA(cudaDeviceSynchronize());                                                                          \
      nvshmem_iput##BITS(dest.data() + 512, source, 2, 1, kN, right);                                         \
      nvshmem_iget##BITS(got.data() + 512, source, 2, 1, kN, right);                                          \
      nvshmem_barrier_all();                                                                                  \
      std::vector<char> out = dest.read(), in = got.read();                                                   \
      for (int form = 0; form < 5; ++form)                                                                    \
        CHECK(spread(&out[form * 128], left, BYTES) && spread(&in[form * 128], right, BYTES));                \
    });                                                                                                       \
  }
STRIDED(8, 1)
STRIDED(16, 2) STRIDED(32, 4) STRIDED(64, 8) STRIDED(128, 16)
#define SIGNALLED(BITS, BYTES)                                                                                       \
  __global__ void signalled_##BITS(char* dest, const char* source, uint64_t* signal, int right) {                    \
    constexpr int add = NVSHMEM_SIGNAL_ADD;                                                                          \
    if (threadIdx.x == 0) {                                                                                          \
      nvshmem_put##BITS##_signal(dest, source, kN, signal, 1, add, right);                                           \
      nvshmem_put##BITS##_signal_nbi(dest + 64, source, kN, signal, 1, add, right);                                  \
    }                                                                                                                \
    if (threadIdx.x < 32) {                                                                                          \
      nvshmemx_put##BITS##_signal_warp(dest + 128, source, kN, signal, 1, add, right);                               \
      nvshmemx_put##BITS##_signal_nbi_warp(dest + 192, source, kN, signal, 1, add, right);                           \
    }                                                                                                                \
    nvshmemx_put##BITS##_signal_block(dest + 256, source, kN, signal, 1, add, right);                                \
    nvshmemx_put##BITS##_signal_nbi_block(dest + 320, source, kN, signal, 1, add, right);                            \
  }                                                                                                                  \
  void test_signalled_##BITS(int right, int left) {                                                                  \
    with_buffers([&](Symmetric<char>& dest, Symmetric<char>&, const char* source, Symmetric<uint64_t>& signal) {     \
      signalled_##BITS<<<1, 64>>>(dest.data(), source, signal.data(), right);                                        \
      nvshmemx_put##BITS##_signal_on_stream(dest.data() + 384, source, kN, signal.data(), 1, NVSHMEM_SIGNAL_ADD,     \
                                            right, 0);                                                               \
      nvshmemx_put##BITS##_signal_nbi_on_stream(dest.data() + 448, source, kN, signal.data(), 1, NVSHMEM_SIGNAL_ADD, \
                                                right, 0);                                                           \
      wait_for<<<1, 1>>>(signal.data(), 8); /* then the data of all eight is here */                                 \
      std::vector<char> out = dest.read();                                                                           \
      for (int form = 0; form < 8; ++form) CHECK(whole(&out[form * 64], left, kN* BYTES));                           \
    });                                                                                                              \
  }
    SIGNALLED(8, 1) SIGNALLED(16, 2) SIGNALLED(32, 4) SIGNALLED(64, 8) SIGNALLED(128, 16) SIGNALLED(mem, 1)

        int main() {
  nvshmem_init();
  CUDA(cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE)));
  int me = nvshmem_my_pe(), n = nvshmem_n_pes(), right = (me + 1) % n, left = (me + n - 1) % n;
  test_strided_8(right, left), test_strided_16(right, left), test_strided_32(right, left);
  test_strided_64(right, left), test_strided_128(right, left);
  test_signalled_8(right, left), test_signalled_16(right, left), test_signalled_32(right, left);
  test_signalled_64(right, left), test_signalled_128(right, left), test_signalled_mem(right, left);
  if (me == 0) std::puts("ok");
  nvshmem_finalize();
}
