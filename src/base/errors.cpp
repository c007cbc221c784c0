#include "base/errors.hpp"

#include <cstdio>
#include <cstdlib>

namespace shmemu {

void assertion_failed(const char* expression, const char* file, int line, const std::string& values) {
  std::fflush(stdout);
  std::fprintf(stderr, "shmemu: internal error: %s is false (%s) at %s:%d; this is a bug of shmemu, please report it\n",
               expression, values.c_str(), file, line);
  std::abort();
}

}  // namespace shmemu
