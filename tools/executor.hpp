// Which executor runs a program: the CPU's is this process, the GPU's an executable of its own, which exports another
// CUDA.
#pragma once
#include <string>
#include <vector>

#include "layout.hpp"

namespace shmemu::tools {

// Takes `--executor` out of the words of `shmemu run`. Becomes the executable of real GPUs, and does not return, if
// that was asked for or (auto, the default) the program was built for them.
std::vector<std::string> choose_executor(std::vector<std::string> words, const Layout& layout);

}  // namespace shmemu::tools
