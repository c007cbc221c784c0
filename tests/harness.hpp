// Runs commands for the tests of whole programs: what they print, how they end, how long they take. A command that
// passes its wall-clock limit is killed and fails the test. Paths of the build come from tests/CMakeLists.txt.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace shmemu::test {

struct Result {
  int code = 0;     // exit code; 128 + signal when a signal ended it
  std::string out, err;
  double seconds = 0;  // wall clock
};

using Words = std::vector<std::string>;

// Throws, and so fails the test case, when the command cannot be started or takes longer than the limit.
Result run(const Words& command, double limit_seconds = 60);
// `shmemu` with these arguments.
Result shmemu(const Words& arguments, double limit_seconds = 60);
// `shmemu run options… program arguments…`, the program named as in tests/CMakeLists.txt ("examples/ring").
Result run_program(const std::string& program, const Words& options, const Words& arguments = {},
                   double limit_seconds = 60);

std::filesystem::path program(const std::string& name);  // in the build tree
std::filesystem::path source(const std::string& name);   // in the source tree
// A file of its own for this process below the system's temporary folder; removed at exit with the folder.
std::filesystem::path scratch(const std::string& name);

// The names ("malformed/wait_never") of all programs made from the sources in `folder`, sorted.
std::vector<std::string> programs_of(const std::string& folder);
std::string read_file(const std::filesystem::path& file);
void write_file(const std::filesystem::path& file, const std::string& text);
std::vector<std::string> lines_of(const std::string& text);
bool contains(const std::string& text, const std::string& part);
// How a result is shown when a check on it fails.
std::string show(const Result& result);

}  // namespace shmemu::test
