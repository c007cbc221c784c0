// `shmemu validate`: predicted beside measured; `shmemu calibrate`: a GPU's file from measured rows.
#pragma once
#include <CLI/CLI.hpp>

#include "layout.hpp"

namespace shmemu::tools {

void add_validate(CLI::App& app, const Layout& layout);
void add_calibrate(CLI::App& app, const Layout& layout);

}  // namespace shmemu::tools
