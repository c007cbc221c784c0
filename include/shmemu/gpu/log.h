/* Device side of the log (record.h): who calls, when, and the record's way into the ring. */
#ifndef SHMEMU_GPU_LOG_H
#define SHMEMU_GPU_LOG_H
#include "../abi.h"
#include "record.h"

/* Set by the runtime in every PE's copy of the program, before the first kernel. Constant memory: after a copy the SM's
 * path to global memory is full of the copy's own traffic, and loads of it would wait behind that. */
static __device__ __constant__ struct shmemu_gpu_context __shmemu_gpu_here;

#define SHMEMU_GPU static __device__ __forceinline__

#ifdef __CUDA_ARCH__ /* the host pass needs none of it */
namespace shmemu_gpu {

SHMEMU_GPU const shmemu_gpu_context& here() { return __shmemu_gpu_here; }
SHMEMU_GPU unsigned thread_number() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
SHMEMU_GPU unsigned block_threads() { return blockDim.x * blockDim.y * blockDim.z; }
SHMEMU_GPU unsigned block_number() { return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z); }
SHMEMU_GPU unsigned sm_number() {
  unsigned sm;
  asm("mov.u32 %0, %%smid;" : "=r"(sm));
  return sm;
}
SHMEMU_GPU bool stopping() { return *here().stop != 0; }
SHMEMU_GPU void end_thread() { asm volatile("exit;"); }

/* The threads that make a call together. */
struct Group {
  unsigned index, size;
  int scope;
  __device__ __forceinline__ explicit Group(int s) : scope(s) {
    unsigned t = thread_number(), n = block_threads();
    if (s == SHMEMU_THREAD) {
      index = 0, size = 1;
    } else if (s == SHMEMU_BLOCK) {
      index = t, size = n;
    } else {
      unsigned width = s == SHMEMU_WARPGROUP ? 128 : 32;
      index = t % width;
      unsigned left = n - (t - index);
      size = left < width ? left : width;
    }
  }
  __device__ __forceinline__ bool leader() const { return index == 0; }
  __device__ __forceinline__ void sync() const {
    if (scope == SHMEMU_BLOCK) {
      __syncthreads();
    } else if (scope == SHMEMU_WARP) {
      __syncwarp(size == 32 ? 0xffffffffu : (1u << size) - 1);
    } else if (scope == SHMEMU_WARPGROUP) {
      asm volatile("bar.sync %0, %1;" ::"r"(8 + thread_number() / 128), "r"((size + 31) / 32 * 32) : "memory");
    }
  }
};

/* A place in the ring, claimed. The loads are under way while the call does its work: nothing waits for them before the
 * record is written. Calls that wait for other PEs claim theirs late: a claimed place holds up the records behind it.
 */
struct Place {
  unsigned long long position, tail;
  unsigned launch, ring;
};
SHMEMU_GPU Place claim() {
  const shmemu_gpu_context& c = here();
  Place p;
  p.ring = block_number() & static_cast<unsigned>(c.rings - 1);
  p.position = atomicAdd(&c.ring[p.ring].head, 1ull);
  p.tail = *static_cast<volatile unsigned long long*>(&c.ring[p.ring].tail_seen);
  p.launch = *c.launch;
  return p;
}

/* A call under way: made at its begin, logged by one thread at its end. */
struct Call {
  unsigned long long begin;
  Place place;
  bool claimed = false;
  __device__ __forceinline__ Call() : begin(clock64()) {}
  __device__ __forceinline__ explicit Call(bool logs) : begin(clock64()), claimed(logs) {
#ifndef SHMEMU_GPU_NO_LOG
    if (logs) place = claim();
#endif
  }
};

/* A record but for its end. */
struct OpenRecord {
  char* slot;
  unsigned tag;
  int remote_stride;
  __device__ __forceinline__ void chunk(int i, unsigned a, unsigned b, unsigned d) const {
    asm volatile("st.volatile.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(slot + 16 * i), "r"(tag), "r"(a), "r"(b),
                 "r"(d)
                 : "memory");
  }
};
SHMEMU_GPU OpenRecord open_record(const Call& call, unsigned what /* kind, scope, type, function */, unsigned flags,
                                  int target, unsigned team, unsigned long long remote, unsigned long long local,
                                  unsigned long long bytes, unsigned long long value, unsigned long long compare,
                                  unsigned elements = 0, int remote_stride = 0, int local_stride = 0) {
  const shmemu_gpu_context& c = here();
  Place p = call.claimed ? call.place : claim();
  while (p.position - p.tail >= c.capacity) {
    p.tail = c.tail[p.ring];
    *static_cast<volatile unsigned long long*>(&c.ring[p.ring].tail_seen) = p.tail;
    if (stopping()) end_thread();
  }
  unsigned shift = 32 - __clz(c.mask);
  unsigned place = (p.ring << shift) + (static_cast<unsigned>(p.position) & c.mask);
  OpenRecord r{c.slots + 16ull * SHMEMU_RECORD_CHUNKS * place, static_cast<unsigned>(p.position >> shift) + 1,
               remote_stride};
  auto low = [](unsigned long long v) { return static_cast<unsigned>(v); };
  auto high = [](unsigned long long v) { return static_cast<unsigned>(v >> 32); };
  r.chunk(0, p.launch, what, block_number());
  r.chunk(1, thread_number() | flags << 16, static_cast<unsigned>(target), sm_number());
  r.chunk(2, low(call.begin), high(call.begin), static_cast<unsigned>(local_stride));
  r.chunk(3, team, low(remote), high(remote));
  r.chunk(4, low(local), high(local), low(bytes));
  r.chunk(5, high(bytes), low(value), high(value));
  r.chunk(6, low(compare), high(compare), elements);
  return r;
}
SHMEMU_GPU void close_record(const Call& call, const OpenRecord& r, unsigned duration) {
  r.chunk(7, static_cast<unsigned>(r.remote_stride), duration, static_cast<unsigned>(clock64() - call.begin));
}
SHMEMU_GPU unsigned elapsed(const Call& call) { return static_cast<unsigned>(clock64() - call.begin); }

/* Of a call that has ended. */
template <class... More>
SHMEMU_GPU void write_record(const Call& call, More... more) {
#ifndef SHMEMU_GPU_NO_LOG /* to measure what logging costs */
  unsigned duration = elapsed(call);
  close_record(call, open_record(call, more...), duration);
#endif
}
/* Of a call by a group whose threads have done their parts: all of the record but its end is written while the leader
 * waits for the others. */
template <class... More>
SHMEMU_GPU void end_together(const Group& g, const Call& call, More... more) {
#ifdef SHMEMU_GPU_NO_LOG
  g.sync();
#else
  OpenRecord r{};
  if (g.leader()) r = open_record(call, more...);
  g.sync();
  if (g.leader()) close_record(call, r, elapsed(call));
#endif
}

SHMEMU_GPU unsigned what(int kind, int scope, int type = 0, int function = 0) {
  return static_cast<unsigned>(kind | scope << 8 | type << 16 | function << 24);
}

}  // namespace shmemu_gpu
#endif
#endif
