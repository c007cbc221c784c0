// Wrong: the reduction says how many entries there are, not that they have arrived.
#include "course.hpp"

constexpr int kVertices = 240, kDegree = 3, kMaxDepth = 32;
constexpr int kQueue = kVertices * kDegree;  // room for every edge

__device__ int neighbour(int v, int k) { return k == 0 ? (v + 1) % kVertices : (v * (k + 1) + 17 * k) % kVertices; }

// Takes the vertices of `depth` from `queue`; sends their neighbours to the owners' `next`. count[d]: entries of depth d.
__global__ void expand(int* queue, int* next, int* count, int* depth_of, int depth, int n) {
  for (int i = threadIdx.x; i < count[depth]; i += blockDim.x) {
    const int v = queue[i];
    if (atomicCAS(&depth_of[v / n], -1, depth) != -1) continue;  // seen before
    for (int k = 0; k < kDegree; ++k) {
      const int to = neighbour(v, k), owner = to % n;
      const int slot = nvshmem_int_atomic_fetch_inc(count + depth + 1, owner);  // ours alone
      nvshmem_int_p(next + slot, to, owner);
    }
  }
}

__global__ void begin(int* queue, int* count, int* depth_of, int me, int n) {
  if (threadIdx.x < (kVertices + n - 1) / n) depth_of[threadIdx.x] = -1;
  if (me == 0 && threadIdx.x == 0) queue[0] = 0, count[0] = 1;
}

__global__ void add(const int* depth_of, int me, int n, int* out) {
  for (int v = me; v < kVertices; v += n)
    if (depth_of[v / n] >= 0) out[0] += 1, out[1] += depth_of[v / n];
}

int main() {
  Course c;
  int *queue = c.symmetric<int>(kQueue), *next = c.symmetric<int>(kQueue), *count = c.symmetric<int>(kMaxDepth + 1);
  int *total = c.symmetric<int>(1), *depth_of = c.local<int>(kVertices), *out = c.local<int>(2);
  begin<<<1, kVertices>>>(queue, count, depth_of, c.me, c.n);
  int depth = 0;
  for (int left = 1; left > 0 && depth < kMaxDepth; ++depth) {
    launch(expand, 1, 64, depth % 2 ? next : queue, depth % 2 ? queue : next, count, depth_of, depth, c.n);
    CUDA_CHECK(cudaDeviceSynchronize());
    nvshmem_sync_all();
    nvshmem_int_sum_reduce(NVSHMEM_TEAM_WORLD, total, count + depth + 1, 1);
    left = value(total);  // of all PEs: an empty queue here says nothing about the others
  }
  add<<<1, 1>>>(depth_of, c.me, c.n, out);
  printf("PE %d: %d vertices, sum of depths %d, %d rounds\n", c.me, value(out), value(out + 1), depth);
}
