// libc per PE: rand, getopt, environ, exit handlers, clocks and sleeps behave as in a process of its own, with virtual
// time. The executable defines these C names, so that calls of the program and of shared libraries end here; outside a
// PE they do what the C library does.
#pragma once
#include "emu/core/pe.hpp"

namespace shmemu::emu {

void enter_libc(LibcState& state);
void leave_libc(LibcState& state);
// Ends the running PE: exit handlers, flush, last stop. Does not return.
[[noreturn]] void end_program(int code);

}  // namespace shmemu::emu
