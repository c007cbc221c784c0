/* What a kernel on a real GPU and the host of the GPU executor share: the place of a PE in the run, and the rings in
 * which threads log what they asked NVSHMEM for. Read by nvcc and by the C++ compiler; no logic.
 *
 * A ring belongs to the blocks b of a PE with b % rings == its number, so every block has one order of its records. A
 * record is 8 chunks of 16 bytes. Each chunk is one store and carries the tag of its lap round the ring, so the host
 * sees without any fence when all of a record is there. A full ring makes its writers wait; nothing is lost.
 */
#ifndef SHMEMU_GPU_RECORD_H
#define SHMEMU_GPU_RECORD_H
#include <stdint.h>

enum { SHMEMU_RECORD_CHUNKS = 8, SHMEMU_RECORD_WORDS = 24 /* of 4 bytes, without the tags */ };

/* What was called. Numbers are part of the log, not of the API. */
enum shmemu_log_kind {
  SHMEMU_LOG_PUT = 1,
  SHMEMU_LOG_GET,
  SHMEMU_LOG_P,
  SHMEMU_LOG_G,
  SHMEMU_LOG_IPUT,
  SHMEMU_LOG_IGET,
  SHMEMU_LOG_PUT_SIGNAL,
  SHMEMU_LOG_SIGNAL,
  SHMEMU_LOG_ATOMIC,
  SHMEMU_LOG_FETCH,
  SHMEMU_LOG_WAIT,
  SHMEMU_LOG_TEST,
  SHMEMU_LOG_FENCE,
  SHMEMU_LOG_QUIET,
  SHMEMU_LOG_COLLECTIVE,
  SHMEMU_LOG_STUCK /* a wait that was given up because the run is being stopped */
};

/* One call, as the host reads it: the 24 words of a record in this order. */
struct shmemu_log_record {
  uint32_t launch; /* number of the kernel, counted per PE */
  uint8_t kind, scope, type, function;
  uint32_t block;
  uint16_t thread, flags;
  int32_t target;
  uint32_t sm;
  uint64_t begin; /* SM clock at the call */
  int32_t local_stride;
  uint32_t team;
  uint64_t remote, local, bytes, value, compare; /* wait, test: local and compare are what was seen first and last */
  uint32_t elements;
  int32_t remote_stride; /* bytes, as local_stride */
  uint32_t duration;     /* cycles from `begin` until the call returned … */
  uint32_t logged;       /* … and until the record was written */
};
enum { SHMEMU_LOG_NBI = 1, SHMEMU_LOG_ADD = 2 /* signal: add, not set */, SHMEMU_LOG_RESULT = 4 };

struct shmemu_log_ring {
  unsigned long long head;      /* records claimed by writers */
  unsigned long long tail_seen; /* how far the host had read when a writer last looked */
};

struct shmemu_gpu_team {
  int32_t size, me; /* size 0: no such team */
  uint32_t place;   /* of its meeting words */
  uint32_t members; /* offset in the table of members */
};
struct shmemu_meeting {
  unsigned long long arrived, released, pad[14];
};

/* In constant memory of each PE's program. `heaps` + PE × `stride` is the heap of a PE. */
struct shmemu_gpu_context {
  int32_t me, pes, rings, teams;   /* rings: a power of two */
  int32_t gpus;                    /* real ones */
  uint64_t heaps, stride, heap;    /* heap: of this PE */
  uint32_t capacity, mask;         /* records of a ring before it is full; where they lie: number & mask */
  const volatile uint32_t* launch; /* number of the kernel that runs; changes between kernels */
  struct shmemu_log_ring* ring;
  char* slots;                             /* pinned host memory */
  const volatile unsigned long long* tail; /* pinned host memory: read so far, by ring */
  const volatile int* stop;                /* pinned host memory: the run ends */
  const unsigned char* reach;              /* by PE: nvshmem_ptr gives an address */
  unsigned int* peer_pointers;             /* set once a kernel got a peer's address */
  struct shmemu_gpu_team* team;
  const int32_t* members;
  struct shmemu_meeting* meetings;
};
#endif
