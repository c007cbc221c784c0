/* The contract between a program compiled by `shmemu cc` and the shmemu runtime.
 *
 * Everything here is a plain C symbol that the runtime exports: device code, host code, the CUDA and NVSHMEM
 * headers of this folder and the compiler plugin use these names and nothing else. No logic lives here.
 * Owner: src/emu. A name ending in a scope takes SHMEMU_THREAD, SHMEMU_WARP or SHMEMU_BLOCK; every thread of that
 * scope makes the call with equal arguments. Sizes are bytes unless a name says elements.
 */
#ifndef SHMEMU_ABI_H
#define SHMEMU_ABI_H
#include <stddef.h>
#include <stdint.h>

#if defined(__CUDA__) || defined(__CUDACC__)
#define SHMEMU_HD __attribute__((host)) __attribute__((device))
#define SHMEMU_D __attribute__((device))
#else
#define SHMEMU_HD
#define SHMEMU_D
#endif
#ifdef __cplusplus
#define SHMEMU_C extern "C"
#else
#define SHMEMU_C extern
#endif
#define SHMEMU_CONST __attribute__((const))

struct CUstream_st;

enum shmemu_scope { SHMEMU_THREAD = 0, SHMEMU_WARP = 1, SHMEMU_BLOCK = 2, SHMEMU_WARPGROUP = 3 /* collectives, tiles */ };

/* element types of waits, atomics and reductions */
enum shmemu_type {
  SHMEMU_I8 = 0, SHMEMU_U8, SHMEMU_I16, SHMEMU_U16, SHMEMU_I32, SHMEMU_U32, SHMEMU_I64, SHMEMU_U64,
  SHMEMU_F16, SHMEMU_BF16, SHMEMU_F32, SHMEMU_F64,
  SHMEMU_LONG_DOUBLE, SHMEMU_COMPLEX_FLOAT, SHMEMU_COMPLEX_DOUBLE, /* reductions of OpenSHMEM and MPI */
  SHMEMU_DOUBLE2 /* value and place, for SHMEMU_MAXLOC */
};
enum shmemu_amo {
  SHMEMU_AMO_SET = 0, SHMEMU_AMO_ADD, SHMEMU_AMO_AND, SHMEMU_AMO_OR, SHMEMU_AMO_XOR,
  SHMEMU_AMO_SWAP /* set, returns the old value */, SHMEMU_AMO_COMPARE_SWAP, SHMEMU_AMO_FETCH,
  SHMEMU_AMO_RESULT = 0x100 /* or-ed in when the caller wants the old value */
};
enum shmemu_collective_kind {
  SHMEMU_COLL_BARRIER = 0, SHMEMU_COLL_SYNC, SHMEMU_COLL_BROADCAST, SHMEMU_COLL_FCOLLECT, SHMEMU_COLL_ALLTOALL,
  SHMEMU_COLL_REDUCE, SHMEMU_COLL_REDUCESCATTER
};
enum shmemu_reduce_op { SHMEMU_SUM = 0, SHMEMU_PROD, SHMEMU_MIN, SHMEMU_MAX, SHMEMU_AND, SHMEMU_OR, SHMEMU_XOR, SHMEMU_MAXLOC };

/* ---- 1. the thread that runs: read directly by compiled device code (the plugin knows these offsets) ---- */
struct shmemu_block_context {
  uint32_t ntid[3], pad0;   /* blockDim, offset 0 */
  uint32_t ctaid[3], pad1;  /* blockIdx, offset 16 */
  uint32_t nctaid[3], pad2; /* gridDim, offset 32 */
  char *heaps_begin;        /* the symmetric heaps of all PEs, offset 48 */
  uint64_t heaps_bytes;     /* offset 56 */
};
/* What a thread has computed since the runtime last took it (plugin: count_work.cpp). */
struct shmemu_work {
  uint32_t quarter_slots; /* issue slots of its warp, times 4 */
  uint32_t cycles;        /* of its longest chains of dependent instructions, hits in L1 included */
  uint32_t quarter_loads; /* dependent loads from beyond L1, times 4 */
  uint32_t bytes;         /* moved beyond L1 */
  uint64_t touched;       /* 4 KiB page of one of these bytes; in its low 12 bits the number of arrays among them */
};
struct shmemu_thread_context {
  uint32_t tid[3];                    /* threadIdx, offset 0 */
  uint32_t lane;                      /* offset 12 */
  struct shmemu_block_context *block; /* offset 16 */
  char *shared;                       /* static __shared__ of the block, offset 24 */
  char *dynamic_shared;               /* extern __shared__, offset 32 */
  uint64_t *work;                     /* struct shmemu_work of this thread (of all threads, in a block), offset 40 */
};
/* `shmemu_thread_context *__shmemu_thread` is the running thread; only plugin output and the runtime touch it. */

/* ---- 2. what plugin output registers at load time, one table per translation unit ---- */
struct shmemu_kernel {
  const char *name;                                        /* mangled device name */
  void (*entry)(void **args);                              /* one thread */
  void (*checked)(void **args);                            /* the same, for a PE that holds peers' addresses */
  void (*block)(void **args, struct shmemu_thread_context *); /* all threads of a block in a loop, or NULL */
  uint32_t parameters;
  uint32_t may_wait;                                       /* 0: the kernel has no point where a thread can stop */
  const uint32_t *parameter_bytes;
  uint32_t static_shared;                                  /* bytes reachable from this kernel, for occupancy */
  uint32_t max_threads;                                    /* from __launch_bounds__, 0 = none */
};
struct shmemu_variable {
  const char *name;
  void *address;
  uint64_t bytes;
};
struct shmemu_module {
  const char *unit; /* identity of the translation unit, equal to the bytes given as its fat binary */
  const struct shmemu_kernel *kernels;
  uint64_t kernel_count;
  const struct shmemu_variable *variables;
  uint64_t variable_count;
  char *shared_begin, *shared_end; /* linker-made bounds of section "shmemu_shared"; both NULL if empty */
};
/* The number is the version of this layout: a program compiled for another one does not load. */
SHMEMU_C void __shmemu_register_2(const struct shmemu_module *);

/* ---- 3. private interactions of a kernel (src/device: no global order, clocks join by maximum) ---- */
/* barrier id 0..15; count 0 = all live threads of the block, else a number of threads (multiple of 32) */
SHMEMU_C SHMEMU_D void __shmemu_bar_sync(int id, int count);
SHMEMU_C SHMEMU_D void __shmemu_bar_arrive(int id, int count);
SHMEMU_C SHMEMU_D int __shmemu_bar_red(int op /* 0 count, 1 and, 2 or */, int predicate);
SHMEMU_C SHMEMU_D void __shmemu_syncwarp(unsigned mask);
/* mode 0 index, 1 up, 2 down, 3 xor; value is up to 8 bytes, zero-extended */
SHMEMU_C SHMEMU_D uint64_t __shmemu_shfl(unsigned mask, uint64_t value, int mode, int argument, int width);
SHMEMU_C SHMEMU_D unsigned __shmemu_ballot(unsigned mask, int predicate);
SHMEMU_C SHMEMU_D unsigned __shmemu_activemask(void);
SHMEMU_C SHMEMU_D unsigned __shmemu_match_any(unsigned mask, uint64_t value);
SHMEMU_C SHMEMU_D unsigned __shmemu_match_all(unsigned mask, uint64_t value, int *predicate);
/* op: shmemu_reduce_op; type I32 or U32 */
SHMEMU_C SHMEMU_D unsigned __shmemu_reduce(unsigned mask, unsigned value, int op, int type);
/* grid barrier of a cooperative launch */
SHMEMU_C SHMEMU_D void __shmemu_grid_sync(void);
SHMEMU_C SHMEMU_D int __shmemu_grid_is_cooperative(void);

/* ---- 4. observing interactions inserted by the plugin or the CUDA headers ---- */
/* On the back edge of a loop whose exit depends on a volatile or atomic load. `address` is the word the loop reads
 * (NULL: unknown), flags: SHMEMU_POLL_*. Sleeps until the word changes. Host code uses it as well. */
enum shmemu_poll_flags { SHMEMU_POLL_MIXED = 1 /* the loop can also end by something else */, SHMEMU_POLL_CLOCK = 2 };
SHMEMU_C SHMEMU_HD void __shmemu_poll(const volatile void *address, uint32_t bytes, uint32_t flags);
/* Around a native volatile store or atomic to memory that other threads may watch: `order` returns when it is this
 * thread's turn in virtual time, `wrote` wakes those who poll the line. */
enum shmemu_access { SHMEMU_STORE = 0, SHMEMU_ATOMIC = 1, SHMEMU_ATOMIC_RESULT = 2 };
SHMEMU_C SHMEMU_HD void __shmemu_order(const volatile void *address, uint32_t bytes, uint32_t access);
SHMEMU_C SHMEMU_HD void __shmemu_wrote(const volatile void *address, uint32_t bytes, uint32_t access);
/* Native accesses of checked code whose address lies in the symmetric heaps. 1: it is a peer's and the access is done;
 * 0: do it natively. `value` has room for `bytes`. */
SHMEMU_C SHMEMU_D int __shmemu_peer_load(const volatile void *address, uint32_t bytes, void *value);
SHMEMU_C SHMEMU_D int __shmemu_peer_store(volatile void *address, uint32_t bytes, const void *value);
/* amo: shmemu_amo, with SHMEMU_AMO_RESULT if *old is wanted; type: SHMEMU_U32 or SHMEMU_U64 */
SHMEMU_C SHMEMU_D int __shmemu_peer_atomic(volatile void *address, int amo, int type, uint64_t operand, uint64_t compare,
                                           uint64_t *old);
/* Before a plain access whose address lies in the symmetric heaps, in code compiled for the checker. */
enum shmemu_touch_flags { SHMEMU_TOUCH_WRITE = 1, SHMEMU_TOUCH_VOLATILE = 2 };
SHMEMU_C SHMEMU_D void __shmemu_touch(const volatile void *address, uint64_t bytes, uint32_t flags);
/* scope 0 block, 1 device, 2 system */
SHMEMU_C SHMEMU_HD void __shmemu_fence(int scope);
SHMEMU_C SHMEMU_D uint64_t __shmemu_globaltimer(void); /* ns of virtual time */
SHMEMU_C SHMEMU_D uint64_t __shmemu_clock(void);       /* SM cycles of virtual time */
SHMEMU_C SHMEMU_D void __shmemu_nanosleep(uint32_t ns);

/* ---- 5. the rest of a kernel's needs ---- */
SHMEMU_C SHMEMU_D int __shmemu_vprintf(const char *format, void *arguments);
SHMEMU_C SHMEMU_D void *__shmemu_malloc(size_t bytes);
SHMEMU_C SHMEMU_D void __shmemu_free(void *);
SHMEMU_C SHMEMU_D void __shmemu_trap(void);
SHMEMU_C SHMEMU_D void __shmemu_thread_exit(void);
SHMEMU_C SHMEMU_D void __shmemu_assert_fail(const char *expression, const char *file, unsigned line, const char *function);
SHMEMU_C SHMEMU_D void __shmemu_unknown_ptx(const char *text, const char *file, unsigned line);
SHMEMU_C SHMEMU_D unsigned __shmemu_smid(void);
SHMEMU_C SHMEMU_D unsigned __shmemu_nsmid(void);
SHMEMU_C SHMEMU_D unsigned __shmemu_warpid(void);
SHMEMU_C SHMEMU_D unsigned __shmemu_gridid(void);
SHMEMU_C SHMEMU_D unsigned __shmemu_dynamic_shared_bytes(void);

/* ---- 6. NVSHMEM entry points behind the typed names of nvshmem.h / nvshmemx.h (host and device) ---- */
SHMEMU_C SHMEMU_HD void __shmemu_put(void *dest, const void *source, size_t bytes, int pe, int scope, int nbi);
SHMEMU_C SHMEMU_HD void __shmemu_get(void *dest, const void *source, size_t bytes, int pe, int scope, int nbi);
SHMEMU_C SHMEMU_HD void __shmemu_iput(void *dest, const void *source, ptrdiff_t dest_stride, ptrdiff_t source_stride,
                                      size_t elements, size_t element_bytes, int pe, int scope);
SHMEMU_C SHMEMU_HD void __shmemu_iget(void *dest, const void *source, ptrdiff_t dest_stride, ptrdiff_t source_stride,
                                      size_t elements, size_t element_bytes, int pe, int scope);
SHMEMU_C SHMEMU_HD void __shmemu_p(void *dest, const void *value, size_t bytes, int pe);
SHMEMU_C SHMEMU_HD void __shmemu_g(void *result, const void *source, size_t bytes, int pe);
SHMEMU_C SHMEMU_HD void __shmemu_put_signal(void *dest, const void *source, size_t bytes, uint64_t *signal_address,
                                            uint64_t signal, int signal_op, int pe, int scope, int nbi);
SHMEMU_C SHMEMU_HD void __shmemu_signal_op(uint64_t *signal_address, uint64_t signal, int signal_op, int pe);
/* the same on the queue pair with this handle */
SHMEMU_C SHMEMU_D void __shmemu_qp_put(void *dest, const void *source, size_t bytes, int pe, int scope, int nbi, int qp);
SHMEMU_C SHMEMU_D void __shmemu_qp_get(void *dest, const void *source, size_t bytes, int pe, int scope, int nbi, int qp);
SHMEMU_C SHMEMU_D void __shmemu_qp_p(void *dest, const void *value, size_t bytes, int pe, int qp);
SHMEMU_C SHMEMU_D void __shmemu_qp_g(void *result, const void *source, size_t bytes, int pe, int qp);
SHMEMU_C SHMEMU_D void __shmemu_qp_put_signal(void *dest, const void *source, size_t bytes, uint64_t *signal_address,
                                              uint64_t signal, int signal_op, int pe, int scope, int nbi, int qp);
SHMEMU_C SHMEMU_D void __shmemu_qp_signal_op(uint64_t *signal_address, uint64_t signal, int signal_op, int pe, int qp);
SHMEMU_C SHMEMU_HD uint64_t __shmemu_signal_fetch(const uint64_t *signal_address);
SHMEMU_C SHMEMU_HD uint64_t __shmemu_signal_wait_until(const uint64_t *signal_address, int cmp, uint64_t value);
/* operands and result are the value's bits, zero-extended; amo: shmemu_amo, type: shmemu_type */
SHMEMU_C SHMEMU_HD uint64_t __shmemu_atomic(void *dest, int amo, int type, uint64_t operand, uint64_t compare, int pe);
SHMEMU_C SHMEMU_HD void __shmemu_wait_until(const volatile void *address, int type, int cmp, uint64_t value_bits);
SHMEMU_C SHMEMU_HD int __shmemu_test(const volatile void *address, int type, int cmp, uint64_t value_bits);
/* which: 0 all, 1 any, 2 some. values: NULL = compare every element with value_bits, else one value per element
 * (vector form). any: returns the index or SIZE_MAX; some: fills indices, returns the count; all: returns 1 when true. */
SHMEMU_C SHMEMU_HD size_t __shmemu_wait_set(int which, int testing, const volatile void *addresses, size_t elements,
                                            size_t *indices, const int *status, int type, int cmp, uint64_t value_bits,
                                            const void *values);
/* team: nvshmem_team_t; dest/source/count/type/op/root as the collective needs them, 0 otherwise.
 * count is elements per PE; element_bytes gives their size. Returns 0, or non-zero for an invalid team or argument. */
SHMEMU_C SHMEMU_HD int __shmemu_collective(int kind, int team, void *dest, const void *source, size_t count,
                                           size_t element_bytes, int type, int op, int root, int scope);

/* Tiles: up to four dimensions, strides in elements. An element takes part if lower + coordinate < upper in every
 * dimension. kind: shmemu_tile_kind; team: a PE for put and get; root: -1 = none; type: F16, BF16 or F32. */
struct shmemu_tile {
  void *data;
  uint32_t dimensions, element_bytes;
  int64_t shape[4], stride[4], lower[4], upper[4];
};
enum shmemu_tile_kind {
  SHMEMU_TILE_ALLREDUCE = 0, SHMEMU_TILE_REDUCE, SHMEMU_TILE_ALLGATHER, SHMEMU_TILE_BROADCAST, SHMEMU_TILE_PUT,
  SHMEMU_TILE_GET
};
SHMEMU_C SHMEMU_D int __shmemu_tile(int kind, int team, const struct shmemu_tile *source, const struct shmemu_tile *dest,
                                    int type, int op, int root, int pull, int scope);
SHMEMU_C SHMEMU_D int __shmemu_tile_wait(int team, int pull, int scope);

/* on_stream forms: the same operation as a command of that stream */
SHMEMU_C void __shmemu_put_on_stream(void *dest, const void *source, size_t bytes, int pe, int nbi, struct CUstream_st *);
SHMEMU_C void __shmemu_get_on_stream(void *dest, const void *source, size_t bytes, int pe, int nbi, struct CUstream_st *);
SHMEMU_C void __shmemu_iput_on_stream(void *dest, const void *source, ptrdiff_t dest_stride, ptrdiff_t source_stride,
                                      size_t elements, size_t element_bytes, int pe, struct CUstream_st *);
SHMEMU_C void __shmemu_iget_on_stream(void *dest, const void *source, ptrdiff_t dest_stride, ptrdiff_t source_stride,
                                      size_t elements, size_t element_bytes, int pe, struct CUstream_st *);
SHMEMU_C void __shmemu_p_on_stream(void *dest, const void *value, size_t bytes, int pe, struct CUstream_st *);
SHMEMU_C void __shmemu_g_on_stream(void *result, const void *source, size_t bytes, int pe, struct CUstream_st *);
SHMEMU_C void __shmemu_put_signal_on_stream(void *dest, const void *source, size_t bytes, uint64_t *signal_address,
                                            uint64_t signal, int signal_op, int pe, int nbi, struct CUstream_st *);
SHMEMU_C void __shmemu_signal_op_on_stream(uint64_t *signal_address, uint64_t signal, int signal_op, int pe,
                                           struct CUstream_st *);
SHMEMU_C void __shmemu_signal_wait_until_on_stream(uint64_t *signal_address, int cmp, uint64_t value,
                                                   struct CUstream_st *);
SHMEMU_C void __shmemu_wait_until_on_stream(void *address, int type, int cmp, uint64_t value_bits, struct CUstream_st *);
SHMEMU_C void __shmemu_wait_set_on_stream(void *addresses, size_t elements, const int *status, int type, int cmp,
                                          uint64_t value_bits, const void *values, struct CUstream_st *);
SHMEMU_C void __shmemu_quiet_on_stream(struct CUstream_st *);
SHMEMU_C int __shmemu_collective_on_stream(int kind, int team, void *dest, const void *source, size_t count,
                                           size_t element_bytes, int type, int op, int root, struct CUstream_st *);
#endif
