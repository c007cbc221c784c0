// `shmemu cc`: compiles and links CUDA C++, C++ and C programs for emulation on the CPU.
//
// A .cu file is compiled twice by clang 19, for host and device; our plugin turns the device half into x86-64 code and
// both halves become one object. A program is a shared object that `shmemu run` loads once per PE. No file of the CUDA
// toolkit is used. Parts: cc_options (command line), cc_process (running clang), cc_symbols (link check).
#pragma once

#include <string>
#include <vector>

#include "layout.hpp"

namespace shmemu::tools {

/// Runs the subcommand; the result is the exit code: 0, 1 when compiling or linking failed, 2 for wrong usage.
int run_cc(const std::vector<std::string>& arguments, const Layout& layout);

}  // namespace shmemu::tools
