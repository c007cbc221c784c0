// `shmemu grade LESSON PROGRAM.cu`: builds an answer to an exercise of the course, runs it and says what is wrong.
#pragma once
#include <CLI/CLI.hpp>

#include "layout.hpp"

namespace shmemu::tools {

void add_grade(CLI::App& app, const Layout& layout);

}  // namespace shmemu::tools
