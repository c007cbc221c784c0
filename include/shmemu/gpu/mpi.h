/* mpi.h for nvcc: the same names; src/gpu/start_calls.cpp has those that set-up code uses. */
#include "../../mpi.h"
