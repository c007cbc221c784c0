// Where an installed or built shmemu keeps its parts, relative to the executable: <prefix>/bin/shmemu.
#pragma once
#include <filesystem>

namespace shmemu::tools {

struct Layout {
  std::filesystem::path prefix;
  std::filesystem::path include() const { return prefix / "include" / "shmemu"; }
  std::filesystem::path library() const { return prefix / "lib" / "shmemu"; }
  std::filesystem::path plugin() const { return library() / "libshmemu_clang.so"; }
  std::filesystem::path program_start() const { return library() / "program_start.c"; }
  std::filesystem::path runtime_symbols() const { return library() / "runtime.symbols"; }
  std::filesystem::path gpu_executor() const { return library() / "shmemu_gpu"; }
  std::filesystem::path validation() const { return prefix / "share" / "shmemu" / "validation"; }
  std::filesystem::path platforms() const { return prefix / "share" / "shmemu" / "platforms"; }
  std::filesystem::path course() const { return prefix / "share" / "shmemu" / "course"; }
};

inline Layout find_layout() {
  return {std::filesystem::canonical("/proc/self/exe").parent_path().parent_path()};
}

}  // namespace shmemu::tools
