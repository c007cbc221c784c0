/* shmem.h for nvcc: the same names; src/gpu/start_calls.cpp has those that start, end and allocate. */
#include "../../shmem.h"
