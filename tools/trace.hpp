// `shmemu trace`: looks into traces of programs (shmemu run --record) and into profiles.
#pragma once
#include <CLI/CLI.hpp>

namespace shmemu::tools {

void add_trace(CLI::App& app);

}  // namespace shmemu::tools
