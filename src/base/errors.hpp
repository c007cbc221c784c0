// Faults of three kinds (docs/design/base.md): the user's input or program is wrong (UserError, ends the run with one
// message and an exit code), shmemu is wrong (ASSERT, on in release), and findings, which src/report collects.
// A message has four parts: what, where, the values, the remedy. Lowercase, fact before cause.
#pragma once
#include <stdexcept>
#include <string>

namespace shmemu {

enum class ExitCode { fine = 0, program_failed = 1, usage = 2, findings = 3, deadlock = 4 };

class UserError : public std::runtime_error {
 public:
  UserError(ExitCode code, std::string message) : std::runtime_error(std::move(message)), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

[[noreturn]] void assertion_failed(const char* expression, const char* file, int line, const std::string& values);

}  // namespace shmemu

// Our own bug if false. The second argument is text with the values that matter.
#define SHMEMU_ASSERT(condition, values) \
  ((condition) ? void(0) : ::shmemu::assertion_failed(#condition, __FILE__, __LINE__, values))
