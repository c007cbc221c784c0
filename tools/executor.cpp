#include "executor.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "cc_gpu.hpp"

namespace shmemu::tools {

std::vector<std::string> choose_executor(std::vector<std::string> words, const Layout& layout) {
  std::string executor = "auto";
  // words[0] is "run"; the program stands after "--"
  auto end = std::find(words.begin(), words.end(), "--");
  auto at = std::find_if(words.begin(), end,
                         [](const std::string& w) { return w == "--executor" || w.starts_with("--executor="); });
  if (at != end) {
    bool joined = *at != "--executor";
    if (!joined && at + 1 == end) throw UserError(ExitCode::usage, "--executor needs a value: cpu, gpu or auto");
    executor = joined ? at->substr(std::strlen("--executor=")) : *(at + 1);
    words.erase(at, at + (joined ? 1 : 2));
  }
  if (executor != "auto" && executor != "cpu" && executor != "gpu")
    throw UserError(ExitCode::usage, fmt::format("--executor {}: it is cpu, gpu or auto", executor));
  end = std::find(words.begin(), words.end(), "--");
  bool built_for_gpu = end != words.end() && end + 1 != words.end() && cc::is_gpu_program(*(end + 1));
  if (executor == "cpu" && built_for_gpu)
    throw UserError(
        ExitCode::usage,
        fmt::format("'{}' was built by `shmemu cc --gpu` and runs on real GPUs only; build it without --gpu",
                    *(end + 1)));
  if (executor == "gpu" && !built_for_gpu && end != words.end() && end + 1 != words.end())
    throw UserError(ExitCode::usage,
                    fmt::format("'{}' was not built for real GPUs; build it with `shmemu cc --gpu`", *(end + 1)));
  if (executor == "cpu" || !built_for_gpu) return words;
  std::vector<char*> argv{const_cast<char*>("shmemu run")};
  for (size_t i = 1; i < words.size(); ++i) argv.push_back(words[i].data());
  argv.push_back(nullptr);
  execv(layout.gpu_executor().c_str(), argv.data());
  throw UserError(ExitCode::usage,
                  fmt::format("cannot start {}: {}", layout.gpu_executor().string(), std::strerror(errno)));
}

}  // namespace shmemu::tools
