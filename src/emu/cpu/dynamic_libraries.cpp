// Libraries that a program opens while it runs. The libraries of CUDA, NVSHMEM, MPI and OpenSHMEM are the runtime
// itself: whatever name they are opened by, a PE gets a handle in which dlsym finds our functions. Other libraries are
// opened once for all PEs.
#include <dlfcn.h>

#include <algorithm>
#include <string_view>

#include "emu/core/current.hpp"

using namespace shmemu::emu;

namespace {

bool is_ours(std::string_view path) {
  std::string_view name = path.substr(path.rfind('/') + 1);  // npos + 1 is 0
  constexpr std::string_view kLibraries[] = {"libnvidia-ml.so", "libcuda.so",   "libcudart.so", "libnvshmem",
                                             "libmpi.so",       "liboshmem.so", "libsma.so"};
  return std::any_of(std::begin(kLibraries), std::end(kLibraries), [&](auto l) { return name.starts_with(l); });
}

}  // namespace

extern "C" {

// dlsym and dlclose need no help: the handle of the main program is a real one.
void* dlopen(const char* path, int mode) {
  static auto* real = reinterpret_cast<void* (*)(const char*, int)>(dlsym(RTLD_NEXT, "dlopen"));
  if (g_current.pe && path && is_ours(path)) return real(nullptr, mode);
  return real(path, mode);
}

}  // extern "C"
