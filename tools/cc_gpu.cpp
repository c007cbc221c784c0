#include "cc_gpu.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "cc_process.hpp"

namespace shmemu::tools::cc {
namespace {

namespace fs = std::filesystem;

fs::path find_nvcc() {
  if (const char* named = std::getenv("NVCC")) return named;
  std::istringstream folders(std::getenv("PATH") ? std::getenv("PATH") : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (access((folder + "/nvcc").c_str(), X_OK) == 0) return folder + "/nvcc";
  for (const char* usual : {"/usr/local/cuda/bin/nvcc", "/opt/cuda/bin/nvcc"})
    if (access(usual, X_OK) == 0) return usual;
  throw std::runtime_error(
      "nvcc not found: install NVIDIA's CUDA Toolkit (12.4 or newer), put its bin folder into PATH or name nvcc in "
      "NVCC");
}

}  // namespace

bool wants_gpu(const std::vector<std::string>& arguments) {
  return std::find(arguments.begin(), arguments.end(), "--gpu") != arguments.end();
}

int run_nvcc(const std::vector<std::string>& arguments, const Layout& layout) {
  Command command{{find_nvcc().string(), "-D__SHMEMU_GPU__=1", "-I" + (layout.include() / "shmemu" / "gpu").string(),
                   "-Xcompiler", "-fPIC", "-lineinfo"},
                  {},
                  {}};
  bool links = true, standard = false, target = false, verbose = false;
  for (const std::string& a : arguments) {
    if (a == "--gpu") continue;
    links &= a != "-c" && a != "--compile" && a != "-E";
    standard |= a.starts_with("-std=") || a.starts_with("--std");
    target |= a.starts_with("-arch") || a.starts_with("-gencode") || a.starts_with("--gpu-arch") ||
              a.starts_with("--generate-code");
    verbose |= a == "-v";
    command.arguments.push_back(a);
  }
  auto add = [&](std::initializer_list<const char*> more) {
    command.arguments.insert(command.arguments.end(), more.begin(), more.end());
  };
  if (!standard) add({"-std=c++17"});
  if (!target) add({"-arch=sm_90"});
  // every PE loads a copy of its own; the CUDA runtime is one for all
  if (links) add({"-shared", "-cudart", "shared", "-Xlinker", "-Bsymbolic"});
  return run(command, verbose);
}

bool is_gpu_program(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), {});
  return bytes.find("__shmemu_gpu_here") != std::string::npos;
}

}  // namespace shmemu::tools::cc
