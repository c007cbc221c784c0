// jacobi: heat spreads over a 2-D plate whose rows are distributed over the PEs.
//
//   shmemu run -n 4 ./jacobi [columns = 64] [rows per PE = 16, at least 2] [steps = 20, at least 2]
//
// Each step replaces an inner point by the mean of its four neighbours, from one buffer into the other. Border rows of
// a PE are needed by the PEs above and below: block 0 computes the top row and sends it, block 1 the bottom row, the
// other blocks do the inside meanwhile. Row and signal travel as one put_signal. Any number of PEs. Prints the time of
// a step, the first one left out.
#include <cuda_runtime.h>
#include <nvshmem.h>
#include <nvshmemx.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#define CUDA_CHECK(call)                                                         \
  do {                                                                           \
    cudaError_t e = (call);                                                      \
    if (e != cudaSuccess) {                                                      \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); \
      nvshmem_global_exit(1);                                                    \
    }                                                                            \
  } while (0)

__device__ void update_row(float* to, const float* from, int row, int columns) {
  for (int c = 1 + threadIdx.x; c < columns - 1; c += blockDim.x) {
    const int i = row * columns + c;
    to[i] = 0.25f * ((from[i - columns] + from[i + columns]) + (from[i - 1] + from[i + 1]));
  }
}

// Rows 0 and rows + 1 are halos: copies of the neighbours' border rows. signal[0]: the halo above has the rows of step
// `step` - 1; signal[1]: the halo below. A neighbour can be one step ahead, never two (it needs our row), so two
// buffers are enough and no barrier is needed.
__global__ void jacobi_step(float* to, float* from, int rows, int columns, uint64_t* signal, uint64_t step, int up,
                            int down) {
  if (blockIdx.x == 0) {
    if (up >= 0 && threadIdx.x == 0) nvshmem_signal_wait_until(signal + 0, NVSHMEM_CMP_GE, step - 1);
    __syncthreads();
    update_row(to, from, 1, columns);
    __syncthreads();
    if (up >= 0)  // our first row becomes the halo below of the PE above
      nvshmemx_float_put_signal_block(to + (rows + 1) * columns, to + columns, columns, signal + 1, step,
                                      NVSHMEM_SIGNAL_SET, up);
  } else if (blockIdx.x == 1) {
    if (down >= 0 && threadIdx.x == 0) nvshmem_signal_wait_until(signal + 1, NVSHMEM_CMP_GE, step - 1);
    __syncthreads();
    update_row(to, from, rows, columns);
    __syncthreads();
    if (down >= 0)
      nvshmemx_float_put_signal_block(to, to + rows * columns, columns, signal + 0, step, NVSHMEM_SIGNAL_SET, down);
  } else {
    for (int row = blockIdx.x; row < rows; row += gridDim.x - 2) update_row(to, from, row, columns);
  }
  // put_signal orders its signal after its own data and after nothing else: without this, the signal of the next step
  // could overtake this one, and the older value would then stay.
  if (threadIdx.x == 0) nvshmem_quiet();
}

float initial(int row) { return row == 0 ? 100.0f : 0.0f; }  // the upper edge is hot, the other edges are cold

int main(int argc, char** argv) {
  int columns = argc > 1 ? atoi(argv[1]) : 64, rows = argc > 2 ? atoi(argv[2]) : 16;
  const int steps = argc > 3 ? atoi(argv[3]) : 20;
  if (rows < 2 || columns < 3 || steps < 2)
    return fprintf(stderr, "jacobi: at least 2 rows per PE, 3 columns and 2 steps\n"), 2;
  nvshmem_init();
  CUDA_CHECK(cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE)));
  const int me = nvshmem_my_pe(), n = nvshmem_n_pes(), all_rows = n * rows + 2;
  int up = me > 0 ? me - 1 : -1, down = me < n - 1 ? me + 1 : -1;

  const size_t cells = static_cast<size_t>(rows + 2) * columns;
  float* a = static_cast<float*>(nvshmem_malloc(cells * sizeof(float)));
  float* b = static_cast<float*>(nvshmem_malloc(cells * sizeof(float)));
  uint64_t* signal = static_cast<uint64_t*>(nvshmem_calloc(2, sizeof(uint64_t)));
  std::vector<float> host(cells);
  for (size_t i = 0; i < cells; ++i) host[i] = initial(me * rows + static_cast<int>(i / columns));
  CUDA_CHECK(cudaMemcpy(a, host.data(), cells * sizeof(float), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(b, host.data(), cells * sizeof(float), cudaMemcpyHostToDevice));
  nvshmem_barrier_all();  // a neighbour's first row must not arrive before our initial values

  cudaStream_t stream;
  CUDA_CHECK(cudaStreamCreate(&stream));
  cudaEvent_t begin_event, end_event;
  CUDA_CHECK(cudaEventCreate(&begin_event));
  CUDA_CHECK(cudaEventCreate(&end_event));
  for (uint64_t step = 1; step <= static_cast<uint64_t>(steps); ++step) {
    void* args[] = {&b, &a, &rows, &columns, &signal, &step, &up, &down};
    if (nvshmemx_collective_launch(reinterpret_cast<const void*>(jacobi_step), dim3(4), dim3(64), args, 0, stream))
      return fprintf(stderr, "PE %d: collective launch failed\n", me), nvshmem_global_exit(1), 1;
    if (step == 1) CUDA_CHECK(cudaEventRecord(begin_event, stream));
    std::swap(a, b);
  }
  CUDA_CHECK(cudaEventRecord(end_event, stream));
  // without the halos: a neighbour may still be sending
  CUDA_CHECK(cudaMemcpyAsync(host.data() + columns, a + columns, (cells - 2 * columns) * sizeof(float),
                             cudaMemcpyDeviceToHost, stream));
  CUDA_CHECK(cudaStreamSynchronize(stream));
  float ms = 0;
  CUDA_CHECK(cudaEventElapsedTime(&ms, begin_event, end_event));

  // The same on the CPU. A wrong edge reaches one row further per step, so a window of `steps` more rows is exact
  // inside.
  const int begin = std::max(0, me * rows - steps), end = std::min(all_rows, (me + 1) * rows + 2 + steps);
  std::vector<float> x(static_cast<size_t>(end - begin) * columns), y;
  for (int r = begin; r < end; ++r)
    for (int c = 0; c < columns; ++c) x[(r - begin) * columns + c] = initial(r);
  for (int step = 0; step < steps; ++step) {
    y = x;
    for (int r = 1; r < end - begin - 1; ++r)
      for (int c = 1; c < columns - 1; ++c) {
        const int i = r * columns + c;
        y[i] = 0.25f * ((x[i - columns] + x[i + columns]) + (x[i - 1] + x[i + 1]));
      }
    x.swap(y);
  }
  int bad = 0;
  for (int r = 1; r <= rows; ++r)
    for (int c = 0; c < columns; ++c) {
      const float expect = x[(me * rows + r - begin) * columns + c], is = host[r * columns + c];
      if (std::fabs(is - expect) > 1e-4f && bad++ == 0)
        fprintf(stderr, "PE %d: row %d, column %d is %g, expected %g\n", me, me * rows + r, c, is, expect);
    }
  if (bad == 0 && me == 0)
    printf("jacobi ok: %d PEs, plate %d x %d, %d steps, %.3f us each\n", n, n * rows, columns, steps,
           ms * 1000 / (steps - 1));
  nvshmem_barrier_all();
  nvshmem_finalize();
  return bad == 0 ? 0 : 1;
}
