/* Device side: addresses in peers' heaps, copies by a group of threads, words that peers change. */
#ifndef SHMEMU_GPU_MEMORY_ACCESS_H
#define SHMEMU_GPU_MEMORY_ACCESS_H
#include "log.h"

#ifdef __CUDA_ARCH__ /* the host pass needs none of it */
namespace shmemu_gpu {

/* The copy of a symmetric object on PE `pe`: same offset in its heap. */
template <class T>
SHMEMU_GPU T* at_peer(T* mine, int pe) {
  const shmemu_gpu_context& c = here();
  unsigned long long offset = reinterpret_cast<unsigned long long>(mine) - c.heap;
  return reinterpret_cast<T*>(c.heaps + static_cast<unsigned long long>(pe) * c.stride + offset);
}

template <class T>
SHMEMU_GPU void copy_units(const Group& g, void* dest, const void* source, unsigned long long units) {
  volatile T* to = static_cast<T*>(dest);
  const volatile T* from = static_cast<const T*>(source);
  for (unsigned long long i = g.index; i < units; i += g.size) to[i] = from[i];
}
SHMEMU_GPU void copy_vectors(const Group& g, void* dest, const void* source, unsigned long long units) {
  char* to = static_cast<char*>(dest);
  const char* from = static_cast<const char*>(source);
#pragma unroll 4
  for (unsigned long long i = g.index; i < units; i += g.size) {
    unsigned a, b, c, d;
    asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "l"(from + 16 * i));
    asm volatile("st.volatile.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to + 16 * i), "r"(a), "r"(b), "r"(c), "r"(d)
                 : "memory");
  }
}

SHMEMU_GPU bool is_global(const void* p) { return __isGlobal(p); }

/* By all threads of the group: 16 bytes a thread where both sides allow, else the widest unit that both are aligned to.
 * Volatile: what a peer has written must not come from this SM's L1. */
static __device__ __noinline__ void copy_rest(const Group& g, void* dest, const void* source, unsigned long long bytes,
                                              unsigned long long done) {
  unsigned long long mix = reinterpret_cast<unsigned long long>(dest) | reinterpret_cast<unsigned long long>(source);
  char* to = static_cast<char*>(dest) + done;
  const char* from = static_cast<const char*>(source) + done;
  unsigned long long left = bytes - done;
  mix |= left;
  if (mix % 8 == 0) return copy_units<unsigned long long>(g, to, from, left / 8);
  if (mix % 4 == 0) return copy_units<unsigned>(g, to, from, left / 4);
  if (mix % 2 == 0) return copy_units<unsigned short>(g, to, from, left / 2);
  copy_units<unsigned char>(g, to, from, left);
}
SHMEMU_GPU void copy(const Group& g, void* dest, const void* source, unsigned long long bytes) {
  unsigned long long mix = reinterpret_cast<unsigned long long>(dest) | reinterpret_cast<unsigned long long>(source);
  unsigned long long done = 0;
  if (mix % 16 == 0 && is_global(dest) && is_global(source)) {
    copy_vectors(g, dest, source, bytes / 16);
    done = bytes / 16 * 16;
  }
  if (done < bytes) copy_rest(g, dest, source, bytes, done);
}

SHMEMU_GPU void copy_value(void* dest, const void* source, size_t bytes) {
  switch (bytes) {
    case 1:
      *static_cast<volatile unsigned char*>(dest) = *static_cast<const volatile unsigned char*>(source);
      break;
    case 2:
      *static_cast<volatile unsigned short*>(dest) = *static_cast<const volatile unsigned short*>(source);
      break;
    case 4:
      *static_cast<volatile unsigned*>(dest) = *static_cast<const volatile unsigned*>(source);
      break;
    case 8:
      *static_cast<volatile unsigned long long*>(dest) = *static_cast<const volatile unsigned long long*>(source);
      break;
    default:
      copy(Group(SHMEMU_THREAD), dest, source, bytes);
  }
}
SHMEMU_GPU unsigned long long value_bits(const void* value, size_t bytes) {
  unsigned long long bits = 0;
  if (bytes <= 8) __builtin_memcpy(&bits, value, bytes);
  return bits;
}

/* A word of 1 to 8 bytes, zero-extended. */
SHMEMU_GPU unsigned long long load_word(const volatile void* p, int type) {
  switch (type) {
    case SHMEMU_I8:
    case SHMEMU_U8:
      return *static_cast<const volatile unsigned char*>(p);
    case SHMEMU_I16:
    case SHMEMU_U16:
      return *static_cast<const volatile unsigned short*>(p);
    case SHMEMU_I32:
    case SHMEMU_U32:
    case SHMEMU_F32:
      return *static_cast<const volatile unsigned*>(p);
    default:
      return *static_cast<const volatile unsigned long long*>(p);
  }
}
SHMEMU_GPU unsigned bytes_of(int type) {
  switch (type) {
    case SHMEMU_I8:
    case SHMEMU_U8:
      return 1;
    case SHMEMU_I16:
    case SHMEMU_U16:
      return 2;
    case SHMEMU_I32:
    case SHMEMU_U32:
    case SHMEMU_F32:
      return 4;
    default:
      return 8;
  }
}
template <class T>
SHMEMU_GPU bool compare_as(unsigned long long a, int cmp, unsigned long long b) {
  T x = static_cast<T>(a), y = static_cast<T>(b);
  switch (cmp) {
    case 0:
      return x == y;
    case 1:
      return x != y;
    case 2:
      return x > y;
    case 3:
      return x <= y;
    case 4:
      return x < y;
    default:
      return x >= y;
  }
}
SHMEMU_GPU bool compare(int type, unsigned long long a, int cmp, unsigned long long b) {
  switch (type) {
    case SHMEMU_I16:
      return compare_as<short>(a, cmp, b);
    case SHMEMU_U16:
      return compare_as<unsigned short>(a, cmp, b);
    case SHMEMU_I32:
      return compare_as<int>(a, cmp, b);
    case SHMEMU_U32:
      return compare_as<unsigned>(a, cmp, b);
    case SHMEMU_I64:
      return compare_as<long long>(a, cmp, b);
    default:
      return compare_as<unsigned long long>(a, cmp, b);
  }
}

/* After a flag of a peer was seen: what the peer wrote before it is seen too, also when it is on another GPU. */
SHMEMU_GPU void acquire() {
  if (here().gpus > 1) {
    __threadfence_system();
  } else {
    __threadfence();
  }
}

/* A wait that the run gave up: its record tells who was stuck where. The thread ends. */
static __device__ __noinline__ void give_up(const volatile void* address, int type, int cmp, unsigned long long value) {
  Call now;
  write_record(now, what(SHMEMU_LOG_STUCK, SHMEMU_THREAD, type, cmp), 0, here().me, 0,
               reinterpret_cast<unsigned long long>(address), 0, bytes_of(type), value, load_word(address, type));
  end_thread();
}

/* Spins politely: other PEs need the SM's issue slots, and the stop flag is in host memory (reading it in every turn
 * costs 30-60 µs a hop at 64-128 PEs, measured on an H200). */
struct Spin {
  unsigned turns = 0;
  __device__ __forceinline__ bool stopped() {
    if (++turns % 32 == 0) __nanosleep(turns < 1024 ? 20 : 200);
    return turns % 4096 == 0 && stopping();
  }
};
/* Returns what it saw last; `first` is what it saw at the begin. */
SHMEMU_GPU unsigned long long wait_word(const volatile void* address, int type, int cmp, unsigned long long value,
                                        unsigned long long& first) {
  Spin spin;
  unsigned long long seen = first = load_word(address, type);
  for (; !compare(type, seen, cmp, value); seen = load_word(address, type))
    if (spin.stopped()) give_up(address, type, cmp, value);
  acquire();
  return seen;
}

}  // namespace shmemu_gpu
#endif
#endif
