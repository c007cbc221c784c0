// `shmemu run`: a program on emulated PEs.
#pragma once
#include <CLI/CLI.hpp>

#include "layout.hpp"

namespace shmemu::tools {

void add_run(CLI::App& app, const Layout& layout);

}  // namespace shmemu::tools
