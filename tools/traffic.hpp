// `shmemu traffic`: messages between GPUs without a program.
#pragma once
#include <CLI/CLI.hpp>

#include "layout.hpp"

namespace shmemu::tools {

void add_traffic(CLI::App& app, const Layout& layout);

}  // namespace shmemu::tools
