// put, get, p, g, iput, iget and put with signal from the host and on a stream: all 25 types and the sizes; and the
// sized and byte forms from kernels.
#include "check.hpp"

constexpr int kN = 9;
enum Form {
  kPut,
  kPutNbi,
  kIput,
  kPutStream,
  kPutNbiStream,
  kIputStream,
  kPStream,
  kSignalStream,
  kSignalNbiStream,
  kP,
  kForms
};

template <class T>
bool filled(const std::vector<T>& found, int form, int from, bool strided) {
  for (int i = 0; i < kN; ++i)
    if (!same(found[form * 2 * kN + (strided ? 2 * i : i)], value<T>(from, i))) return false;
  return true;
}

#define TEST(NAME, T)                                                                                                  \
  void test_##NAME(cudaStream_t stream) {                                                                              \
    int me = nvshmem_my_pe(), n = nvshmem_n_pes(), right = (me + 1) % n, left = (me + n - 1) % n;                      \
    std::vector<T> mine(2 * kN);                                                                                       \
    for (int i = 0; i < 2 * kN; ++i) mine[i] = value<T>(me, i);                                                        \
    Symmetric<T> source(2 * kN), dest(kForms * 2 * kN), got(8 * 2 * kN);                                               \
    Symmetric<uint64_t> signal(1);                                                                                     \
    source.write(mine);                                                                                                \
    auto at = [&](int form) { return dest.data() + form * 2 * kN; };                                                   \
    auto in = [&](int form) { return got.data() + form * 2 * kN; };                                                    \
    nvshmem_barrier_all();                                                                                             \
    nvshmem_##NAME##_put(at(kPut), source.data(), kN, right);                                                          \
    nvshmem_##NAME##_put_nbi(at(kPutNbi), source.data(), kN, right);                                                   \
    nvshmem_##NAME##_iput(at(kIput), source.data(), 2, 1, kN, right);                                                  \
    for (int i = 0; i < kN; ++i) nvshmem_##NAME##_p(at(kP) + i, mine[i], right);                                       \
    nvshmemx_##NAME##_put_on_stream(at(kPutStream), source.data(), kN, right, stream);                                 \
    nvshmemx_##NAME##_put_nbi_on_stream(at(kPutNbiStream), source.data(), kN, right, stream);                          \
    nvshmemx_##NAME##_iput_on_stream(at(kIputStream), source.data(), 2, 1, kN, right, stream);                         \
    for (int i = 0; i < kN; ++i) nvshmemx_##NAME##_p_on_stream(at(kPStream) + i, mine[i], right, stream);              \
    nvshmemx_##NAME##_put_signal_on_stream(at(kSignalStream), source.data(), kN, signal.data(), 1, NVSHMEM_SIGNAL_ADD, \
                                           right, stream);                                                             \
    nvshmemx_##NAME##_put_signal_nbi_on_stream(at(kSignalNbiStream), source.data(), kN, signal.data(), 1,              \
                                               NVSHMEM_SIGNAL_ADD, right, stream);                                     \
    nvshmemx_signal_wait_until_on_stream(signal.data(), NVSHMEM_CMP_EQ, 2, stream);                                    \
    nvshmemx_quiet_on_stream(stream);                                                                                  \
    CUDA(cudaStreamSynchronize(stream));                                                                               \
    CHECK(nvshmem_signal_fetch(signal.data()) == 2);                                                                   \
    nvshmem_barrier_all();                                                                                             \
    std::vector<T> found = dest.read();                                                                                \
    for (int form = 0; form < kForms; ++form)                                                                          \
      if (!filled(found, form, left, form == kIput || form == kIputStream)) {                                          \
        std::printf("%s, form %d is wrong\n", #NAME, form);                                                            \
        std::exit(1);                                                                                                  \
      }                                                                                                                \
    nvshmem_##NAME##_get(in(0), source.data(), kN, right);                                                             \
    nvshmem_##NAME##_get_nbi(in(1), source.data(), kN, right);                                                         \
    nvshmem_quiet();                                                                                                   \
    nvshmem_##NAME##_iget(in(2), source.data(), 2, 1, kN, right);                                                      \
    nvshmemx_##NAME##_get_on_stream(in(3), source.data(), kN, right, stream);                                          \
    nvshmemx_##NAME##_get_nbi_on_stream(in(4), source.data(), kN, right, stream);                                      \
    nvshmemx_##NAME##_iget_on_stream(in(5), source.data(), 2, 1, kN, right, stream);                                   \
    nvshmemx_quiet_on_stream(stream);                                                                                  \
    T one = nvshmem_##NAME##_g(source.data() + 3, right);                                                              \
    T other = nvshmemx_##NAME##_g_on_stream(source.data() + 4, right, stream);                                         \
    CUDA(cudaStreamSynchronize(stream));                                                                               \
    CHECK(same(one, value<T>(right, 3)) && same(other, value<T>(right, 4)));                                           \
    found = got.read();                                                                                                \
    for (int form = 0; form < 6; ++form) CHECK(filled(found, form, right, form == 2 || form == 5));                    \
    nvshmem_barrier_all();                                                                                             \
  }
RMA_TYPES(TEST)

// ---- sizes: two elements forward, one back; kernel, host and stream ----
#define SIZED(BITS, BYTES)                                                                        \
  __global__ void device_##BITS(char* dest, char* got, const char* source, int right) {           \
    nvshmem_put##BITS(dest, source, 2, right);                                                    \
    nvshmem_put##BITS##_nbi(dest + 32, source, 2, right);                                         \
    nvshmemx_put##BITS##_warp(dest + 64, source, 2, right);                                       \
    nvshmemx_put##BITS##_block(dest + 96, source, 2, right);                                      \
    nvshmemx_put##BITS##_nbi_warp(dest + 128, source, 2, right);                                  \
    nvshmemx_put##BITS##_nbi_block(dest + 160, source, 2, right);                                 \
    nvshmem_get##BITS(got, source, 2, right);                                                     \
    nvshmem_get##BITS##_nbi(got + 32, source, 2, right);                                          \
    nvshmemx_get##BITS##_warp(got + 64, source, 2, right);                                        \
    nvshmemx_get##BITS##_block(got + 96, source, 2, right);                                       \
    nvshmemx_get##BITS##_nbi_warp(got + 128, source, 2, right);                                   \
    nvshmemx_get##BITS##_nbi_block(got + 160, source, 2, right);                                  \
    nvshmem_quiet();                                                                              \
  }                                                                                               \
  void test_##BITS(cudaStream_t stream) {                                                         \
    int me = nvshmem_my_pe(), n = nvshmem_n_pes(), right = (me + 1) % n, left = (me + n - 1) % n; \
    Symmetric<char> source(32), dest(320), got(320);                                              \
    std::vector<char> mine(32);                                                                   \
    for (int i = 0; i < 32; ++i) mine[i] = static_cast<char>(me + i);                             \
    source.write(mine);                                                                           \
    nvshmem_barrier_all();                                                                        \
    device_##BITS<<<1, 1, 0, stream>>>(dest.data(), got.data(), source.data(), right);            \
    nvshmemx_put##BITS##_on_stream(dest.data() + 192, source.data(), 2, right, stream);           \
    nvshmemx_put##BITS##_nbi_on_stream(dest.data() + 224, source.data(), 2, right, stream);       \
    nvshmemx_get##BITS##_on_stream(got.data() + 192, source.data(), 2, right, stream);            \
    nvshmemx_get##BITS##_nbi_on_stream(got.data() + 224, source.data(), 2, right, stream);        \
    nvshmemx_quiet_on_stream(stream);                                                             \
    CUDA(cudaStreamSynchronize(stream));                                                          \
    nvshmem_put##BITS(dest.data() + 256, source.data(), 2, right);                                \
    nvshmem_put##BITS##_nbi(dest.data() + 288, source.data(), 2, right);                          \
    nvshmem_get##BITS(got.data() + 256, source.data(), 2, right);                                 \
    nvshmem_get##BITS##_nbi(got.data() + 288, source.data(), 2, right);                           \
    nvshmem_barrier_all();                                                                        \
    std::vector<char> out = dest.read(), in = got.read();                                         \
    for (int form = 0; form < 10; ++form)                                                         \
      for (int i = 0; i < 32; ++i) {                                                              \
        CHECK(out[form * 32 + i] == (i < 2 * BYTES ? static_cast<char>(left + i) : 0));           \
        CHECK(in[form * 32 + i] == (i < 2 * BYTES ? static_cast<char>(right + i) : 0));           \
      }                                                                                           \
    nvshmem_barrier_all();                                                                        \
  }
SIZED(8, 1)
SIZED(16, 2) SIZED(32, 4) SIZED(64, 8) SIZED(128, 16) SIZED(mem, 1)

    int main() {
  nvshmem_init();
  CUDA(cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE)));
  cudaStream_t stream;
  CUDA(cudaStreamCreate(&stream));
#define RUN(NAME, T) test_##NAME(stream);
  RMA_TYPES(RUN)
  test_8(stream), test_16(stream), test_32(stream), test_64(stream), test_128(stream), test_mem(stream);
  CUDA(cudaStreamDestroy(stream));
  if (nvshmem_my_pe() == 0) std::puts("ok");
  nvshmem_finalize();
}
