// Three calls of one collective on a stream, back to back, from all PEs at the same moment: their times are compared with
// `shmemu predict`. Then the same data checks itself. Arguments: collective, elements per PE.
#include "program.hpp"

int main(int argc, char** argv) {
  Pe pe = start();
  if (argc < 3) return 2;
  const char* kind = argv[1];
  const size_t count = strtoul(argv[2], nullptr, 10), all = count * pe.n;
  float *dest = symmetric<float>(all + 1), *source = symmetric<float>(all + 1);
  float* host = static_cast<float*>(malloc((all + 1) * sizeof(float)));
  for (size_t i = 0; i < all; ++i) host[i] = static_cast<float>(pe.me * 100 + i % 50);
  CUDA_CHECK(cudaMemcpy(source, host, all * sizeof(float), cudaMemcpyHostToDevice));
  cudaStream_t stream;
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  nvshmem_barrier_all();
  for (int call = 0; call < 3; ++call) {
    if (!strcmp(kind, "barrier")) nvshmemx_barrier_all_on_stream(stream);
    if (!strcmp(kind, "sync")) nvshmemx_sync_all_on_stream(stream);
    if (!strcmp(kind, "broadcast")) nvshmemx_float_broadcast_on_stream(NVSHMEM_TEAM_WORLD, dest, source, count, 0, stream);
    if (!strcmp(kind, "fcollect")) nvshmemx_float_fcollect_on_stream(NVSHMEM_TEAM_WORLD, dest, source, count, stream);
    if (!strcmp(kind, "alltoall")) nvshmemx_float_alltoall_on_stream(NVSHMEM_TEAM_WORLD, dest, source, count, stream);
    if (!strcmp(kind, "reduce")) nvshmemx_float_sum_reduce_on_stream(NVSHMEM_TEAM_WORLD, dest, source, count, stream);
    if (!strcmp(kind, "reducescatter"))
      nvshmemx_float_sum_reducescatter_on_stream(NVSHMEM_TEAM_WORLD, dest, source, count, stream);
  }
  CUDA_CHECK(cudaStreamSynchronize(stream));
  nvshmem_barrier_all();
  CUDA_CHECK(cudaMemcpy(host, dest, all * sizeof(float), cudaMemcpyDeviceToHost));
  const float n = static_cast<float>(pe.n), pairs = n * (n - 1) / 2;
  bool good = true;
  for (size_t i = 0; i < count; ++i) {
    if (!strcmp(kind, "broadcast")) good &= host[i] == static_cast<float>(i % 50);
    if (!strcmp(kind, "reduce")) good &= host[i] == 100 * pairs + n * static_cast<float>(i % 50);
    if (!strcmp(kind, "reducescatter")) good &= host[i] == 100 * pairs + n * static_cast<float>((pe.me * count + i) % 50);
    for (int from = 0; from < pe.n; ++from) {
      if (!strcmp(kind, "fcollect")) good &= host[from * count + i] == static_cast<float>(from * 100 + i % 50);
      if (!strcmp(kind, "alltoall"))
        good &= host[from * count + i] == static_cast<float>(from * 100 + (pe.me * count + i) % 50);
    }
  }
  if (!good) printf("PE %d: wrong data\n", pe.me);
  return finish("collectives_timed", good);
}
