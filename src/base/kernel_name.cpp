#include "base/kernel_name.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace shmemu {

std::string kernel_name(const char* mangled) {
  int status = 0;
  std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(mangled, nullptr, nullptr, &status), std::free);
  if (status || !text) return mangled;
  std::string name = text.get();
  if (name.ends_with(")")) {
    int depth = 0;
    for (size_t i = name.size(); i-- > 0;) {
      depth += name[i] == ')' ? 1 : name[i] == '(' ? -1 : 0;
      if (depth == 0) {
        name.resize(i);
        break;
      }
    }
  }
  if (name.starts_with("void ")) name.erase(0, 5);
  return name;
}

}  // namespace shmemu
