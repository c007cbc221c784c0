// What unit tests share: temporary files, the shipped platform, and a look at code that must abort.
#pragma once
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include <catch2/catch.hpp>

#include "model/platform.hpp"

template <>
struct Catch::StringMaker<shmemu::Time> {
  static std::string convert(shmemu::Time t) { return std::to_string(t.ps) + " ps"; }
};

namespace shmemu::test {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "shmemu-unit-XXXXXX").string();
    if (!mkdtemp(pattern.data())) throw std::runtime_error("cannot make a temporary folder");
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

inline std::filesystem::path platform_folder() { return std::filesystem::path(SHMEMU_SOURCE) / "platforms"; }
// One node of 8 H200: its constants are those of the closed forms in the comments.
inline const Platform& h200_node() {
  static const Platform platform = load_platform(platform_folder(), "hgx-h200");
  return platform;
}

// Runs `f` in a child process; what it wrote to standard error if it was aborted, else an empty text.
template <class F>
std::string abort_message(F&& f) {
  int ends[2];
  if (pipe(ends)) throw std::runtime_error("pipe");
  pid_t child = fork();
  if (child == 0) {
    signal(SIGABRT, SIG_DFL);
    dup2(ends[1], 2);
    f();
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char buffer[1024];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT ? text : "";
}

}  // namespace shmemu::test
