/* The CUDA runtime for programs of shmemu: host API everywhere, device language in .cu files.
 *
 * `shmemu cc` includes this before a .cu file, as nvcc does. The order matters and is the only thing decided here: what
 * the device overloads of the C and C++ library are must be known before the first library header (see
 * device_libc.h, device_math.h). Own text throughout; no header of NVIDIA is used.
 */
#ifndef SHMEMU_CUDA_RUNTIME_H
#define SHMEMU_CUDA_RUNTIME_H
/* clang-format off */
#include "shmemu/cuda/keywords.h"

#if defined(__CUDA__) && defined(__cplusplus)
#include <__clang_cuda_math_forward_declares.h>
#include "shmemu/cuda/device_libc.h"
#include <stdlib.h>
#include <string.h>
#endif

#include "shmemu/cuda/runtime_api.h"
#include "shmemu/cuda/vector_functions.h"

#if defined(__CUDA__) && defined(__cplusplus)
#include "shmemu/cuda/device_math.h"
#include "shmemu/cuda/device_threads.h"
#include "shmemu/cuda/device_bits.h"
#include "shmemu/cuda/device_memory.h"
#include "shmemu/cuda/device_atomics.h"
#include "shmemu/cuda/device_time.h"
/* what nvcc's own header brings along, and programs rely on */
#include <assert.h>
#include <new>
#include <stdio.h>
#include <time.h>
#endif
#endif
