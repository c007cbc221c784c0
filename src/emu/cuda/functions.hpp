// Kernels as values of the host API: a cudaFunction_t or CUfunction is the address of the kernel's host stub.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "emu/cuda/runtime_state.hpp"

namespace shmemu::emu {

struct Kernel {
  const void* stub = nullptr;
  const shmemu_kernel* code = nullptr;
};
std::optional<Kernel> kernel_of(Pe& pe, const void* stub);
// By the mangled name.
std::optional<Kernel> kernel_named(Pe& pe, std::string_view name);

// Dynamic shared memory that a launch may ask for: 48 KiB less the static part unless the program has raised it.
uint64_t dynamic_shared_limit(const Pe& pe, const Kernel& kernel);
cudaError_t set_dynamic_shared_limit(Pe& pe, const Kernel& kernel, int bytes);
// Blocks of a kernel that one SM holds; 0 if it could not be launched so.
int blocks_on_sm(const Pe& pe, const Kernel& kernel, int threads, size_t dynamic_shared);

// The arguments of a launch that come packed in one buffer (CU_LAUNCH_PARAM_BUFFER_POINTER). Offsets are known only for
// parameters as large as an arithmetic type; others give cudaErrorNotSupported.
cudaError_t unpack_arguments(const Kernel& kernel, void** extra, std::vector<void*>& out);

}  // namespace shmemu::emu
