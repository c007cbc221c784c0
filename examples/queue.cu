// queue: all PEs produce items, PE 0 consumes them from a bounded queue in its own memory.
//
//   shmemu run -n 4 ./queue [items per PE = 16] [slots = 8]
//
// A producer takes a ticket with a fetching atomic (a number nobody else gets), waits until the ticket's slot is free,
// writes the item and then raises the slot's turn. The consumer waits for the turns one after the other. On PE 0
// producer and consumer are two blocks of one kernel, so both must be resident: collective launch. Any number of PEs.
#include <cuda_runtime.h>
#include <nvshmem.h>
#include <nvshmemx.h>
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

__device__ void consume(Queue q, int total, int slots, int* consumed) {
  for (uint64_t ticket = 0; ticket < static_cast<uint64_t>(total); ++ticket) {
    nvshmem_uint64_wait_until(&q.turn[ticket % slots], NVSHMEM_CMP_EQ, ticket + 1);
    consumed[ticket] = *static_cast<volatile int*>(&q.item[ticket % slots]);
    __threadfence_system();                            // the slot is read before it is given back
    nvshmem_uint64_atomic_set(q.head, ticket + 1, 0);  // the slot is free for ticket + slots
  }
}

__global__ void queue_kernel(Queue q, int items, int slots, int* consumed) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) produce(q, items, slots);
  if (blockIdx.x == 1 && nvshmem_my_pe() == 0) consume(q, items * nvshmem_n_pes(), slots, consumed);
}

int main(int argc, char** argv) {
  int items = argc > 1 ? atoi(argv[1]) : 16, slots = argc > 2 ? atoi(argv[2]) : 8;
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
  void* args[] = {&q, &items, &slots, &consumed};
  if (nvshmemx_collective_launch(reinterpret_cast<const void*>(queue_kernel), dim3(2), dim3(32), args, 0, stream)) {
    fprintf(stderr, "PE %d: collective launch failed\n", me);
    nvshmem_global_exit(1);
  }
  CUDA_CHECK(cudaStreamSynchronize(stream));

  int bad = 0;
  if (me == 0) {  // every item exactly once, and the items of one producer in its order
    std::vector<int> host(total), next(n, 0);
    CUDA_CHECK(cudaMemcpy(host.data(), consumed, total * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < total; ++i) {
      const int pe = host[i] / items;
      const bool right = host[i] >= 0 && pe < n && host[i] % items == next[pe];
      if (right) ++next[pe];
      if (!right && bad++ == 0) fprintf(stderr, "item %d of the queue is %d: not expected\n", i, host[i]);
    }
    if (bad == 0) printf("queue ok: %d PEs, %d items through %d slots\n", n, total, slots);
  }
  CUDA_CHECK(cudaFree(consumed));
  nvshmem_barrier_all();
  nvshmem_finalize();
  return bad == 0 ? 0 : 1;
}
