// `shmemu predict`: times of collectives over counts of PEs and sizes, without a program.
#pragma once
#include <CLI/CLI.hpp>

#include "layout.hpp"

namespace shmemu::tools {

void add_predict(CLI::App& app, const Layout& layout);

}  // namespace shmemu::tools
