// Kernels without communication, timed with events: what counted instructions and bytes must predict. The same source
// is built for hardware (nvcc -O3 -arch=sm_90) and emulated (shmemu cc); both print one CSV line per kernel and shape.
//
//   compute_probe [largest array in MiB = 1024] [samples = 5]
//
// Columns: kernel, blocks, threads, bytes of one array, work items per launch, median µs of a launch in a batch.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                           \
  do {                                                                                        \
    cudaError_t e = (call);                                                                   \
    if (e != cudaSuccess) fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e)), exit(1); \
  } while (0)

// ---- calibration: copy, stencil, reduction ----
template <class T>
__global__ void copy(T* to, const T* from, size_t n) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x)
    to[i] = from[i];
}

__global__ void stencil(float* to, const float* from, int rows, int columns) {
  for (int r = 1 + blockIdx.x; r < rows - 1; r += gridDim.x)
    for (int c = 1 + threadIdx.x; c < columns - 1; c += blockDim.x) {
      const int i = r * columns + c;
      to[i] = 0.25f * ((from[i - columns] + from[i + columns]) + (from[i - 1] + from[i + 1]));
    }
}

__global__ void reduce(float* sums, const float* from, size_t n) {
  __shared__ float part[32];
  float sum = 0;
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x)
    sum += from[i];
  for (int d = 16; d; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0;
    for (int d = 16; d; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
  }
}

// ---- judged, never fitted ----
__global__ void axpy(float* y, const float* x, float a, size_t n) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x)
    y[i] += a * x[i];
}

__global__ void polynomial(float* y, const float* x, size_t n,
                           int degree) {  // `degree` dependent multiply-adds per item
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x) {
    float v = x[i], r = 1.0f;
    for (int k = 0; k < degree; ++k) r = r * v + 0.5f;
    y[i] = r;
  }
}

__global__ void divide(uint64_t* y, const uint64_t* x, size_t n, uint64_t by) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x)
    y[i] = x[i] / by + x[i] % by;
}

__global__ void transpose(float* to, const float* from, int n) {
  __shared__ float tile[32][33];
  for (int t = blockIdx.x; t < (n / 32) * (n / 32); t += gridDim.x) {
    const int by = t / (n / 32) * 32, bx = t % (n / 32) * 32;
    for (int r = threadIdx.y; r < 32; r += blockDim.y)
      tile[r][threadIdx.x] = from[size_t(by + r) * n + bx + threadIdx.x];
    __syncthreads();
    for (int r = threadIdx.y; r < 32; r += blockDim.y) to[size_t(bx + r) * n + by + threadIdx.x] = tile[threadIdx.x][r];
    __syncthreads();
  }
}

__global__ void histogram(unsigned* bins, const unsigned* x, size_t n) {
  __shared__ unsigned local[256];
  for (int b = threadIdx.x; b < 256; b += blockDim.x) local[b] = 0;
  __syncthreads();
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x)
    atomicAdd(&local[x[i] % 256], 1u);
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x) atomicAdd(&bins[b], local[b]);
}

__global__ void multiply(float* c, const float* a, const float* b, int n) {  // 16 x 16 tiles in shared memory
  __shared__ float as[16][16], bs[16][16];
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    as[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

static cudaStream_t stream;
static cudaEvent_t begin, end;
static int samples = 5;

template <class F>
void row(const char* name, int blocks, int threads, size_t bytes, size_t items, F&& launch) {
  const int batch = 10;
  std::vector<float> us;
  for (int sample = 0; sample <= samples; ++sample) {  // the first one warms up
    CHECK(cudaEventRecord(begin, stream));
    for (int i = 0; i < batch; ++i) launch();
    CHECK(cudaEventRecord(end, stream));
    CHECK(cudaEventSynchronize(end));
    float ms;
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    if (sample) us.push_back(ms * 1e3f / batch);
  }
  CHECK(cudaGetLastError());
  std::sort(us.begin(), us.end());
  printf("%s,%d,%d,%zu,%zu,%.3f\n", name, blocks, threads, bytes, items, us[us.size() / 2]);
  fflush(stdout);
}

int main(int argc, char** argv) {
  const size_t largest = size_t(argc > 1 ? atoi(argv[1]) : 1024) << 20;
  if (argc > 2) samples = atoi(argv[2]);
  void *a, *b, *c;
  CHECK(cudaMalloc(&a, largest));
  CHECK(cudaMalloc(&b, largest));
  CHECK(cudaMalloc(&c, 64 << 20));
  CHECK(cudaMemset(a, 1, largest));
  CHECK(cudaMemset(b, 1, largest));
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  float *fa = (float*)a, *fb = (float*)b, *fc = (float*)c;
  printf("kernel,blocks,threads,bytes,items,us\n");
  row("empty", 1, 32, 0, 0, [&] { copy<float><<<1, 32, 0, stream>>>(fa, fb, 0); });
  struct Shape {
    int blocks, threads;
  };
  for (size_t bytes : {size_t(64) << 10, size_t(1) << 20, size_t(16) << 20, size_t(256) << 20, size_t(1) << 30}) {
    if (bytes > largest) continue;
    for (Shape s : {Shape{1, 32}, Shape{1, 256}, Shape{1, 1024}, Shape{8, 256}, Shape{132, 256}, Shape{132, 1024},
                    Shape{1056, 256}}) {
      // keep one launch below about 10 ms
      if (bytes / (size_t(s.blocks) * s.threads) > (64 << 10)) continue;
      const size_t n = bytes / 4;
      const int columns = 1024, rows = int(n / columns);
      row("copy4", s.blocks, s.threads, bytes, n, [&] { copy<float><<<s.blocks, s.threads, 0, stream>>>(fa, fb, n); });
      row("copy16", s.blocks, s.threads, bytes, n / 4,
          [&] { copy<float4><<<s.blocks, s.threads, 0, stream>>>((float4*)a, (float4*)b, n / 4); });
      if (rows > 2)
        row("stencil", s.blocks, s.threads, bytes, n,
            [&] { stencil<<<s.blocks, s.threads, 0, stream>>>(fa, fb, rows, columns); });
      row("reduce", s.blocks, s.threads, bytes, n, [&] { reduce<<<s.blocks, s.threads, 0, stream>>>(fc, fa, n); });
      row("axpy", s.blocks, s.threads, bytes, n, [&] { axpy<<<s.blocks, s.threads, 0, stream>>>(fa, fb, 0.0f, n); });
      row("polynomial64", s.blocks, s.threads, bytes, n,
          [&] { polynomial<<<s.blocks, s.threads, 0, stream>>>(fa, fb, n, 64); });
      row("divide", s.blocks, s.threads, bytes, n / 2,
          [&] { divide<<<s.blocks, s.threads, 0, stream>>>((uint64_t*)a, (uint64_t*)b, n / 2, 7); });
      row("histogram", s.blocks, s.threads, bytes, n,
          [&] { histogram<<<s.blocks, s.threads, 0, stream>>>((unsigned*)c, (unsigned*)b, n); });
    }
  }
  for (int n : {128, 1024, 4096})
    for (int blocks : {1, 132, 1056}) {
      if (blocks == 1 && n > 1024) continue;
      if (size_t(n) * n * 4 > largest) continue;
      row("transpose", blocks, 256, size_t(n) * n * 4, size_t(n) * n,
          [&] { transpose<<<blocks, dim3(32, 8), 0, stream>>>(fa, fb, n); });
    }
  for (int n : {128, 256, 512, 1024})
    row("multiply", (n / 16) * (n / 16), 256, size_t(n) * n * 4, size_t(n) * n,
        [&] { multiply<<<dim3(n / 16, n / 16), dim3(16, 16), 0, stream>>>(fc, fa, fb, n); });
  return 0;
}
