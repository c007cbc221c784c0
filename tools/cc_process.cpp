#include "cc_process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iostream>
#include <stdexcept>

namespace shmemu::tools::cc {
namespace {

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (std::string& s : strings) result.push_back(s.data());
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> extended_environment(const Command& command) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable; ++variable) {
    const std::string entry = *variable;
    bool replaced = false;
    for (const auto& [name, value] : command.environment) replaced |= entry.starts_with(name + "=");
    if (!replaced) variables.push_back(entry);
  }
  for (const auto& [name, value] : command.environment) variables.push_back(name + "=" + value);
  return variables;
}

std::string quoted(const std::string& word) {
  if (!word.empty() && word.find_first_of(" \t\n\"'\\$&|;<>()*?") == std::string::npos) return word;
  std::string result = "'";
  for (char c : word) result += c == '\'' ? "'\\''" : std::string(1, c);
  return result + "'";
}

}  // namespace

std::string to_string(const Command& command) {
  std::string text;
  for (const auto& [name, value] : command.environment) text += name + "=" + quoted(value) + " ";
  for (const std::string& argument : command.arguments) text += quoted(argument) + " ";
  text.pop_back();
  return text;
}

pid_t start(const Command& command, bool verbose) {
  if (verbose) std::cerr << to_string(command) << "\n";
  std::vector<std::string> arguments = command.arguments, environment = extended_environment(command);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (!command.errors.empty())
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, command.errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
  if (!command.output.empty())
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, command.output.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
  pid_t child = 0;
  const int error = posix_spawnp(&child, arguments[0].c_str(), &actions, nullptr, pointers(arguments).data(),
                                 pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error) throw std::runtime_error("cannot start " + arguments[0] + ": " + std::strerror(error));
  return child;
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) throw std::runtime_error(std::string("waitpid: ") + std::strerror(errno));
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int run(const Command& command, bool verbose) { return wait_for(start(command, verbose)); }

TemporaryDirectory::TemporaryDirectory(bool keep) : keep_(keep) {
  std::string pattern = (std::filesystem::temp_directory_path() / "shmemu-cc-XXXXXX").string();
  if (!mkdtemp(pattern.data())) throw std::runtime_error("cannot make a temporary directory: " + pattern);
  path_ = pattern;
  if (keep_) std::cerr << "shmemu cc: intermediate files are in " << pattern << "\n";
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  if (!keep_) std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path find_clang(const std::string& name) {
  const char* variable = std::getenv("PATH");
  const std::string path = variable ? variable : "";
  for (size_t start = 0; start <= path.size();) {
    const size_t end = std::min(path.find(':', start), path.size());
    const std::filesystem::path candidate = std::filesystem::path(path.substr(start, end - start)) / (name + "-19");
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
    start = end + 1;
  }
  const std::filesystem::path own = std::filesystem::path("/usr/lib/llvm-19/bin") / name;
  return access(own.c_str(), X_OK) == 0 ? own : std::filesystem::path();
}

}  // namespace shmemu::tools::cc
