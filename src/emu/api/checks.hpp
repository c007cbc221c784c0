// Checks every NVSHMEM call shares: is the library up, does the PE exist, is the address symmetric. A wrong argument is
// an error at the call, with both places and the remedy (rule names: sym.not-symmetric, sym.peer-mapping …).
#pragma once
#include <cstdint>

#include "emu/core/current.hpp"
#include "emu/core/world.hpp"

namespace shmemu::emu {

// The running PE, initialised; an error that names `call` otherwise.
Pe& shmem_pe(const char* call, uint64_t site);
// The world number of PE `pe` of the caller's job.
PeId checked_pe(int pe, const char* call, uint64_t site);
// Whether `p`, the destination of a write, is another PE's copy as mapped here. The library would translate it once
// more and write elsewhere, so the write is lost: a finding, and the run fails at its end.
bool is_astray(const void* p, uint64_t bytes, PeId target, const char* call, const char* argument, uint64_t site);
// Translates a symmetric address of the calling PE to the copy on `target`.
uint64_t translate(const void* address, uint64_t bytes, PeId target, const char* call, const char* argument,
                   uint64_t site);
// Whether OpenSHMEM is up and `p` points into the global variables of the program.
bool is_static_symmetric(const Pe& pe, const volatile void* p, uint64_t bytes);
// An address whose memory the caller itself owns (waits, local reads of signals).
uint64_t own_symmetric(const volatile void* address, uint64_t bytes, const char* call, const char* argument,
                       uint64_t site);
// The number of a queue pair that the program names by its handle; 0: the library chooses.
uint32_t checked_qp(int handle, const char* call, uint64_t site);
// The local side of a transfer: anything but null.
void checked_local(const void* address, uint64_t bytes, const char* call, const char* argument, uint64_t site);
// … and where an adapter reads or writes it, symmetric or registered memory: an error then, a warning where loads and
// stores reach the target. OpenSHMEM allows any memory.
void checked_local(const void* address, uint64_t bytes, PeId target, const char* call, const char* argument,
                   uint64_t site);
// Buffers of collectives are symmetric on every path.
void checked_collective_buffer(const void* address, uint64_t bytes, const char* call, const char* argument,
                               uint64_t site);

}  // namespace shmemu::emu
