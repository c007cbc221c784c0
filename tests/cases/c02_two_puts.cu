// Two puts to one array (openshmem-org/tests-sos issue 22): zeros, then 1 to 10; the other PE waits for the last
// element. `right`: a fence between the puts, and a flag behind another fence.
#include <cstdio>
#include "../check/pair.hpp"

constexpr int kCount = 10;

__global__ void send(int* data, int* zeros, int* numbers, int* flag, bool repaired) {
  if (nvshmem_my_pe() != 0) return;
  nvshmem_int_put(data, zeros, kCount, 1);
  if (repaired) nvshmem_fence();
  nvshmem_int_put(data, numbers, kCount, 1);
  if (repaired) {
    nvshmem_fence();
    nvshmem_int_p(flag, 1, 1);
  }
}

__global__ void receive(int* data, int* flag, bool repaired, int* seen) {
  if (nvshmem_my_pe() != 1) return;
  if (repaired)
    nvshmem_int_wait_until(flag, NVSHMEM_CMP_EQ, 1);
  else
    nvshmem_int_wait_until(data + kCount - 1, NVSHMEM_CMP_EQ, kCount);
  for (int i = 0; i < kCount; ++i) seen[i] = data[i];
}

int main(int argc, char** argv) {
  Pair p(argc, argv);
  int *data = p.zeroed<int>(kCount), *zeros = p.zeroed<int>(kCount), *numbers = p.zeroed<int>(kCount),
      *flag = p.zeroed<int>(1), *seen;
  int values[kCount], got[kCount] = {};
  for (int i = 0; i < kCount; ++i) values[i] = i + 1;
  cudaMemcpy(numbers, values, sizeof values, cudaMemcpyHostToDevice);
  cudaMalloc(&seen, sizeof values);
  nvshmem_barrier_all();
  if (p.me == 0) send<<<1, 1>>>(data, zeros, numbers, flag, p.repaired);
  if (p.me == 1) receive<<<1, 1>>>(data, flag, p.repaired, seen);
  cudaDeviceSynchronize();
  if (p.me != 1) return 0;
  cudaMemcpy(got, seen, sizeof got, cudaMemcpyDeviceToHost);
  printf("array:");
  for (int v : got) printf(" %d", v);
  printf("\n");
}
