/* OpenSHMEM 1.5: constants, handles, and the lists of element types (tables 3 to 10 of the standard). No functions but
 * the two that every other chapter needs. */
#ifndef SHMEMU_SHMEM_TYPES_H
#define SHMEMU_SHMEM_TYPES_H
#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include "../abi.h"

/* A wrapper vanishes (no frame, no source line of its own), so that reports name the user's line. */
#if defined(__clang__)
#define SHMEMU_SHMEM static inline __attribute__((always_inline, nodebug, unused))
#else
#define SHMEMU_SHMEM static inline __attribute__((always_inline, unused))
#endif

/* ---- versions ---- */
#define SHMEM_MAJOR_VERSION 1
#define SHMEM_MINOR_VERSION 5
#define SHMEM_MAX_NAME_LEN 256
#define SHMEM_VENDOR_STRING "shmemu"
#define _SHMEM_MAJOR_VERSION SHMEM_MAJOR_VERSION
#define _SHMEM_MINOR_VERSION SHMEM_MINOR_VERSION
#define _SHMEM_MAX_NAME_LEN SHMEM_MAX_NAME_LEN
#define _SHMEM_VENDOR_STRING SHMEM_VENDOR_STRING

/* ---- constants ---- */
enum { SHMEM_THREAD_SINGLE, SHMEM_THREAD_FUNNELED, SHMEM_THREAD_SERIALIZED, SHMEM_THREAD_MULTIPLE };
enum { SHMEM_CMP_EQ = 0, SHMEM_CMP_NE = 1, SHMEM_CMP_GT = 2, SHMEM_CMP_LE = 3, SHMEM_CMP_LT = 4, SHMEM_CMP_GE = 5 };
enum { SHMEM_SIGNAL_SET = 9, SHMEM_SIGNAL_ADD = 10 };
enum { SHMEM_CTX_SERIALIZED = 1, SHMEM_CTX_PRIVATE = 2, SHMEM_CTX_NOSTORE = 4 };
enum { SHMEM_MALLOC_ATOMICS_REMOTE = 1, SHMEM_MALLOC_SIGNAL_REMOTE = 2 };
#define SHMEM_TEAM_NUM_CONTEXTS 1L
#define _SHMEM_CMP_EQ SHMEM_CMP_EQ
#define _SHMEM_CMP_NE SHMEM_CMP_NE
#define _SHMEM_CMP_GT SHMEM_CMP_GT
#define _SHMEM_CMP_LE SHMEM_CMP_LE
#define _SHMEM_CMP_LT SHMEM_CMP_LT
#define _SHMEM_CMP_GE SHMEM_CMP_GE

/* work arrays of the deprecated active-set collectives: wanted by the standard, not used here */
#define SHMEM_SYNC_VALUE (-1L)
#define SHMEM_SYNC_SIZE 8
#define SHMEM_BARRIER_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_BCAST_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_COLLECT_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_REDUCE_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_ALLTOALL_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_ALLTOALLS_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_REDUCE_MIN_WRKDATA_SIZE 8
#define _SHMEM_SYNC_VALUE SHMEM_SYNC_VALUE
#define _SHMEM_BARRIER_SYNC_SIZE SHMEM_SYNC_SIZE
#define _SHMEM_BCAST_SYNC_SIZE SHMEM_SYNC_SIZE
#define _SHMEM_COLLECT_SYNC_SIZE SHMEM_SYNC_SIZE
#define _SHMEM_REDUCE_SYNC_SIZE SHMEM_SYNC_SIZE
#define _SHMEM_REDUCE_MIN_WRKDATA_SIZE SHMEM_REDUCE_MIN_WRKDATA_SIZE

/* ---- handles: teams have the numbers of NVSHMEM's, so that both libraries name the same team ---- */
typedef int shmem_team_t;
#define SHMEM_TEAM_INVALID ((shmem_team_t)-1)
#define SHMEM_TEAM_WORLD ((shmem_team_t)0)
#define SHMEM_TEAM_SHARED ((shmem_team_t)1)
typedef struct {
  int num_contexts;
} shmem_team_config_t;
typedef struct shmem_context {
  shmem_team_t team; /* whose PE numbers it counts in */
  long options;
} * shmem_ctx_t;
SHMEMU_C struct shmem_context shmemu_default_context;
#define SHMEM_CTX_DEFAULT (&shmemu_default_context)
#define SHMEM_CTX_INVALID ((shmem_ctx_t)0)

SHMEMU_C int __shmemu_context_pe(shmem_ctx_t ctx, int pe); /* its number in the world */

/* ---- element types: X(name in the function, C type) ---- */
/* clang-format off */
#define SHMEMU_SHMEM_FIXED_TYPES(X)                                                                                  \
  X(int8, int8_t) X(int16, int16_t) X(int32, int32_t) X(int64, int64_t) X(uint8, uint8_t) X(uint16, uint16_t)         \
  X(uint32, uint32_t) X(uint64, uint64_t) X(size, size_t) X(ptrdiff, ptrdiff_t)
/* distinct types of C: what a _Generic or an overload can tell apart */
#define SHMEMU_SHMEM_C_TYPES(X)                                                                                      \
  X(float, float) X(double, double) X(longdouble, long double) X(char, char) X(schar, signed char) X(short, short)    \
  X(int, int) X(long, long) X(longlong, long long) X(uchar, unsigned char) X(ushort, unsigned short)                  \
  X(uint, unsigned int) X(ulong, unsigned long) X(ulonglong, unsigned long long)
#define SHMEMU_SHMEM_RMA_TYPES(X) SHMEMU_SHMEM_C_TYPES(X) SHMEMU_SHMEM_FIXED_TYPES(X)
#define SHMEMU_SHMEM_SIZES(X) X(8, 1) X(16, 2) X(32, 4) X(64, 8) X(128, 16)

#define SHMEMU_SHMEM_AMO_C_TYPES(X)                                                                                  \
  X(int, int) X(long, long) X(longlong, long long) X(uint, unsigned int) X(ulong, unsigned long)                      \
  X(ulonglong, unsigned long long)
#define SHMEMU_SHMEM_AMO_FIXED_TYPES(X)                                                                              \
  X(int32, int32_t) X(int64, int64_t) X(uint32, uint32_t) X(uint64, uint64_t) X(size, size_t) X(ptrdiff, ptrdiff_t)
#define SHMEMU_SHMEM_AMO_TYPES(X) SHMEMU_SHMEM_AMO_C_TYPES(X) SHMEMU_SHMEM_AMO_FIXED_TYPES(X)
#define SHMEMU_SHMEM_AMO_FLOAT_TYPES(X) X(float, float) X(double, double)
#define SHMEMU_SHMEM_AMO_BITWISE_C_TYPES(X)                                                                          \
  X(uint, unsigned int) X(ulong, unsigned long) X(ulonglong, unsigned long long)
#define SHMEMU_SHMEM_AMO_BITWISE_TYPES(X)                                                                            \
  SHMEMU_SHMEM_AMO_BITWISE_C_TYPES(X) X(int32, int32_t) X(int64, int64_t) X(uint32, uint32_t) X(uint64, uint64_t)

#define SHMEMU_SHMEM_WAIT_C_TYPES(X)                                                                                 \
  X(short, short) X(int, int) X(long, long) X(longlong, long long) X(ushort, unsigned short) X(uint, unsigned int)    \
  X(ulong, unsigned long) X(ulonglong, unsigned long long)
#define SHMEMU_SHMEM_WAIT_TYPES(X) SHMEMU_SHMEM_WAIT_C_TYPES(X) SHMEMU_SHMEM_AMO_FIXED_TYPES(X)

#define SHMEMU_SHMEM_BITWISE_C_TYPES(X)                                                                              \
  X(uchar, unsigned char) X(ushort, unsigned short) X(uint, unsigned int) X(ulong, unsigned long)                     \
  X(ulonglong, unsigned long long)
#define SHMEMU_SHMEM_BITWISE_TYPES(X)                                                                                \
  SHMEMU_SHMEM_BITWISE_C_TYPES(X) X(int8, int8_t) X(int16, int16_t) X(int32, int32_t) X(int64, int64_t)               \
  X(uint8, uint8_t) X(uint16, uint16_t) X(uint32, uint32_t) X(uint64, uint64_t) X(size, size_t)
#ifdef __cplusplus
#include <complex>
#define SHMEMU_SHMEM_COMPLEX_TYPES(X) X(complexf, std::complex<float>) X(complexd, std::complex<double>)
#else
#define SHMEMU_SHMEM_COMPLEX_TYPES(X) X(complexf, float _Complex) X(complexd, double _Complex)
#endif
/* clang-format on */

/* element name → shmemu_type */
#define SHMEMU_E_float SHMEMU_F32
#define SHMEMU_E_double SHMEMU_F64
#define SHMEMU_E_longdouble SHMEMU_LONG_DOUBLE
#define SHMEMU_E_complexf SHMEMU_COMPLEX_FLOAT
#define SHMEMU_E_complexd SHMEMU_COMPLEX_DOUBLE
#define SHMEMU_E_char SHMEMU_I8
#define SHMEMU_E_schar SHMEMU_I8
#define SHMEMU_E_short SHMEMU_I16
#define SHMEMU_E_int SHMEMU_I32
#define SHMEMU_E_long SHMEMU_I64
#define SHMEMU_E_longlong SHMEMU_I64
#define SHMEMU_E_uchar SHMEMU_U8
#define SHMEMU_E_ushort SHMEMU_U16
#define SHMEMU_E_uint SHMEMU_U32
#define SHMEMU_E_ulong SHMEMU_U64
#define SHMEMU_E_ulonglong SHMEMU_U64
#define SHMEMU_E_int8 SHMEMU_I8
#define SHMEMU_E_int16 SHMEMU_I16
#define SHMEMU_E_int32 SHMEMU_I32
#define SHMEMU_E_int64 SHMEMU_I64
#define SHMEMU_E_uint8 SHMEMU_U8
#define SHMEMU_E_uint16 SHMEMU_U16
#define SHMEMU_E_uint32 SHMEMU_U32
#define SHMEMU_E_uint64 SHMEMU_U64
#define SHMEMU_E_size SHMEMU_U64
#define SHMEMU_E_ptrdiff SHMEMU_I64
#endif
