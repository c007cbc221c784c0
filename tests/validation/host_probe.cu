// What CUDA calls cost the host, and what commands of a stream cost the GPU when the host is far ahead: one row
// `what,us` per measurement, the median of many. On one GPU, without NVSHMEM:
//
//   nvcc -O3 -std=c++17 -arch=sm_90 host_probe.cu -o host_probe && ./host_probe
//
// Under emulation: shmemu run -q -n 1 ./host_probe
//
// Rows host_*: time of the call by the host's clock, streams idle. Rows gpu_*: time between two events of a stream
// whose commands were all enqueued while a kernel held it up.
#include <cuda_runtime.h>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>
#include "cuda_check.hpp"
#ifdef __SHMEMU__
#include <nvshmem.h>
#endif

namespace {

#ifdef __SHMEMU__
constexpr int kRepetitions = 5;
#else
constexpr int kRepetitions = 200;
#endif

__global__ void empty() {}
__global__ void hold(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

double now() {
  using namespace std::chrono;
  return duration<double, std::micro>(steady_clock::now().time_since_epoch()).count();
}

cudaStream_t stream, other;
cudaEvent_t begin_event, end_event, go, done;  // the last two without timing
char *device, *pinned, *pageable;

void row(const char* what, double us) {
  printf("%s,%.3f\n", what, us);
  fflush(stdout);
}

void host(const char* what, const std::function<void()>& call) {
  std::vector<double> times;
  for (int i = 0; i < kRepetitions; ++i) {
    CUDA_CHECK(cudaDeviceSynchronize());
    const double begin = now();
    call();
    times.push_back(now() - begin);
  }
  CUDA_CHECK(cudaDeviceSynchronize());
  row(what, median(times));
}

// `times` calls in a row, the time of one.
void host_rate(const char* what, int times, const std::function<void()>& call) {
  std::vector<double> all;
  for (int i = 0; i < kRepetitions; ++i) {
    CUDA_CHECK(cudaDeviceSynchronize());
    const double begin = now();
    for (int k = 0; k < times; ++k) call();
    all.push_back((now() - begin) / times);
  }
  CUDA_CHECK(cudaDeviceSynchronize());
  row(what, median(all));
}

void gpu(const char* what, const std::function<void()>& commands, int divide = 1, bool held = true) {
  std::vector<double> times;
  for (int i = 0; i < kRepetitions; ++i) {
    CUDA_CHECK(cudaDeviceSynchronize());
    if (held) hold<<<1, 1, 0, stream>>>(600000);
    CUDA_CHECK(cudaEventRecord(begin_event, stream));
    commands();
    CUDA_CHECK(cudaEventRecord(end_event, stream));
    CUDA_CHECK(cudaEventSynchronize(end_event));
    float ms;
    CUDA_CHECK(cudaEventElapsedTime(&ms, begin_event, end_event));
    times.push_back(ms * 1000 / divide);
  }
  row(what, median(times));
}

void launch() { empty<<<1, 32, 0, stream>>>(); }
void launch_grid() { empty<<<132, 256, 0, stream>>>(); }
void launch_cooperative(cudaStream_t s) {
  CUDA_CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(empty), dim3(1), dim3(32), nullptr, 0, s));
}
// What a collective launch of NVSHMEM does: a cooperative launch in a stream of its own, joined by events.
void launch_collective() {
  CUDA_CHECK(cudaEventRecord(go, stream));
  CUDA_CHECK(cudaStreamWaitEvent(other, go, 0));
  launch_cooperative(other);
  CUDA_CHECK(cudaEventRecord(done, other));
  CUDA_CHECK(cudaStreamWaitEvent(stream, done, 0));
}
void copy_in(size_t n, const char* from) {
  CUDA_CHECK(cudaMemcpyAsync(device, from, n, cudaMemcpyHostToDevice, stream));
}
void copy_out(size_t n, char* to) { CUDA_CHECK(cudaMemcpyAsync(to, device, n, cudaMemcpyDeviceToHost, stream)); }
void copy_within(size_t n) {
  CUDA_CHECK(cudaMemcpyAsync(device + (64 << 20), device, n, cudaMemcpyDeviceToDevice, stream));
}
void synchronise() { CUDA_CHECK(cudaStreamSynchronize(stream)); }

void all_rows() {
  for (int i = 0; i < 3; ++i) launch(), launch_grid(), launch_collective(), copy_in(64, pinned), copy_within(64);
  host("host_launch", launch);
  host_rate("host_launch_rate_20", 20, launch);
  host_rate("host_launch_rate_500", 500, launch);
  host("host_launch_cooperative", [] { launch_cooperative(stream); });
  host("host_launch_collective", launch_collective);
  host_rate("host_launch_collective_rate_20", 20, launch_collective);
  host_rate("host_launch_collective_rate_500", 500, launch_collective);
  host("host_event_record", [] { CUDA_CHECK(cudaEventRecord(begin_event, stream)); });
  host("host_stream_wait_event", [] { CUDA_CHECK(cudaStreamWaitEvent(stream, done, 0)); });
  host("host_synchronise_idle", synchronise);
  host("host_event_query", [] { CUDA_CHECK(cudaEventQuery(done)); });
  host("host_get_device", [] {
    int d;
    CUDA_CHECK(cudaGetDevice(&d));
  });
  host("host_launch_synchronise", [] { launch(), synchronise(); });
  host("host_memset_64", [] { CUDA_CHECK(cudaMemsetAsync(device, 0, 64, stream)); });
  host("host_malloc_free_1MiB", [] {
    void* p;
    CUDA_CHECK(cudaMalloc(&p, 1 << 20));
    CUDA_CHECK(cudaFree(p));
  });
  for (size_t n : {size_t{64}, size_t{4096}, size_t{65536}, size_t{1} << 20, size_t{16} << 20}) {
    char what[80];
    auto with = [&](const char* kind) { return snprintf(what, sizeof what, "%s_%zu", kind, n), what; };
    host(with("host_copy_in_pinned_enqueue"), [&] { copy_in(n, pinned); });
    host(with("host_copy_in_pageable_enqueue"), [&] { copy_in(n, pageable); });
    host(with("host_copy_in_pinned_synchronise"), [&] { copy_in(n, pinned), synchronise(); });
    host(with("host_copy_in_pageable_synchronise"), [&] { copy_in(n, pageable), synchronise(); });
    host(with("host_copy_out_pinned_synchronise"), [&] { copy_out(n, pinned), synchronise(); });
    host(with("host_copy_out_pageable_synchronise"), [&] { copy_out(n, pageable), synchronise(); });
    host(with("host_memcpy_in_pageable"), [&] { CUDA_CHECK(cudaMemcpy(device, pageable, n, cudaMemcpyHostToDevice)); });
    host(with("host_memcpy_out_pageable"),
         [&] { CUDA_CHECK(cudaMemcpy(pageable, device, n, cudaMemcpyDeviceToHost)); });
    gpu(with("gpu_copy_in_pinned"), [&] { copy_in(n, pinned); });
    gpu(with("gpu_copy_out_pinned"), [&] { copy_out(n, pinned); });
    gpu(with("gpu_copy_within"), [&] { copy_within(n); });
    gpu(with("gpu_memset"), [&] { CUDA_CHECK(cudaMemsetAsync(device, 0, n, stream)); });
  }
  gpu("gpu_events", [] {});
  gpu("gpu_kernel", launch);
  gpu("gpu_kernel_132x256", launch_grid);
  gpu("gpu_kernel_cooperative", [] { launch_cooperative(stream); });
  gpu("gpu_kernel_collective", launch_collective);
  gpu("gpu_kernels_2", [] { launch(), launch(); });
  gpu(
      "gpu_kernels_20_each",
      [] {
        for (int i = 0; i < 20; ++i) launch();
      },
      20);
  gpu(
      "gpu_kernels_20_cooperative_each",
      [] {
        for (int i = 0; i < 20; ++i) launch_cooperative(stream);
      },
      20);
  gpu(
      "gpu_kernels_20_collective_each",
      [] {
        for (int i = 0; i < 20; ++i) launch_collective();
      },
      20);
  gpu(
      "gpu_kernels_20_with_events_each",
      [] {
        for (int i = 0; i < 20; ++i) {
          launch();
          CUDA_CHECK(cudaEventRecord(done, stream));
        }
      },
      20);
  // what benchmarks do: the host is not ahead
  gpu(
      "gpu_events_fresh", [] {}, 1, false);
  gpu("gpu_kernel_fresh", launch, 1, false);
  gpu(
      "gpu_kernel_cooperative_fresh", [] { launch_cooperative(stream); }, 1, false);
  gpu("gpu_kernel_collective_fresh", launch_collective, 1, false);
  gpu(
      "gpu_kernels_20_fresh_each",
      [] {
        for (int i = 0; i < 20; ++i) launch();
      },
      20, false);
  gpu(
      "gpu_kernels_500_fresh_each",
      [] {
        for (int i = 0; i < 500; ++i) launch();
      },
      500, false);
  gpu(
      "gpu_kernels_20_collective_fresh_each",
      [] {
        for (int i = 0; i < 20; ++i) launch_collective();
      },
      20, false);
}

}  // namespace

int main() {
#ifdef __SHMEMU__
  nvshmem_init();
#endif
  CUDA_CHECK(cudaSetDevice(0));
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  CUDA_CHECK(cudaEventCreate(&begin_event));
  CUDA_CHECK(cudaEventCreate(&end_event));
  CUDA_CHECK(cudaEventCreateWithFlags(&go, cudaEventDisableTiming));
  CUDA_CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
  CUDA_CHECK(cudaMalloc(&device, 128 << 20));
  CUDA_CHECK(cudaMallocHost(&pinned, 64 << 20));
  pageable = static_cast<char*>(calloc(64 << 20, 1));
  for (size_t i = 0; i < (64u << 20); i += 4096) pageable[i] = 1;
  printf("what,us\n");
  all_rows();
#ifdef __SHMEMU__
  nvshmem_finalize();
#endif
  return 0;
}
