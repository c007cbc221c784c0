/* OpenSHMEM 1.5 for programs compiled by `shmemu cc`, in C and C++: the host calls of the public standard, over the
 * same runtime as NVSHMEM's. Symmetric are the heap and the global and static variables of the program. Typed names are
 * wrappers without logic; the chapters are in shmemu/shmem/, the runtime in src/emu.
 */
#ifndef SHMEMU_SHMEM_H
#define SHMEMU_SHMEM_H
#include "shmemu/shmem/types.h"

#include "shmemu/shmem/active_sets.h"
#include "shmemu/shmem/atomics.h"
#include "shmemu/shmem/collectives.h"
#include "shmemu/shmem/rma.h"
#include "shmemu/shmem/setup.h"
#include "shmemu/shmem/waits.h"

#include "shmemu/shmem/generics.h"
#include "shmemu/shmem/overloads.h"
#endif
