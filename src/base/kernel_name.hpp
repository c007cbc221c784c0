// "void scale<float, 3>(float*, Scale)", mangled, → "scale<float, 3>": kernels as reports call them.
#pragma once
#include <string>

namespace shmemu {

// A name that is not mangled is returned as it is.
std::string kernel_name(const char* mangled);

}  // namespace shmemu
