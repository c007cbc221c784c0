// The environment's NVSHMEM_* variables that NVSHMEM does not know: a misspelt one changes nothing there either, so a
// run says it.
#pragma once
#include <string>
#include <vector>

namespace shmemu::emu {

// One sentence for each such variable in `environment`, a null-terminated list of NAME=value.
std::vector<std::string> unknown_variables(const char* const* environment);

}  // namespace shmemu::emu
