// How the executables end: what a UserError says on standard error, and its code.
#pragma once
#include <cstdio>

#include <fmt/format.h>

#include "base/errors.hpp"

namespace shmemu::tools {

// Runs `body`, which returns the exit code, and writes out all that was printed. The caller ends by _exit: copies of
// the program have destructors of their own, which ran when their PE ended.
template <class Body>
int exit_code_of(Body body) {
  int code;
  try {
    code = body();
  } catch (const UserError& e) {
    std::fflush(stdout);
    fmt::print(stderr, "shmemu: {}\n", e.what());
    code = static_cast<int>(e.code());
  }
  std::fflush(nullptr);
  return code;
}

}  // namespace shmemu::tools
