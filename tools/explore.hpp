// `shmemu run --explore K`: the program once as observed and under K adverse schedules, each a child process. Says
// which seeds show another result, a hang or a finding, and how to see the smallest of each again.
#pragma once
#include <string>
#include <vector>

namespace shmemu::tools {

struct Exploration {
  std::vector<std::string> options;  // of `shmemu run`, without delivery and seed
  std::vector<std::string> program;  // and its arguments
  int schedules = 0;
  uint64_t first_seed = 1;
  bool json = false;
};

// Throws UserError when something was found: exit code 4 for a hang, else 3.
void explore(const Exploration& what);

}  // namespace shmemu::tools
