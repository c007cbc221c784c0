// Child processes and temporary files of `shmemu cc` and `shmemu grade`. No shell is involved.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace shmemu::tools::cc {

struct Command {
  std::vector<std::string> arguments;                            // the first is the program
  std::vector<std::pair<std::string, std::string>> environment;  // added to ours
  std::filesystem::path errors;                                  // stderr goes to this file when set
  std::filesystem::path output{};                                // stdout likewise
};

/// The command as one could type it.
std::string to_string(const Command&);

/// Starts a command; throws std::runtime_error when the program cannot be started.
pid_t start(const Command&, bool verbose);
/// Exit code of a started command; 128 + signal when it was killed.
int wait_for(pid_t);
int run(const Command&, bool verbose);

/// A directory that disappears with the object, unless kept.
class TemporaryDirectory {
 public:
  explicit TemporaryDirectory(bool keep);
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  bool keep_;
};

/// The program in PATH or in LLVM 19's own folder; empty when there is none.
std::filesystem::path find_clang(const std::string& name);

}  // namespace shmemu::tools::cc
