/* Time in kernels: always virtual.
 *
 * clock() and clock64() come from clang's header as special registers, which the plugin turns into __shmemu_clock;
 * %globaltimer is read by PTX text in programs. Here is only what neither has.
 */
#ifndef SHMEMU_CUDA_DEVICE_TIME_H
#define SHMEMU_CUDA_DEVICE_TIME_H
#include "../abi.h"
#include "keywords.h"

SHMEMU_INLINE_D void __nanosleep(unsigned int ns) { __shmemu_nanosleep(ns); }
#endif
