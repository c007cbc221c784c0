/* Chapter 1 of the NVSHMEM names: types, constants, structs, and the lists of element types.
 *
 * Written from API facts (names, values, argument order), not from NVIDIA's headers. Read first by every
 * other chapter; holds no function. Plain C sees the same names, without half and bfloat16.
 */
#ifndef SHMEMU_NVSHMEM_TYPES_CONSTANTS_H
#define SHMEMU_NVSHMEM_TYPES_CONSTANTS_H
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../abi.h"

#if (defined(__CUDA__) || defined(__CUDACC__)) && !defined(NVSHMEM_HOSTLIB_ONLY)
#define SHMEMU_DEVICE_NAMES 1 /* names that only a kernel may call are visible */
#else
#define SHMEMU_DEVICE_NAMES 0
#endif

/* Every typed name is a wrapper that vanishes: the runtime finds the user's line from the return address of the
 * __shmemu_* call, so the wrapper must neither be a frame (always_inline) nor own a source line (nodebug). */
#if defined(__clang__)
#define SHMEMU_INLINE static inline __attribute__((always_inline, nodebug))
#else
#define SHMEMU_INLINE static inline __attribute__((always_inline))
#endif
#define SHMEMU_WRAP SHMEMU_INLINE SHMEMU_HD  /* host and device */
#define SHMEMU_WRAP_D SHMEMU_INLINE SHMEMU_D /* device only */

/* ---- versions: specification 1.3, the vendor release whose names these are ---- */
#define NVSHMEM_MAJOR_VERSION 1
#define NVSHMEM_MINOR_VERSION 3
#define NVSHMEM_VENDOR_MAJOR_VERSION 3
#define NVSHMEM_VENDOR_MINOR_VERSION 3
#define NVSHMEM_VENDOR_PATCH_VERSION 9
#define NVSHMEM_VENDOR_PACKAGE_VERSION 0
#define NVSHMEM_VENDOR_VERSION 30309 /* major * 10000 + minor * 100 + patch */
#define NVSHMEM_VENDOR_STRING "NVSHMEM v3.3.9"
#define NVSHMEM_MAX_NAME_LEN 256

/* What NVSHMEM's own error checks print; programs that include its error header use it. */
#define NVSHMEMI_ERROR_PRINT(...)                   \
  do {                                              \
    fprintf(stderr, "%s:%d: ", __FILE__, __LINE__); \
    fprintf(stderr, __VA_ARGS__);                   \
  } while (0)

/* ---- enumerations ---- */
enum nvshmemx_status {
  NVSHMEMX_SUCCESS = 0,
  NVSHMEMX_ERROR_INVALID_VALUE = 1,
  NVSHMEMX_ERROR_OUT_OF_MEMORY = 2,
  NVSHMEMX_ERROR_NOT_SUPPORTED = 3,
  NVSHMEMX_ERROR_SYMMETRY = 4,
  NVSHMEMX_ERROR_GPU_NOT_SELECTED = 5,
  NVSHMEMX_ERROR_COLLECTIVE_LAUNCH_FAILED = 6,
  NVSHMEMX_ERROR_INTERNAL = 7,
  NVSHMEMX_ERROR_SENTINEL = INT_MAX
};
typedef enum {
  NVSHMEM_CMP_EQ = 0,
  NVSHMEM_CMP_NE = 1,
  NVSHMEM_CMP_GT = 2,
  NVSHMEM_CMP_LE = 3,
  NVSHMEM_CMP_LT = 4,
  NVSHMEM_CMP_GE = 5,
  NVSHMEM_CMP_SENTINEL = INT_MAX
} nvshmemx_cmp_type_t;
typedef enum { NVSHMEM_SIGNAL_SET = 9, NVSHMEM_SIGNAL_ADD = 10 } nvshmemx_signal_op_t;
typedef enum {
  NVSHMEM_THREAD_SINGLE = 0,
  NVSHMEM_THREAD_FUNNELED = 1,
  NVSHMEM_THREAD_SERIALIZED = 2,
  NVSHMEM_THREAD_MULTIPLE = 3,
  NVSHMEM_THREAD_TYPE_SENTINEL = INT_MAX
} nvshmemx_thread_support_t;
typedef enum {
  NVSHMEM_STATUS_NOT_INITIALIZED = 0,
  NVSHMEM_STATUS_IS_BOOTSTRAPPED = 1,
  NVSHMEM_STATUS_IS_INITIALIZED = 2,
  NVSHMEM_STATUS_LIMITED_MPG = 3,
  NVSHMEM_STATUS_FULL_MPG = 4,
  NVSHMEM_STATUS_INVALID = INT_MAX
} nvshmemx_init_status_t;
enum { /* flags of nvshmemx_init_attr */
       NVSHMEMX_INIT_THREAD_PES = 1,
       NVSHMEMX_INIT_WITH_MPI_COMM = 2,
       NVSHMEMX_INIT_WITH_SHMEM = 4,
       NVSHMEMX_INIT_WITH_UNIQUEID = 8,
       NVSHMEMX_INIT_MAX = INT_MIN
};
typedef enum { NVSHMEM_PE_INVALID = -1 } nvshmem_pe_index_t;

/* ---- teams ---- */
typedef int32_t nvshmem_team_t;
typedef nvshmem_team_t nvshmemx_team_t;
typedef uint64_t nvshmemx_team_uniqueid_t;
enum { /* _INDEX: the same team, named as a slot of the team table */
       NVSHMEM_TEAM_INVALID = -1,
       NVSHMEM_TEAM_WORLD = 0,
       NVSHMEM_TEAM_WORLD_INDEX = 0,
       NVSHMEM_TEAM_SHARED = 1,
       NVSHMEM_TEAM_SHARED_INDEX = 1,
       NVSHMEMX_TEAM_NODE = 2,
       NVSHMEM_TEAM_NODE_INDEX = 2,
       NVSHMEMX_TEAM_SAME_MYPE_NODE = 3,
       NVSHMEM_TEAM_SAME_MYPE_NODE_INDEX = 3,
       NVSHMEM_TEAM_SAME_GPU_INDEX = 4,
       NVSHMEM_TEAM_GPU_LEADERS_INDEX = 5,
       NVSHMEM_TEAMS_MIN = 6,
       NVSHMEM_TEAM_INDEX_MAX = INT_MAX
};
#define NVSHMEM_TEAM_CONFIG_MASK_NUM_CONTEXTS 0x1
#define NVSHMEM_TEAM_CONFIG_MASK_UNIQUEID 0x2

/* ---- structs: each begins with a version word, (version << 16) + size ---- */
#define SHMEMU_VERSION_WORD(version, type) ((int)(((version) << 16) + sizeof(type)))
typedef struct {
  int version;
  int num_contexts;
  nvshmemx_team_uniqueid_t uniqueid;
  char padding[48];
} nvshmem_team_config_t;
#define NVSHMEM_TEAM_CONFIG_INITIALIZER                                       \
  {                                                                           \
    SHMEMU_VERSION_WORD(2, nvshmem_team_config_t), INT_MAX, UINT64_MAX, { 0 } \
  }
#define NVSHMEM_TEAM_UNIQUID_INITIALIZER UINT64_MAX

typedef struct {
  int version;
  char internal[124];
} nvshmemx_uniqueid_t;
#define NVSHMEMX_UNIQUEID_INITIALIZER                  \
  {                                                    \
    SHMEMU_VERSION_WORD(1, nvshmemx_uniqueid_t), { 0 } \
  }

typedef struct {
  int version;
  nvshmemx_uniqueid_t* id;
  int myrank;
  int nranks;
} nvshmemx_uniqueid_args_t;
#define NVSHMEMX_UNIQUEID_ARGS_INITIALIZER \
  { SHMEMU_VERSION_WORD(1, nvshmemx_uniqueid_args_t), NULL, 0, 0 }

typedef struct {
  int version;
  nvshmemx_uniqueid_args_t uid_args;
  char content[96];
} nvshmemx_init_args_t;
#define NVSHMEMX_INIT_ARGS_INITIALIZER                                                      \
  {                                                                                         \
    SHMEMU_VERSION_WORD(1, nvshmemx_init_args_t), NVSHMEMX_UNIQUEID_ARGS_INITIALIZER, { 0 } \
  }

typedef struct {
  int version;
  void* mpi_comm;
  nvshmemx_init_args_t args;
} nvshmemx_init_attr_t;
#define NVSHMEMX_INIT_ATTR_INITIALIZER \
  { SHMEMU_VERSION_WORD(1, nvshmemx_init_attr_t), NULL, NVSHMEMX_INIT_ARGS_INITIALIZER }

#if defined(__cplusplus) && __cplusplus >= 201103L
static_assert(sizeof(nvshmem_team_config_t) == 64, "size of the 3.3.9 struct");
static_assert(sizeof(nvshmemx_uniqueid_t) == 128, "size of the 3.3.9 struct");
static_assert(sizeof(nvshmemx_uniqueid_args_t) == 24, "size of the 3.3.9 struct");
static_assert(sizeof(nvshmemx_init_args_t) == 128, "size of the 3.3.9 struct");
static_assert(sizeof(nvshmemx_init_attr_t) == 144, "size of the 3.3.9 struct");
#endif

/* ---- element types: X(name in the function, C type) ---- */
/* clang-format off */
#define SHMEMU_INTEGER_TYPES(X)                                                                                   \
  X(char, char) X(schar, signed char) X(short, short) X(int, int) X(long, long) X(longlong, long long)            \
  X(uchar, unsigned char) X(ushort, unsigned short) X(uint, unsigned int) X(ulong, unsigned long)                 \
  X(ulonglong, unsigned long long) X(int8, int8_t) X(int16, int16_t) X(int32, int32_t) X(int64, int64_t)          \
  X(uint8, uint8_t) X(uint16, uint16_t) X(uint32, uint32_t) X(uint64, uint64_t) X(size, size_t)

#if defined(__SHMEMU_GPU__)  /* under nvcc: its toolkit's types */
#define SHMEMU_HALF_TYPES(X) X(half, half) X(bfloat16, __nv_bfloat16)
#elif defined(__cplusplus) && defined(__has_include)
#if __has_include("../../cuda_fp16.h") && __has_include("../../cuda_bf16.h") /* ours, never a toolkit's */
#include "../../cuda_bf16.h"
#include "../../cuda_fp16.h"
#define SHMEMU_HALF_TYPES(X) X(half, half) X(bfloat16, __nv_bfloat16)
#endif
#endif
#ifndef SHMEMU_HALF_TYPES
#define SHMEMU_HALF_TYPES(X)
#endif

/* put, get, p, g, broadcast, alltoall, fcollect: 25 types */
#define SHMEMU_RMA_TYPES(X) \
  SHMEMU_HALF_TYPES(X) X(float, float) X(double, double) SHMEMU_INTEGER_TYPES(X) X(ptrdiff, ptrdiff_t)
/* X(bits in the name, bytes per element) */
#define SHMEMU_SIZES(X) X(8, 1) X(16, 2) X(32, 4) X(64, 8) X(128, 16)
/* wait, test: 14 types */
#define SHMEMU_WAIT_TYPES(X)                                                                                      \
  X(short, short) X(int, int) X(long, long) X(longlong, long long) X(ushort, unsigned short)                      \
  X(uint, unsigned int) X(ulong, unsigned long) X(ulonglong, unsigned long long) X(int32, int32_t)                \
  X(int64, int64_t) X(uint32, uint32_t) X(uint64, uint64_t) X(size, size_t) X(ptrdiff, ptrdiff_t)
/* reductions: and, or, xor know 14 types; min, max, sum, prod know 24 */
#define SHMEMU_REDUCE_BITWISE_TYPES(X)                                                                            \
  X(uchar, unsigned char) X(ushort, unsigned short) X(uint, unsigned int) X(ulong, unsigned long)                 \
  X(ulonglong, unsigned long long) X(int8, int8_t) X(int16, int16_t) X(int32, int32_t) X(int64, int64_t)          \
  X(uint8, uint8_t) X(uint16, uint16_t) X(uint32, uint32_t) X(uint64, uint64_t) X(size, size_t)
#define SHMEMU_REDUCE_TYPES(X) SHMEMU_HALF_TYPES(X) X(float, float) X(double, double) SHMEMU_INTEGER_TYPES(X)
/* atomics: and, or, xor 7; compare_swap 12; set, fetch, swap 14; add, inc 9 (3.3.9 declares the signed 64-bit names of
 * the specification but implements them nowhere, so they are missing here as well) */
#define SHMEMU_AMO_BITWISE_TYPES(X)                                                                               \
  X(uint, unsigned int) X(ulong, unsigned long) X(ulonglong, unsigned long long) X(int32, int32_t)                \
  X(uint32, uint32_t) X(int64, int64_t) X(uint64, uint64_t)
#define SHMEMU_AMO_COMPARE_TYPES(X)                                                                               \
  SHMEMU_AMO_BITWISE_TYPES(X) X(int, int) X(long, long) X(longlong, long long) X(size, size_t)                    \
  X(ptrdiff, ptrdiff_t)
#define SHMEMU_AMO_SET_TYPES(X) SHMEMU_AMO_COMPARE_TYPES(X) X(float, float) X(double, double)
#define SHMEMU_AMO_ADD_TYPES(X)                                                                                   \
  X(uint, unsigned int) X(ulong, unsigned long) X(ulonglong, unsigned long long) X(int, int)                      \
  X(long, long) X(int32, int32_t) X(uint32, uint32_t) X(uint64, uint64_t) X(size, size_t)
/* clang-format on */

/* element name → shmemu_type */
#define SHMEMU_T_char SHMEMU_I8
#define SHMEMU_T_schar SHMEMU_I8
#define SHMEMU_T_short SHMEMU_I16
#define SHMEMU_T_int SHMEMU_I32
#define SHMEMU_T_long SHMEMU_I64
#define SHMEMU_T_longlong SHMEMU_I64
#define SHMEMU_T_uchar SHMEMU_U8
#define SHMEMU_T_ushort SHMEMU_U16
#define SHMEMU_T_uint SHMEMU_U32
#define SHMEMU_T_ulong SHMEMU_U64
#define SHMEMU_T_ulonglong SHMEMU_U64
#define SHMEMU_T_int8 SHMEMU_I8
#define SHMEMU_T_int16 SHMEMU_I16
#define SHMEMU_T_int32 SHMEMU_I32
#define SHMEMU_T_int64 SHMEMU_I64
#define SHMEMU_T_uint8 SHMEMU_U8
#define SHMEMU_T_uint16 SHMEMU_U16
#define SHMEMU_T_uint32 SHMEMU_U32
#define SHMEMU_T_uint64 SHMEMU_U64
#define SHMEMU_T_size SHMEMU_U64
#define SHMEMU_T_ptrdiff SHMEMU_I64
#define SHMEMU_T_half SHMEMU_F16
#define SHMEMU_T_bfloat16 SHMEMU_BF16
#define SHMEMU_T_float SHMEMU_F32
#define SHMEMU_T_double SHMEMU_F64
#endif
