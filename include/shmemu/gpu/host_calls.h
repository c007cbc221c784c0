/* Host side of calls.h: functions of the GPU executor (src/gpu). Arguments as in abi.h. */
#ifndef SHMEMU_GPU_HOST_CALLS_H
#define SHMEMU_GPU_HOST_CALLS_H
#include "../abi.h"

SHMEMU_C void shmemu_host_put(void* dest, const void* source, size_t bytes, int pe, int scope, int nbi);
SHMEMU_C void shmemu_host_get(void* dest, const void* source, size_t bytes, int pe, int scope, int nbi);
SHMEMU_C void shmemu_host_strided(int kind, void* dest, const void* source, ptrdiff_t dest_stride,
                                  ptrdiff_t source_stride, size_t elements, size_t element_bytes, int pe, int scope);
SHMEMU_C void shmemu_host_p(void* dest, const void* value, size_t bytes, int pe);
SHMEMU_C void shmemu_host_g(void* result, const void* source, size_t bytes, int pe);
SHMEMU_C void shmemu_host_put_signal(void* dest, const void* source, size_t bytes, uint64_t* signal_address,
                                     uint64_t signal, int signal_op, int pe, int scope, int nbi);
SHMEMU_C void shmemu_host_signal_op(uint64_t* signal_address, uint64_t signal, int signal_op, int pe);
SHMEMU_C uint64_t shmemu_host_signal_fetch(const uint64_t* signal_address);
SHMEMU_C uint64_t shmemu_host_atomic(void* dest, int amo, int type, uint64_t operand, uint64_t compare, int pe);
SHMEMU_C uint64_t shmemu_host_wait(const volatile void* address, int type, int cmp, uint64_t value);
SHMEMU_C int shmemu_host_test(const volatile void* address, int type, int cmp, uint64_t value);
SHMEMU_C size_t shmemu_host_wait_set(int which, int testing, const volatile void* addresses, size_t elements,
                                     size_t* indices, const int* status, int type, int cmp, uint64_t value,
                                     const void* values);
SHMEMU_C int shmemu_host_collective(int kind, int team, void* dest, const void* source, size_t count,
                                    size_t element_bytes, int type, int op, int root, int scope);
SHMEMU_C void shmemu_host_quiet(void);
SHMEMU_C int shmemu_host_my_pe(void);
SHMEMU_C int shmemu_host_n_pes(void);
SHMEMU_C void* shmemu_host_pointer(const void* mine, int pe);
SHMEMU_C int shmemu_host_team_field(int team, int size);
SHMEMU_C int shmemu_host_translate(int from, int pe, int to);
SHMEMU_C void shmemu_host_global_exit(int status);
#endif
