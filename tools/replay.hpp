// `shmemu replay`: a recorded trace on a platform.
#pragma once
#include <CLI/CLI.hpp>

#include "layout.hpp"

namespace shmemu::tools {

void add_replay(CLI::App& app, const Layout& layout);

}  // namespace shmemu::tools
