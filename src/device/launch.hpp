// What is launched: name and shape of a kernel. A value.
#pragma once
#include <cstdint>
#include <string>

namespace shmemu::device {

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t{x} * y * z; }
};

struct Launch {
  std::string name;
  Dim3 grid, block;
  uint64_t shared_bytes = 0;  // static + dynamic, per block
  bool cooperative = false;
  uint64_t site = 0;      // of the call that launches it
  bool internal = false;  // a kernel of the runtime (on_stream operations), not of the program
};

}  // namespace shmemu::device
