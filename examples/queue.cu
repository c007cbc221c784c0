// queue: all PEs produce items, PE 0 consumes them from a bounded queue in its own memory.
//
//   shmemu run -n 4 ./queue [items per PE = 16] [slots = 8] [rounds = 2]
//
// A producer takes a ticket with a fetching atomic (a number nobody else gets), waits until the ticket's slot is free,
// writes the item and then raises the slot's turn. The consumer waits for the turns one after the other. On PE 0
// producer and consumer are two blocks of one kernel, so both must be resident: collective launch. Any number of PEs.
// The rounds are alike; printed is the time of the fastest kernel on PE 0.
#include <cuda_runtime.h>
#include <nvshmem.h>
#include <nvshmemx.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_CHECK(call)                                                         \
  do {                                                                           \
    cudaError_t e = (call);                                                      \
    if (e != cudaSuccess) {                                                      \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); \
      nvshmem_global_exit(1);                                                    \
    }                                                                            \
  } while (0)

struct Queue {     // all of it symmetric; only PE 0's copy is used
  uint64_t* tail;  // next ticket
  uint64_t* head;  // tickets consumed so far
  uint64_t* turn;  // turn[slot] = ticket + 1 once that ticket's item is in the slot
  int* item;       // item[slot]
};

__device__ void produce(Queue q, int items, int slots) {
  const int me = nvshmem_my_pe();
  for (int i = 0; i < items; ++i) {
    const uint64_t ticket = nvshmem_uint64_atomic_fetch_add(q.tail, 1, 0);
    while (nvshmem_uint64_atomic_fetch(q.head, 0) + slots <= ticket) {
    }  // the queue is full: ask again
    nvshmem_int_p(&q.item[ticket % slots], me * items + i, 0);
    nvshmem_fence();  // the item goes before the turn
    nvshmem_uint64_atomic_set(&q.turn[ticket % slots], ticket + 1, 0);
  }
}

__device__ void consume(Queue q, uint64_t first, int total, int slots, int* consumed) {
  for (uint64_t ticket = first; ticket < first + total; ++ticket) {
    nvshmem_uint64_wait_until(&q.turn[ticket % slots], NVSHMEM_CMP_EQ, ticket + 1);
    consumed[ticket - first] = *static_cast<volatile int*>(&q.item[ticket % slots]);
    __threadfence_system();                            // the slot is read before it is given back
    nvshmem_uint64_atomic_set(q.head, ticket + 1, 0);  // the slot is free for ticket + slots
  }
}

__global__ void queue_kernel(Queue q, int items, int slots, uint64_t first, int* consumed) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) produce(q, items, slots);
  if (blockIdx.x == 1 && nvshmem_my_pe() == 0) consume(q, first, items * nvshmem_n_pes(), slots, consumed);
}

// Every item exactly once, and the items of one producer in its order. The number of those that are not.
int wrong_items(const int* consumed, int items, int producers) {
  std::vector<int> host(items * producers), next(producers, 0);
  CUDA_CHECK(cudaMemcpy(host.data(), consumed, host.size() * sizeof(int), cudaMemcpyDeviceToHost));
  int bad = 0;
  for (size_t i = 0; i < host.size(); ++i) {
    const int pe = host[i] / items;
    const bool right = host[i] >= 0 && pe < producers && host[i] % items == next[pe];
    if (right) ++next[pe];
    if (!right && bad++ == 0) fprintf(stderr, "item %zu of the queue is %d: not expected\n", i, host[i]);
  }
  return bad;
}

int main(int argc, char** argv) {
  int items = argc > 1 ? atoi(argv[1]) : 16, slots = argc > 2 ? atoi(argv[2]) : 8;
  const int rounds = argc > 3 ? atoi(argv[3]) : 2;
  nvshmem_init();
  CUDA_CHECK(cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE)));
  const int me = nvshmem_my_pe(), n = nvshmem_n_pes(), total = items * n;

  Queue q;
  q.tail = static_cast<uint64_t*>(nvshmem_calloc(1, sizeof(uint64_t)));
  q.head = static_cast<uint64_t*>(nvshmem_calloc(1, sizeof(uint64_t)));
  q.turn = static_cast<uint64_t*>(nvshmem_calloc(slots, sizeof(uint64_t)));
  q.item = static_cast<int*>(nvshmem_calloc(slots, sizeof(int)));
  int* consumed;
  CUDA_CHECK(cudaMalloc(&consumed, total * sizeof(int)));

  cudaStream_t stream;
  CUDA_CHECK(cudaStreamCreate(&stream));
  cudaEvent_t begin, end;
  CUDA_CHECK(cudaEventCreate(&begin));
  CUDA_CHECK(cudaEventCreate(&end));
  float fastest_ms = 0;
  int bad = 0;
  for (int round = 0; round < rounds; ++round) {
    uint64_t first = static_cast<uint64_t>(round) * total;  // tickets go on counting
    nvshmem_barrier_all();  // else a fast producer takes tickets of this round in the last one
    CUDA_CHECK(cudaEventRecord(begin, stream));
    void* args[] = {&q, &items, &slots, &first, &consumed};
    if (nvshmemx_collective_launch(reinterpret_cast<const void*>(queue_kernel), dim3(2), dim3(32), args, 0, stream)) {
      fprintf(stderr, "PE %d: collective launch failed\n", me);
      nvshmem_global_exit(1);
    }
    CUDA_CHECK(cudaEventRecord(end, stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    float ms = 0;
    CUDA_CHECK(cudaEventElapsedTime(&ms, begin, end));
    fastest_ms = round == 0 ? ms : std::min(fastest_ms, ms);
    if (me == 0) bad += wrong_items(consumed, items, n);
  }
  if (bad == 0 && me == 0)
    printf("queue ok: %d PEs, %d items through %d slots, %.3f us\n", n, total, slots, fastest_ms * 1000);
  CUDA_CHECK(cudaFree(consumed));
  nvshmem_barrier_all();
  nvshmem_finalize();
  return bad == 0 ? 0 : 1;
}
