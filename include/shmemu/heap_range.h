/* Where the symmetric heaps of all PEs lie: the same in every run, so that compiled code can tell their addresses from
 * others with two constants. Clear of the executable (0x55..), shared libraries (0x7f..) and AddressSanitizer's shadow
 * and allocator. */
#pragma once

#define SHMEMU_HEAPS_BEGIN 0x110000000000ull
#define SHMEMU_HEAPS_SPAN (1ull << 46)
