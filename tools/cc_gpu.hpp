// `shmemu cc --gpu`: the program is compiled by nvcc for real GPUs, against the same NVSHMEM names.
#pragma once
#include <string>
#include <vector>

#include "layout.hpp"

namespace shmemu::tools::cc {

/// Whether the arguments ask for it.
bool wants_gpu(const std::vector<std::string>& arguments);
/// Runs nvcc with the user's options and ours; the exit code.
int run_nvcc(const std::vector<std::string>& arguments, const Layout& layout);
/// Whether the file is a program that was made so.
bool is_gpu_program(const std::filesystem::path& file);

}  // namespace shmemu::tools::cc
