// Crashes of the program (wild pointers, division by zero, abort) become one message that names PE, kernel, thread,
// source line and what lies at the address. Active while the object lives. The process ends with exit code 1.
#pragma once

namespace shmemu::emu {

class FaultHandler {
 public:
  FaultHandler();
  ~FaultHandler();
};

}  // namespace shmemu::emu
