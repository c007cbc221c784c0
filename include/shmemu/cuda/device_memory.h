/* Loads and stores with a cache hint, and questions about address spaces.
 *
 * Hints mean nothing in one flat memory: the plain forms are plain accesses. __ldcv ("fetch again") and __stwt ("write
 * through") are volatile, so that the plugin sees a program that waits with them. Address-space questions are PTX text,
 * which the plugin translates: only it knows where the block's shared memory lies.
 */
#ifndef SHMEMU_CUDA_DEVICE_MEMORY_H
#define SHMEMU_CUDA_DEVICE_MEMORY_H
#include <stddef.h>
#include <stdint.h>
#include "keywords.h"

template <class T>
SHMEMU_INLINE_D T __ldg(const T* p) {
  return *p;
}
template <class T>
SHMEMU_INLINE_D T __ldca(const T* p) {
  return *p;
}
template <class T>
SHMEMU_INLINE_D T __ldcg(const T* p) {
  return *p;
}
template <class T>
SHMEMU_INLINE_D T __ldcs(const T* p) {
  return *p;
}
template <class T>
SHMEMU_INLINE_D T __ldlu(const T* p) {
  return *p;
}
template <class T>
struct __shmemu_identity {
  typedef T type;
};
#define SHMEMU_STORE_AS(name)                                                  \
  template <class T>                                                           \
  SHMEMU_INLINE_D void name(T* p, typename __shmemu_identity<T>::type value) { \
    *p = value;                                                                \
  }
SHMEMU_STORE_AS(__stwb)
SHMEMU_STORE_AS(__stcg)
SHMEMU_STORE_AS(__stcs)
#undef SHMEMU_STORE_AS

/* volatile access of any type, in words of at most 8 bytes; CUDA aligns what it lets these touch */
template <size_t bytes>
struct __shmemu_word {
  typedef uint64_t type;
};
template <>
struct __shmemu_word<1> {
  typedef uint8_t type;
};
template <>
struct __shmemu_word<2> {
  typedef uint16_t type;
};
template <>
struct __shmemu_word<4> {
  typedef uint32_t type;
};
template <class T>
SHMEMU_INLINE_D T __ldcv(const T* p) {
  typedef typename __shmemu_word<sizeof(T)>::type Word;
  static_assert(sizeof(T) % sizeof(Word) == 0, "a type of whole words");
  Word words[sizeof(T) / sizeof(Word)];
  for (size_t i = 0; i < sizeof(T) / sizeof(Word); i++) words[i] = ((const volatile Word*)p)[i];
  T value;
  __builtin_memcpy(&value, words, sizeof value);
  return value;
}
template <class T>
SHMEMU_INLINE_D void __stwt(T* p, typename __shmemu_identity<T>::type value) {
  typedef typename __shmemu_word<sizeof(T)>::type Word;
  static_assert(sizeof(T) % sizeof(Word) == 0, "a type of whole words");
  Word words[sizeof(T) / sizeof(Word)];
  __builtin_memcpy(words, &value, sizeof value);
  for (size_t i = 0; i < sizeof(T) / sizeof(Word); i++) ((volatile Word*)p)[i] = words[i];
}

/* ---- address spaces ---- */
SHMEMU_INLINE_D size_t __cvta_generic_to_shared(const void* p) {
  uint64_t offset;
  asm("cvta.to.shared.u64 %0, %1;" : "=l"(offset) : "l"(p));
  return offset;
}
SHMEMU_INLINE_D void* __cvta_shared_to_generic(size_t offset) {
  void* p;
  asm("cvta.shared.u64 %0, %1;" : "=l"(p) : "l"(offset));
  return p;
}
SHMEMU_INLINE_D size_t __cvta_generic_to_global(const void* p) { return (size_t)p; }
SHMEMU_INLINE_D size_t __cvta_generic_to_constant(const void* p) { return (size_t)p; }
SHMEMU_INLINE_D size_t __cvta_generic_to_local(const void* p) { return (size_t)p; }
SHMEMU_INLINE_D void* __cvta_global_to_generic(size_t p) { return (void*)p; }
SHMEMU_INLINE_D void* __cvta_constant_to_generic(size_t p) { return (void*)p; }
SHMEMU_INLINE_D void* __cvta_local_to_generic(size_t p) { return (void*)p; }
#define SHMEMU_IS_SPACE(name, space)                                                                \
  SHMEMU_INLINE_D unsigned int name(const void* p) {                                                \
    unsigned int yes;                                                                               \
    asm("{ .reg .pred q; isspacep." #space " q, %1; selp.u32 %0, 1, 0, q; }" : "=r"(yes) : "l"(p)); \
    return yes;                                                                                     \
  }
SHMEMU_IS_SPACE(__isShared, shared)
SHMEMU_IS_SPACE(__isGlobal, global)
SHMEMU_IS_SPACE(__isLocal, local)
SHMEMU_IS_SPACE(__isConstant, const)
SHMEMU_INLINE_D unsigned int __isGridConstant(const void* p) { return __isConstant(p); }
#undef SHMEMU_IS_SPACE
#endif
