// Operations on named queue pairs (3.5): every form for one type of each size, by 1 and 64 threads.
#include "check.hpp"

constexpr int kN = 7;
#define KERNEL(NAME, T)                                                                                         \
  __global__ void NAME##_run(T* dest, T* got, const T* source, uint64_t* signal, int qp, int* qps, int right) { \
    auto at = [&](int i) { return dest + i * kN; };                                                             \
    if (threadIdx.x == 0) {                                                                                     \
      nvshmemx_qp_##NAME##_put(at(0), source, kN, right, qp);                                                   \
      nvshmemx_qp_##NAME##_put_nbi(at(1), source, kN, right, qp);                                               \
      for (int i = 0; i < kN; ++i) nvshmemx_qp_##NAME##_p(at(2) + i, source[i], right, qp);                     \
      nvshmemx_qp_##NAME##_put_signal(at(3), source, kN, signal, 1, NVSHMEM_SIGNAL_ADD, right, qp);             \
      nvshmemx_qp_##NAME##_put_signal_nbi(at(4), source, kN, signal, 1, NVSHMEM_SIGNAL_ADD, right, qp);         \
      nvshmemx_qp_fence(right, qps, 2);                                                                         \
      nvshmemx_qp_signal_op(signal, 1, NVSHMEM_SIGNAL_ADD, right, qp);                                          \
      nvshmemx_qp_##NAME##_get(got, source, kN, right, qp);                                                     \
      nvshmemx_qp_##NAME##_get_nbi(got + kN, source, kN, right, qp);                                            \
      nvshmemx_qp_quiet(right, qps, 2);                                                                         \
      got[4 * kN] = nvshmemx_qp_##NAME##_g(source, right, qp);                                                  \
    }                                                                                                           \
    if (threadIdx.x < 32) {                                                                                     \
      nvshmemx_qp_##NAME##_put_warp(at(5), source, kN, right, qp);                                              \
      nvshmemx_qp_##NAME##_put_nbi_warp(at(6), source, kN, right, qp);                                          \
      nvshmemx_qp_##NAME##_get_warp(got + 2 * kN, source, kN, right, qp);                                       \
      nvshmemx_qp_quiet_warp(right, qps, 2);                                                                    \
      nvshmemx_qp_fence_warp(right, qps, 2);                                                                    \
    }                                                                                                           \
    nvshmemx_qp_##NAME##_put_block(at(7), source, kN, right, qp);                                               \
    nvshmemx_qp_##NAME##_put_signal_nbi_block(at(8), source, kN, signal, 1, NVSHMEM_SIGNAL_ADD, right, qp);     \
    nvshmemx_qp_##NAME##_get_block(got + 3 * kN, source, kN, right, qp);                                        \
    nvshmemx_qp_fence_block(right, qps, 2);                                                                     \
    nvshmemx_qp_quiet_block(right, qps, 2);                                                                     \
  }
KERNEL(char, char)
KERNEL(half, half) KERNEL(float, float) KERNEL(uint64, uint64_t)

    template <class T, class K>
    void test(K kernel, nvshmemx_qp_handle_t* qps) {
  int me = nvshmem_my_pe(), n = nvshmem_n_pes(), right = (me + 1) % n, left = (me + n - 1) % n;
  Symmetric<T> source(kN), dest(9 * kN), got(5 * kN);
  Symmetric<uint64_t> signal(1);
  std::vector<T> mine(kN);
  for (int i = 0; i < kN; ++i) mine[i] = value<T>(me, i);
  source.write(mine);
  for (int threads : {1, 64}) {
    signal.write({0});
    nvshmem_barrier_all();
    kernel<<<1, threads>>>(dest.data(), got.data(), source.data(), signal.data(), qps[0], qps, right);
    nvshmemx_barrier_all_on_stream(0);
    CUDA(cudaDeviceSynchronize());
    CHECK(signal.read()[0] == 4);
    std::vector<T> out = dest.read(), in = got.read();
    for (int form = 0; form < 9; ++form)
      for (int i = 0; i < kN; ++i) CHECK(same(out[form * kN + i], value<T>(left, i)));
    for (int form = 0; form < 4; ++form)
      for (int i = 0; i < kN; ++i) CHECK(same(in[form * kN + i], value<T>(right, i)));
    CHECK(same(in[4 * kN], value<T>(right, 0)));
    nvshmem_barrier_all();
  }
}

int main() {
  nvshmem_init();
  CUDA(cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE)));
  nvshmemx_qp_handle_t* qps = nullptr;
  CHECK(nvshmemx_qp_create(2, &qps) == 0 && qps != nullptr);
  CHECK(nvshmemx_qp_create(0, &qps) != 0);
  test<char>(char_run, qps);
  test<half>(half_run, qps);
  test<float>(float_run, qps);
  test<uint64_t>(uint64_run, qps);
  std::free(qps);
  if (nvshmem_my_pe() == 0) std::puts("ok");
  nvshmem_finalize();
}
