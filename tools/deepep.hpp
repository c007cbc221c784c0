// `shmemu deepep`: DeepEP V1 dispatch and combine on a platform, without DeepEP and without GPUs.
#pragma once
#include <CLI/CLI.hpp>

#include "layout.hpp"

namespace shmemu::tools {

void add_deepep(CLI::App& app, const Layout& layout);

}  // namespace shmemu::tools
