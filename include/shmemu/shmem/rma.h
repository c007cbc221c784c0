/* OpenSHMEM 1.5, 9.6 and 9.8: put, get, p, g, strided and non-blocking forms, put with signal; with and without a
 * context, whose team the PE numbers count in. */
#ifndef SHMEMU_SHMEM_RMA_H
#define SHMEMU_SHMEM_RMA_H
#include "types.h"

/* F(name, context parameter with its comma, PE) for the form without and with a context */
#define SHMEMU_BOTH(F, FUNCTION, ...)    \
  F(shmem_##FUNCTION, , pe, __VA_ARGS__) \
  F(shmem_ctx_##FUNCTION, shmem_ctx_t ctx SHMEMU_COMMA, __shmemu_context_pe(ctx, pe), __VA_ARGS__)
#define SHMEMU_COMMA ,

#define SHMEMU_COPY(FUNCTION, CTX, PE, TYPE, BYTES, CALL, NBI)                            \
  SHMEMU_SHMEM void FUNCTION(CTX TYPE* dest, const TYPE* source, size_t nelems, int pe) { \
    __shmemu_##CALL(dest, source, nelems* BYTES, PE, SHMEMU_THREAD, NBI);                 \
  }
#define SHMEMU_STRIDES(FUNCTION, CTX, PE, TYPE, BYTES, CALL)                                                  \
  SHMEMU_SHMEM void FUNCTION(CTX TYPE* dest, const TYPE* source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, \
                             int pe) {                                                                        \
    __shmemu_##CALL(dest, source, dst, sst, nelems, BYTES, PE, SHMEMU_THREAD);                                \
  }
#define SHMEMU_SIGNALLED(FUNCTION, CTX, PE, TYPE, BYTES, NBI)                                                        \
  SHMEMU_SHMEM void FUNCTION(CTX TYPE* dest, const TYPE* source, size_t nelems, uint64_t* sig_addr, uint64_t signal, \
                             int sig_op, int pe) {                                                                   \
    __shmemu_put_signal(dest, source, nelems* BYTES, sig_addr, signal, sig_op, PE, SHMEMU_THREAD, NBI);              \
  }
#define SHMEMU_ONE(FUNCTION, CTX, PE, TYPE, ...)                                                                    \
  SHMEMU_SHMEM void FUNCTION##p(CTX TYPE* dest, TYPE value, int pe) { __shmemu_p(dest, &value, sizeof(TYPE), PE); } \
  SHMEMU_SHMEM TYPE FUNCTION##g(CTX const TYPE* source, int pe) {                                                   \
    TYPE result;                                                                                                    \
    __shmemu_g(&result, source, sizeof(TYPE), PE);                                                                  \
    return result;                                                                                                  \
  }

#define SHMEMU_X(NAME, TYPE)                                                  \
  SHMEMU_BOTH(SHMEMU_COPY, NAME##_put, TYPE, sizeof(TYPE), put, 0)            \
  SHMEMU_BOTH(SHMEMU_COPY, NAME##_put_nbi, TYPE, sizeof(TYPE), put, 1)        \
  SHMEMU_BOTH(SHMEMU_COPY, NAME##_get, TYPE, sizeof(TYPE), get, 0)            \
  SHMEMU_BOTH(SHMEMU_COPY, NAME##_get_nbi, TYPE, sizeof(TYPE), get, 1)        \
  SHMEMU_BOTH(SHMEMU_STRIDES, NAME##_iput, TYPE, sizeof(TYPE), iput)          \
  SHMEMU_BOTH(SHMEMU_STRIDES, NAME##_iget, TYPE, sizeof(TYPE), iget)          \
  SHMEMU_BOTH(SHMEMU_SIGNALLED, NAME##_put_signal, TYPE, sizeof(TYPE), 0)     \
  SHMEMU_BOTH(SHMEMU_SIGNALLED, NAME##_put_signal_nbi, TYPE, sizeof(TYPE), 1) \
  SHMEMU_BOTH(SHMEMU_ONE, NAME##_, TYPE, 0)
SHMEMU_SHMEM_RMA_TYPES(SHMEMU_X)
#undef SHMEMU_X

#define SHMEMU_X(BITS, BYTES)                                       \
  SHMEMU_BOTH(SHMEMU_COPY, put##BITS, void, BYTES, put, 0)          \
  SHMEMU_BOTH(SHMEMU_COPY, put##BITS##_nbi, void, BYTES, put, 1)    \
  SHMEMU_BOTH(SHMEMU_COPY, get##BITS, void, BYTES, get, 0)          \
  SHMEMU_BOTH(SHMEMU_COPY, get##BITS##_nbi, void, BYTES, get, 1)    \
  SHMEMU_BOTH(SHMEMU_SIGNALLED, put##BITS##_signal, void, BYTES, 0) \
  SHMEMU_BOTH(SHMEMU_SIGNALLED, put##BITS##_signal_nbi, void, BYTES, 1)
SHMEMU_SHMEM_SIZES(SHMEMU_X)
SHMEMU_X(mem, 1)
#undef SHMEMU_X
#define SHMEMU_X(BITS, BYTES)                                \
  SHMEMU_BOTH(SHMEMU_STRIDES, iput##BITS, void, BYTES, iput) \
  SHMEMU_BOTH(SHMEMU_STRIDES, iget##BITS, void, BYTES, iget)
SHMEMU_SHMEM_SIZES(SHMEMU_X)
#undef SHMEMU_X
#undef SHMEMU_COPY
#undef SHMEMU_STRIDES
#undef SHMEMU_SIGNALLED
#undef SHMEMU_ONE
#endif
