// `shmemu platform`.
#pragma once
#include <CLI/CLI.hpp>

#include "layout.hpp"

namespace shmemu::tools {

void add_platform(CLI::App& app, const Layout& layout);

}  // namespace shmemu::tools
