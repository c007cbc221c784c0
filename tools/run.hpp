// `shmemu run`: a program on emulated PEs.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "layout.hpp"

namespace shmemu::tools {

void add_run(CLI::App& app, const Layout& layout);
// Puts "--" before the program, so that its own options are not taken for ours. arguments[0] is "run".
std::vector<std::string> separate_program(const CLI::App& app, std::vector<std::string> arguments);

}  // namespace shmemu::tools
