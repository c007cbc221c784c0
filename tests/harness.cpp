#include "harness.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

extern char** environ;

namespace shmemu::test {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct Pipe {
  int ends[2] = {-1, -1};
  Pipe() {
    if (pipe2(ends, O_CLOEXEC)) throw std::runtime_error("pipe: " + std::string(std::strerror(errno)));
  }
  ~Pipe() {
    for (int& end : ends) close_end(end);
  }
  static void close_end(int& end) {
    if (end >= 0) close(end);
    end = -1;
  }
};

class Scratch {
 public:
  Scratch() {
    std::string pattern = (fs::temp_directory_path() / "shmemu-test-XXXXXX").string();
    if (!mkdtemp(pattern.data())) throw std::runtime_error("cannot make a temporary folder");
    folder_ = pattern;
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  fs::path file(const std::string& name) const { return folder_ / name; }

 private:
  fs::path folder_;
};

std::string joined(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// Reads what has come; closes our end at end of file.
void drain(int& end, std::string& into) {
  char buffer[1 << 16];
  ssize_t n = read(end, buffer, sizeof buffer);
  if (n > 0) {
    into.append(buffer, static_cast<size_t>(n));
  } else {
    Pipe::close_end(end);
  }
}

}  // namespace

Result run(const Words& command, double limit_seconds) {
  Pipe out, err;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.ends[1], 1);
  posix_spawn_file_actions_adddup2(&actions, err.ends[1], 2);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);  // so that its children die with it
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  pid_t child = 0;
  auto begin = Clock::now();
  int failed = posix_spawnp(&child, argv[0], &actions, &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (failed) throw std::runtime_error("cannot start '" + command[0] + "': " + std::strerror(failed));
  Pipe::close_end(out.ends[1]);
  Pipe::close_end(err.ends[1]);

  Result result;
  auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  while (out.ends[0] >= 0 || err.ends[0] >= 0) {
    pollfd ends[2] = {{out.ends[0], POLLIN, 0}, {err.ends[0], POLLIN, 0}};
    int left = static_cast<int>((limit_seconds - elapsed()) * 1000);
    int ready = left > 0 ? poll(ends, 2, left) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) {
      kill(-child, SIGKILL);
      waitpid(child, nullptr, 0);
      throw std::runtime_error("not finished after " + std::to_string(limit_seconds) + " s: " + joined(command) +
                               "\n--- stdout\n" + result.out + "\n--- stderr\n" + result.err);
    }
    if (ends[0].revents) drain(out.ends[0], result.out);
    if (ends[1].revents) drain(err.ends[0], result.err);
  }
  int status = 0;
  waitpid(child, &status, 0);
  result.seconds = elapsed();
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

Result shmemu(const Words& arguments, double limit_seconds) {
  Words command{SHMEMU_BINARY};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return run(command, limit_seconds);
}

Result run_program(const std::string& name, const Words& options, const Words& arguments, double limit_seconds) {
  Words words{"run"};
  words.insert(words.end(), options.begin(), options.end());
  words.push_back(program(name).string());
  words.insert(words.end(), arguments.begin(), arguments.end());
  return shmemu(words, limit_seconds);
}

fs::path program(const std::string& name) { return fs::path(SHMEMU_PROGRAMS) / name; }
fs::path source(const std::string& name) { return fs::path(SHMEMU_SOURCE) / name; }

fs::path scratch(const std::string& name) {
  static Scratch folder;
  return folder.file(name);
}

std::vector<std::string> programs_of(const std::string& folder) {
  std::vector<std::string> names;
  fs::path where = folder == "examples" ? source("examples") : source("tests/" + folder);
  for (const auto& entry : fs::directory_iterator(where))
    if (fs::path e = entry.path().extension(); e == ".cu" || e == ".c" || e == ".cpp")
      names.push_back(folder + "/" + entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string read_file(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void write_file(const fs::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  if (!(out << text)) throw std::runtime_error("cannot write " + file.string());
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string show(const Result& r) {
  return "exit code " + std::to_string(r.code) + ", " + std::to_string(r.seconds) + " s\n--- stdout\n" + r.out +
         "--- stderr\n" + r.err;
}

}  // namespace shmemu::test
