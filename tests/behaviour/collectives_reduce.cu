// reduce and reducescatter: every type and operation, by thread, warp and block, from the host and on a stream, in
// place and out of place, on the world and on every other PE. The reference combines in rank order; floating values are
// such that sums and products are exact in every order, since the algorithms associate differently.
#include "check.hpp"

constexpr int kN = 3, kMostPes = 64;
enum How { kThread, kWarp, kBlock, kHost, kStream, kHows };
enum Op { kSum, kProd, kMin, kMax, kAnd, kOr, kXor, kOps };
char* g_space;  // symmetric: an array of kN elements and one of kMostPes * kN

template <class T>
__host__ __device__ T word(int pe, int i) {
  if constexpr (!std::is_integral_v<T>)
    return static_cast<T>(static_cast<float>((1 << (pe + i) % 3) * (pe == 1 ? 3 : 1)));
  return static_cast<T>(static_cast<float>(1 + (pe + i) % 3 + 4 * (pe % 2)));
}

template <class T>
T combine(int op, T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    U x = static_cast<U>(a), y = static_cast<U>(b);
    switch (op) {
      case kSum:
        return static_cast<T>(x + y);
      case kProd:
        return static_cast<T>(static_cast<unsigned long long>(x) * y);
      case kAnd:
        return static_cast<T>(x & y);
      case kOr:
        return static_cast<T>(x | y);
      case kXor:
        return static_cast<T>(x ^ y);
      default:
        return op == kMin ? (b < a ? b : a) : (a < b ? b : a);
    }
  } else if constexpr (std::is_same_v<T, double>) {
    return op == kSum ? a + b : op == kProd ? a * b : op == kMin ? (b < a ? b : a) : (a < b ? b : a);
  } else {
    float x = static_cast<float>(a), y = static_cast<float>(b);
    return static_cast<T>(op == kSum ? x + y : op == kProd ? x * y : op == kMin ? (y < x ? y : x) : (x < y ? y : x));
  }
}

#define CALLS(PREFIX, NAME, WORD, SUFFIX, ...)                                                      \
  scatter ? PREFIX##_##NAME##_##WORD##_reducescatter##SUFFIX(team, dest, source, kN, ##__VA_ARGS__) \
          : PREFIX##_##NAME##_##WORD##_reduce##SUFFIX(team, dest, source, kN, ##__VA_ARGS__)
#define DEFINE(NAME, T, WORD)                                                                                    \
  __global__ void NAME##_##WORD##_kernel(int how, bool scatter, nvshmem_team_t team, T* dest, const T* source) { \
    if (how == kThread && threadIdx.x == 0) CALLS(nvshmem, NAME, WORD, );                                        \
    if (how == kWarp && threadIdx.x < 32) CALLS(nvshmemx, NAME, WORD, _warp);                                    \
    if (how == kBlock) CALLS(nvshmemx, NAME, WORD, _block);                                                      \
  }                                                                                                              \
  void NAME##_##WORD(int how, int threads, bool scatter, nvshmem_team_t team, T* dest, const T* source) {        \
    int error = 0;                                                                                               \
    if (how < kHost) NAME##_##WORD##_kernel<<<1, threads>>>(how, scatter, team, dest, source);                   \
    if (how == kHost) error = CALLS(nvshmem, NAME, WORD, );                                                      \
    if (how == kStream) error = CALLS(nvshmemx, NAME, WORD, _on_stream, 0);                                      \
    CHECK(error == 0);                                                                                           \
    CUDA(cudaDeviceSynchronize());                                                                               \
  }
#define ARITHMETIC(NAME, T) DEFINE(NAME, T, sum) DEFINE(NAME, T, prod) DEFINE(NAME, T, min) DEFINE(NAME, T, max)
#define BITWISE(NAME, T) DEFINE(NAME, T, and) DEFINE(NAME, T, or) DEFINE(NAME, T, xor)
ARITHMETIC_TYPES(ARITHMETIC)
BITWISE_TYPES(BITWISE)

template <class T>
void test(const char* name, int op, nvshmem_team_t team, int stride,
          void (*call)(int, int, bool, nvshmem_team_t, T*, const T*)) {
  int me = nvshmem_my_pe(), mine = nvshmem_team_my_pe(team), size = nvshmem_team_n_pes(team);
  T* dest = reinterpret_cast<T*>(g_space);
  T* source = dest + kN;
  std::vector<T> words(kN * size);
  for (int i = 0; i < kN * size; ++i) words[i] = word<T>(me, i);
  auto expected = [&](int i) {
    T total = word<T>(0, i);
    for (int p = 1; p < size; ++p) total = combine(op, total, word<T>(p * stride, i));
    return total;
  };
  auto run = [&](int how, int threads, bool scatter, bool in_place) {
    CUDA(cudaMemcpy(source, words.data(), words.size() * sizeof(T), cudaMemcpyHostToDevice));
    CUDA(cudaMemset(dest, 0, kN * sizeof(T)));
    CUDA(cudaDeviceSynchronize());
    nvshmem_barrier(team);
    T* result = in_place ? source : dest;  // of a scatter: its first elements
    call(how, threads, scatter, team, result, source);
    T found[kN];
    CUDA(cudaMemcpy(found, result, sizeof found, cudaMemcpyDeviceToHost));
    for (int i = 0; i < kN; ++i) {
      if (same(found[i], expected(scatter ? mine * kN + i : i))) continue;
      std::printf("PE %d: %s operation %d%s, way %d, %d threads, %s place: element %d of %d PEs is wrong\n", me, name,
                  op, scatter ? " scattered" : "", how, threads, in_place ? "in" : "out of", i, size);
      std::exit(1);
    }
    nvshmem_barrier(team);
  };
  for (int how = 0; how < kHows; ++how) {
    run(how, 64, false, false);
    run(how, 64, false, true);
    run(how, 64, true, op % 2);
    if (how < kHost) run(how, 1, (how + op) % 2, op / 2 % 2);  // fewer threads than the scope's name says
  }
}

// Values whose sums and products are not exact: every combination rounds to nearest once, so the result of `size - 1`
// of them lies within as many roundings of the exact one, whatever the order.
template <class T>
void test_rounding(const char* name, double unit, int op, nvshmem_team_t team, int stride,
                   void (*call)(int, int, bool, nvshmem_team_t, T*, const T*)) {
  int me = nvshmem_my_pe(), mine = nvshmem_team_my_pe(team), size = nvshmem_team_n_pes(team);
  T* dest = reinterpret_cast<T*>(g_space);
  T* source = dest + kN;
  auto inexact = [](int pe, int i) {
    return static_cast<T>(0.75f + static_cast<float>((pe * 37 + i * 11) % 97) / 193);
  };
  std::vector<T> words(kN * size);
  for (int i = 0; i < kN * size; ++i) words[i] = inexact(me, i);
  CUDA(cudaMemcpy(source, words.data(), words.size() * sizeof(T), cudaMemcpyHostToDevice));
  CUDA(cudaDeviceSynchronize());
  for (int how = 0; how < kHows; ++how)
    for (bool scatter : {false, true}) {
      nvshmem_barrier(team);
      call(how, 64, scatter, team, dest, source);
      T found[kN];
      CUDA(cudaMemcpy(found, dest, sizeof found, cudaMemcpyDeviceToHost));
      for (int i = 0; i < kN; ++i) {
        long double exact = op == kSum ? 0 : 1;
        for (int p = 0; p < size; ++p) {
          long double v = static_cast<double>(inexact(p * stride, scatter ? mine * kN + i : i));
          exact = op == kSum ? exact + v : exact * v;
        }
        long double off = static_cast<long double>(static_cast<double>(found[i])) - exact;
        if ((off < 0 ? -off : off) <= exact * unit * (size - 1) * 1.01L) continue;
        std::printf("PE %d: %s operation %d%s, way %d: element %d of %d PEs is %.17g instead of %.17g\n", me, name, op,
                    scatter ? " scattered" : "", how, i, size, static_cast<double>(found[i]),
                    static_cast<double>(exact));
        std::exit(1);
      }
    }
  nvshmem_barrier(team);
}

__global__ void maxloc(nvshmem_team_t team, double2* dest, const double2* source) {
  nvshmemx_double2_maxloc_reduce_block(team, dest, source, 1);
}

void test_maxloc(nvshmem_team_t team, int stride) {
  int me = nvshmem_my_pe(), size = nvshmem_team_n_pes(team);
  auto* dest = reinterpret_cast<double2*>(g_space);
  double2* source = dest + 1;
  auto at = [&](int p) { return double2{static_cast<double>((p * 5) % 7), static_cast<double>(p)}; };
  double2 mine = at(me), found, best = at(0);
  for (int p = 1; p < size; ++p)
    if (double2 other = at(p * stride); other.x > best.x) best = other;
  CUDA(cudaMemcpy(source, &mine, sizeof mine, cudaMemcpyHostToDevice));
  nvshmem_barrier(team);
  for (int threads : {1, 64}) {
    maxloc<<<1, threads>>>(team, dest, source);
    CUDA(cudaMemcpy(&found, dest, sizeof found, cudaMemcpyDeviceToHost));
    CHECK(found.x == best.x && found.y == best.y);
    nvshmem_barrier(team);
  }
}

void test_team(nvshmem_team_t team, int stride) {
#define RUN_ARITHMETIC(NAME, T)                     \
  test<T>(#NAME, kSum, team, stride, NAME##_sum);   \
  test<T>(#NAME, kProd, team, stride, NAME##_prod); \
  test<T>(#NAME, kMin, team, stride, NAME##_min);   \
  test<T>(#NAME, kMax, team, stride, NAME##_max);
  ARITHMETIC_TYPES(RUN_ARITHMETIC)
#define RUN_BITWISE(NAME, T)                      \
  test<T>(#NAME, kAnd, team, stride, NAME##_and); \
  test<T>(#NAME, kOr, team, stride, NAME##_or);   \
  test<T>(#NAME, kXor, team, stride, NAME##_xor);
  BITWISE_TYPES(RUN_BITWISE)
#define RUN_ROUNDING(NAME, T, UNIT)                              \
  test_rounding<T>(#NAME, UNIT, kSum, team, stride, NAME##_sum); \
  test_rounding<T>(#NAME, UNIT, kProd, team, stride, NAME##_prod);
  RUN_ROUNDING(half, half, 0x1p-11)
  RUN_ROUNDING(bfloat16, __nv_bfloat16, 0x1p-8)
  RUN_ROUNDING(float, float, 0x1p-24)
  RUN_ROUNDING(double, double, 0x1p-53)
  test_maxloc(team, stride);
}

int main() {
  nvshmem_init();
  CUDA(cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE)));
  CHECK(nvshmem_n_pes() <= kMostPes);
  g_space = static_cast<char*>(nvshmem_malloc((kMostPes + 1) * kN * sizeof(double)));
  test_team(NVSHMEM_TEAM_WORLD, 1);
  nvshmem_team_t even;
  nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, 0, 2, (nvshmem_n_pes() + 1) / 2, nullptr, 0, &even);
  if (even != NVSHMEM_TEAM_INVALID) test_team(even, 2);
  nvshmem_barrier_all();
  nvshmem_free(g_space);
  if (nvshmem_my_pe() == 0) std::puts("ok");
  nvshmem_finalize();
}
