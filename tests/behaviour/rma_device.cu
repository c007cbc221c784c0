// put, get, p, g, iput, iget and put with signal from kernels: all 25 types, all scopes, blocking or not, by blocks of
// 1, 33 and 64 threads. Every PE writes to its right neighbour and reads from it.
#include "check.hpp"

constexpr int kN = 13;  // elements of a transfer
enum Put {
  kPut,
  kPutNbi,
  kPutWarp,
  kPutNbiWarp,
  kPutBlock,
  kPutNbiBlock,
  kP,
  kIput,
  kIputWarp,
  kIputBlock,
  kSignal,
  kSignalNbi,
  kSignalWarp,
  kSignalNbiWarp,
  kSignalBlock,
  kSignalNbiBlock,
  kPuts
};
enum Get { kGet, kGetNbi, kGetWarp, kGetNbiWarp, kGetBlock, kGetNbiBlock, kG, kIget, kIgetWarp, kIgetBlock, kGets };
constexpr int kSignals = 6;

#define KERNELS(NAME, T)                                                                                             \
  __global__ void NAME##_puts(T* dest, const T* source, uint64_t* signal, int right, int left, int* wrong) {         \
    auto at = [&](int form) { return dest + form * 2 * kN; };                                                        \
    if (threadIdx.x == 0) {                                                                                          \
      nvshmem_##NAME##_put(at(kPut), source, kN, right);                                                             \
      nvshmem_##NAME##_put_nbi(at(kPutNbi), source, kN, right);                                                      \
      for (int i = 0; i < kN; ++i) nvshmem_##NAME##_p(at(kP) + i, source[i], right);                                 \
      nvshmem_##NAME##_iput(at(kIput), source, 2, 1, kN, right);                                                     \
      nvshmem_##NAME##_put_signal(at(kSignal), source, kN, signal, 1, NVSHMEM_SIGNAL_ADD, right);                    \
      nvshmem_##NAME##_put_signal_nbi(at(kSignalNbi), source, kN, signal, 1, NVSHMEM_SIGNAL_ADD, right);             \
    }                                                                                                                \
    if (threadIdx.x < 32) {                                                                                          \
      nvshmemx_##NAME##_put_warp(at(kPutWarp), source, kN, right);                                                   \
      nvshmemx_##NAME##_put_nbi_warp(at(kPutNbiWarp), source, kN, right);                                            \
      nvshmemx_##NAME##_iput_warp(at(kIputWarp), source, 2, 1, kN, right);                                           \
      nvshmemx_##NAME##_put_signal_warp(at(kSignalWarp), source, kN, signal, 1, NVSHMEM_SIGNAL_ADD, right);          \
      nvshmemx_##NAME##_put_signal_nbi_warp(at(kSignalNbiWarp), source, kN, signal, 1, NVSHMEM_SIGNAL_ADD, right);   \
    }                                                                                                                \
    nvshmemx_##NAME##_put_block(at(kPutBlock), source, kN, right);                                                   \
    nvshmemx_##NAME##_put_nbi_block(at(kPutNbiBlock), source, kN, right);                                            \
    nvshmemx_##NAME##_iput_block(at(kIputBlock), source, 2, 1, kN, right);                                           \
    nvshmemx_##NAME##_put_signal_block(at(kSignalBlock), source, kN, signal, 1, NVSHMEM_SIGNAL_ADD, right);          \
    nvshmemx_##NAME##_put_signal_nbi_block(at(kSignalNbiBlock), source, kN, signal, 1, NVSHMEM_SIGNAL_ADD, right);   \
    if (threadIdx.x == 0) { /* the signals say that the data of their puts is here */                                \
      nvshmem_signal_wait_until(signal, NVSHMEM_CMP_GE, kSignals);                                                   \
      for (int form = kSignal; form < kPuts; ++form)                                                                 \
        for (int i = 0; i < kN; ++i)                                                                                 \
          if (static_cast<float>(at(form)[i]) != static_cast<float>(value<T>(left, i))) *wrong = 100 * form + i + 1; \
    }                                                                                                                \
  }                                                                                                                  \
  __global__ void NAME##_gets(T* got, const T* source, int right) {                                                  \
    auto at = [&](int form) { return got + form * 2 * kN; };                                                         \
    if (threadIdx.x == 0) {                                                                                          \
      nvshmem_##NAME##_get(at(kGet), source, kN, right);                                                             \
      nvshmem_##NAME##_get_nbi(at(kGetNbi), source, kN, right);                                                      \
      for (int i = 0; i < kN; ++i) at(kG)[i] = nvshmem_##NAME##_g(source + i, right);                                \
      nvshmem_##NAME##_iget(at(kIget), source, 2, 1, kN, right);                                                     \
    }                                                                                                                \
    if (threadIdx.x < 32) {                                                                                          \
      nvshmemx_##NAME##_get_warp(at(kGetWarp), source, kN, right);                                                   \
      nvshmemx_##NAME##_get_nbi_warp(at(kGetNbiWarp), source, kN, right);                                            \
      nvshmemx_##NAME##_iget_warp(at(kIgetWarp), source, 2, 1, kN, right);                                           \
    }                                                                                                                \
    nvshmemx_##NAME##_get_block(at(kGetBlock), source, kN, right);                                                   \
    nvshmemx_##NAME##_get_nbi_block(at(kGetNbiBlock), source, kN, right);                                            \
    nvshmemx_##NAME##_iget_block(at(kIgetBlock), source, 2, 1, kN, right);                                           \
    nvshmem_quiet();                                                                                                 \
  }
RMA_TYPES(KERNELS)

template <class T, class Puts, class Gets>
void test(const char* name, Puts puts, Gets gets) {
  int me = nvshmem_my_pe(), n = nvshmem_n_pes(), right = (me + 1) % n, left = (me + n - 1) % n;
  std::vector<T> mine(kN);
  for (int i = 0; i < kN; ++i) mine[i] = value<T>(me, i);
  Symmetric<T> source(kN);
  source.write(mine);
  int* wrong;
  CUDA(cudaMallocManaged(&wrong, sizeof *wrong));
  auto check = [&](const std::vector<T>& found, int from, int forms, auto is_strided) {
    for (int form = 0; form < forms; ++form)
      for (int i = 0; i < kN; ++i) {
        bool right_value = same(found[form * 2 * kN + (is_strided(form) ? 2 * i : i)], value<T>(from, i));
        bool gap_is_clean = !is_strided(form) || same(found[form * 2 * kN + 2 * i + 1], T());
        if (right_value && gap_is_clean) continue;
        std::printf("PE %d: %s, form %d, element %d is wrong\n", me, name, form, i);
        std::exit(1);
      }
  };
  for (int threads : {1, 33, 64}) {
    Symmetric<T> dest(kPuts * 2 * kN), got(kGets * 2 * kN);
    Symmetric<uint64_t> signal(1);
    *wrong = 0;
    nvshmem_barrier_all();
    puts<<<1, threads>>>(dest.data(), source.data(), signal.data(), right, left, wrong);
    nvshmemx_barrier_all_on_stream(0);
    CUDA(cudaDeviceSynchronize());
    if (*wrong) std::printf("%s with %d threads: signalled data %d is wrong\n", name, threads, *wrong);
    CHECK(*wrong == 0 && signal.read()[0] == kSignals);
    check(dest.read(), left, kPuts, [](int f) { return f == kIput || f == kIputWarp || f == kIputBlock; });
    gets<<<1, threads>>>(got.data(), source.data(), right);
    CUDA(cudaDeviceSynchronize());
    check(got.read(), right, kGets, [](int f) { return f == kIget || f == kIgetWarp || f == kIgetBlock; });
    nvshmem_barrier_all();
  }
  CUDA(cudaFree(wrong));
}

int main() {
  nvshmem_init();
  CUDA(cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE)));
#define RUN(NAME, T) test<T>(#NAME, NAME##_puts, NAME##_gets);
  RMA_TYPES(RUN)
  if (nvshmem_my_pe() == 0) std::puts("ok");
  nvshmem_finalize();
}
