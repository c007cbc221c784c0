// One run of an answer for `shmemu grade`, in a child process of our own binary: what it printed, how it ended, what
// was found. Judges nothing.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/time.hpp"

namespace shmemu::tools {

struct GradeFinding {
  std::string rule, text;     // what it is, the values, the remedy
  std::string first, second;  // "file:line"; `first` is empty where one call alone is wrong
};

struct RunOutcome {
  int code = 0;  // of `shmemu run`; 128 + signal
  bool out_of_patience = false;
  std::vector<std::string> printed;  // by the program, sorted
  std::string errors;                // on standard error
  std::vector<GradeFinding> findings;
  std::optional<Time> virtual_time;  // none when the run did not come to its end
};

// `arguments` follow "shmemu run"; files go to `scratch`. Killed after `patience_seconds` of wall time.
RunOutcome run_answer(const std::vector<std::string>& arguments, const std::filesystem::path& scratch,
                      double patience_seconds);

}  // namespace shmemu::tools
