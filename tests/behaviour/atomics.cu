// Atomics of every type from kernels of several blocks and PEs on words of PE 0, against what must come out whatever
// the order; waits and tests of every type; signals.
#include "check.hpp"

// clang-format off
#define ADD_TYPES(X)                                                                                                  \
  X(uint, unsigned) X(ulong, unsigned long) X(ulonglong, unsigned long long) X(int, int) X(long, long)                 \
  X(int32, int32_t) X(uint32, uint32_t) X(uint64, uint64_t) X(size, size_t)
#define BIT_TYPES(X)                                                                                                  \
  X(uint, unsigned) X(ulong, unsigned long) X(ulonglong, unsigned long long) X(int32, int32_t) X(uint32, uint32_t)     \
  X(int64, int64_t) X(uint64, uint64_t)
#define SWAP_TYPES(X) BIT_TYPES(X) X(int, int) X(long, long) X(longlong, long long) X(size, size_t) X(ptrdiff, ptrdiff_t)
#define SET_TYPES(X) SWAP_TYPES(X) X(float, float) X(double, double)
#define WAIT_TYPES(X) SWAP_TYPES(X) X(short, short) X(ushort, unsigned short)
// clang-format on

constexpr int kBlocks = 2, kThreads = 33, kAll = kBlocks * kThreads;
__device__ int g_wrong;  // line of a check that failed in a kernel
#define HERE(condition) \
  if (!(condition)) g_wrong = __LINE__
__device__ int my_number() { return nvshmem_my_pe() * kAll + static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

#define ADD(NAME, T)                                          \
  __global__ void NAME##_add(T* words, int* taken) {          \
    nvshmem_##NAME##_atomic_add(words, 3, 0);                 \
    nvshmem_##NAME##_atomic_inc(words + 1, 0);                \
    T a = nvshmem_##NAME##_atomic_fetch_add(words + 2, 1, 0); \
    T b = nvshmem_##NAME##_atomic_fetch_inc(words + 2, 0);    \
    HERE(a < b);                                              \
    nvshmem_int_atomic_inc(taken + static_cast<int>(a), 0);   \
    nvshmem_int_atomic_inc(taken + static_cast<int>(b), 0);   \
  }
ADD_TYPES(ADD)

#define BITS(NAME, T)                                                      \
  __global__ void NAME##_bits(T* words, int n) {                           \
    int number = my_number() % 31;                                         \
    T bit = static_cast<T>(static_cast<T>(1) << number);                   \
    nvshmem_##NAME##_atomic_or(words, bit, 0);                             \
    nvshmem_##NAME##_atomic_and(words + 1, static_cast<T>(~bit), 0);       \
    nvshmem_##NAME##_atomic_xor(words + 2, bit, 0);                        \
    nvshmem_##NAME##_atomic_fetch_or(words + 3, bit, 0);                   \
    nvshmem_quiet();                                                       \
    HERE(nvshmem_##NAME##_atomic_fetch(words + 3, 0) & bit);               \
    T before = nvshmem_##NAME##_atomic_fetch_xor(words + 2, bit, 0);       \
    (void)before;                                                          \
    nvshmem_##NAME##_atomic_fetch_and(words + 1, static_cast<T>(~bit), 0); \
    (void)n;                                                               \
  }
BIT_TYPES(BITS)

// each thread puts its number in and takes another's out: the numbers stay the same set
#define SET(NAME, T)                                                                                               \
  __global__ void NAME##_set(T* words, int* taken) {                                                               \
    if (my_number() % kAll == 0 && nvshmem_my_pe() == 0) nvshmem_##NAME##_atomic_set(words, static_cast<T>(7), 0); \
    T before = nvshmem_##NAME##_atomic_swap(words + 1, static_cast<T>(my_number() + 1), 0);                        \
    nvshmem_int_atomic_inc(taken + static_cast<int>(before), 0);                                                   \
  }
SET_TYPES(SET)
#define SWAP(NAME, T)                                                                    \
  __global__ void NAME##_cas(T* words) {                                                 \
    for (;;) { /* add one by compare and swap */                                         \
      T seen = nvshmem_##NAME##_atomic_fetch(words, 0);                                  \
      if (nvshmem_##NAME##_atomic_compare_swap(words, seen, seen + 1, 0) == seen) break; \
    }                                                                                    \
  }
SWAP_TYPES(SWAP)

template <class F>
void launch(F f) {
  nvshmem_barrier_all();
  f();
  nvshmemx_barrier_all_on_stream(0);
  CUDA(cudaDeviceSynchronize());
  int wrong;
  CUDA(cudaMemcpyFromSymbol(&wrong, g_wrong, sizeof wrong));
  if (wrong) std::printf("PE %d: the check in line %d failed in a kernel\n", nvshmem_my_pe(), wrong);
  CHECK(wrong == 0);
}
bool each_once(const std::vector<int>& taken, int count) {
  for (int i = 0; i < count; ++i)
    if (taken[i] != 1) return false;
  return true;
}

#define TEST_ADD(NAME, T)                                                             \
  {                                                                                   \
    Symmetric<T> words(3);                                                            \
    Symmetric<int> taken(2 * total);                                                  \
    launch([&] { NAME##_add<<<kBlocks, kThreads>>>(words.data(), taken.data()); });   \
    if (me == 0) {                                                                    \
      std::vector<T> w = words.read();                                                \
      CHECK(w[0] == static_cast<T>(3 * total) && w[1] == static_cast<T>(total));      \
      CHECK(w[2] == static_cast<T>(2 * total) && each_once(taken.read(), 2 * total)); \
    }                                                                                 \
  }
#define TEST_BITS(NAME, T)                                                                   \
  {                                                                                          \
    Symmetric<T> words(4);                                                                   \
    T ones = static_cast<T>((1ll << 31) - 1);                                                \
    words.write({0, ones, 0, 0});                                                            \
    launch([&] { NAME##_bits<<<kBlocks, kThreads>>>(words.data(), n); });                    \
    if (me == 0) {                                                                           \
      std::vector<T> w = words.read();                                                       \
      T set = total >= 31 ? ones : static_cast<T>((1ll << total) - 1);                       \
      CHECK(w[0] == set && w[1] == static_cast<T>(ones & ~set) && w[2] == 0 && w[3] == set); \
    }                                                                                        \
  }
#define TEST_SET(NAME, T)                                                           \
  {                                                                                 \
    Symmetric<T> words(2);                                                          \
    Symmetric<int> taken(total + 1);                                                \
    launch([&] { NAME##_set<<<kBlocks, kThreads>>>(words.data(), taken.data()); }); \
    if (me == 0) {                                                                  \
      std::vector<T> w = words.read();                                              \
      std::vector<int> t = taken.read();                                            \
      ++t[static_cast<int>(w[1])]; /* the last one in is still there */             \
      CHECK(w[0] == static_cast<T>(7) && each_once(t, total + 1));                  \
    }                                                                               \
  }
#define TEST_SWAP(NAME, T)                                            \
  {                                                                   \
    Symmetric<T> words(1);                                            \
    launch([&] { NAME##_cas<<<kBlocks, kThreads>>>(words.data()); }); \
    if (me == 0) CHECK(words.read()[0] == static_cast<T>(total));     \
  }

// ---- waits: the left neighbour changes four words, in an order that the waits see ----
#define WAITS(NAME, T)                                                                                             \
  __global__ void NAME##_waits(T* words, T* wanted, int* status, size_t* indices, int right) {                     \
    HERE(!nvshmem_##NAME##_test(words, NVSHMEM_CMP_NE, 0));                                                        \
    HERE(nvshmem_##NAME##_test_any(words, 4, nullptr, NVSHMEM_CMP_NE, 0) == SIZE_MAX);                             \
    HERE(nvshmem_##NAME##_test_some(words, 4, indices, nullptr, NVSHMEM_CMP_GT, 0) == 0);                          \
    nvshmemx_barrier_all_block();                                                                                  \
    nvshmem_##NAME##_p(words + 2, 5, right);                                                                       \
    nvshmem_##NAME##_wait_until(words + 2, NVSHMEM_CMP_EQ, 5);                                                     \
    HERE(nvshmem_##NAME##_wait_until_any(words, 4, status, NVSHMEM_CMP_GE, 5) == 2);                               \
    HERE(nvshmem_##NAME##_wait_until_some(words, 4, indices, nullptr, NVSHMEM_CMP_NE, 0) == 1 && indices[0] == 2); \
    nvshmemx_barrier_all_block();                                                                                  \
    for (int i = 0; i < 4; ++i) nvshmem_##NAME##_p(words + i, static_cast<T>(10 + i), right);                      \
    nvshmem_##NAME##_wait_until_all(words, 4, status, NVSHMEM_CMP_GT, 9);                                          \
    nvshmem_##NAME##_wait_until_all_vector(words, 4, nullptr, NVSHMEM_CMP_EQ, wanted);                             \
    HERE(nvshmem_##NAME##_test_all(words, 4, nullptr, NVSHMEM_CMP_LE, 13));                                        \
    HERE(nvshmem_##NAME##_test_all_vector(words, 4, nullptr, NVSHMEM_CMP_GE, wanted));                             \
    HERE(nvshmem_##NAME##_test_any_vector(words, 4, status, NVSHMEM_CMP_EQ, wanted) < 4);                          \
    HERE(nvshmem_##NAME##_wait_until_any_vector(words, 4, nullptr, NVSHMEM_CMP_EQ, wanted) < 4);                   \
    HERE(nvshmem_##NAME##_wait_until_some_vector(words, 4, indices, nullptr, NVSHMEM_CMP_EQ, wanted) == 4);        \
    HERE(nvshmem_##NAME##_test_some_vector(words, 4, indices, status, NVSHMEM_CMP_EQ, wanted) == 3);               \
    HERE(indices[0] == 1 && indices[2] == 3); /* element 0 is left out by its status */                            \
    HERE(nvshmem_##NAME##_test(words + 1, NVSHMEM_CMP_LT, 12));                                                    \
  }
WAIT_TYPES(WAITS)
#define TEST_WAITS(NAME, T)                                                                                        \
  {                                                                                                                \
    Symmetric<T> words(4), wanted(4);                                                                              \
    Symmetric<int> status(4);                                                                                      \
    Symmetric<size_t> indices(4);                                                                                  \
    wanted.write({10, 11, 12, 13});                                                                                \
    status.write({1, 0, 0, 0});                                                                                    \
    launch([&] { NAME##_waits<<<1, 1>>>(words.data(), wanted.data(), status.data(), indices.data(), right); });    \
    nvshmemx_##NAME##_wait_until_on_stream(words.data(), NVSHMEM_CMP_EQ, 10, 0);                                   \
    nvshmemx_##NAME##_wait_until_all_on_stream(words.data(), 4, status.data(), NVSHMEM_CMP_GE, 11, 0);             \
    nvshmemx_##NAME##_wait_until_all_vector_on_stream(words.data(), 4, nullptr, NVSHMEM_CMP_EQ, wanted.data(), 0); \
    CUDA(cudaDeviceSynchronize());                                                                                 \
  }

__global__ void signals(uint64_t* words, int right, int n) {
  nvshmemx_signal_op(words, 5, NVSHMEM_SIGNAL_SET, right);
  HERE(nvshmem_signal_wait_until(words, NVSHMEM_CMP_EQ, 5) == 5);
  nvshmemx_signal_op(words + 1, 2, NVSHMEM_SIGNAL_ADD, 0);
  if (nvshmem_my_pe() == 0) HERE(nvshmem_signal_wait_until(words + 1, NVSHMEM_CMP_GE, 2 * n) == 2 * n);
  HERE(nvshmem_signal_fetch(words) == 5);
}

int main() {
  nvshmem_init();
  CUDA(cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE)));
  int me = nvshmem_my_pe(), n = nvshmem_n_pes(), right = (me + 1) % n, total = n * kAll;
  ADD_TYPES(TEST_ADD)
  BIT_TYPES(TEST_BITS)
  SET_TYPES(TEST_SET)
  SWAP_TYPES(TEST_SWAP)
  WAIT_TYPES(TEST_WAITS) {
    Symmetric<uint64_t> words(2);
    launch([&] { signals<<<1, 1>>>(words.data(), right, n); });
  }
  if (me == 0) std::puts("ok");
  nvshmem_finalize();
}
