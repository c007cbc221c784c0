/* OpenSHMEM programs may include it for vendor extensions; there are none. */
#ifndef SHMEMU_SHMEMX_H
#define SHMEMU_SHMEMX_H
#include "shmem.h"
#endif
