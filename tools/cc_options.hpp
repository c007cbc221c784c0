// The command line of `shmemu cc`: what gcc, clang and nvcc users type, sorted by who needs it.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace shmemu::tools::cc {

enum class Language { cuda, cxx, c, linkable /* object, archive or shared library */ };

struct Input {
  std::string path;
  Language language;
};

struct Options {
  std::vector<Input> inputs;
  std::string output;             // empty: a.out, or <input>.o with -c
  bool compile_only = false;      // -c
  bool device_link_only = false;  // nvcc's -dlink, which has nothing to do here
  bool verbose = false;
  bool keep = false;   // keep intermediate files
  bool check = false;  // report plain accesses to the checker
  bool debug = false;  // -g: variables too; line tables are always there
  std::string optimisation = "-O2";
  std::string standard;                   // -std=…
  std::vector<std::string> common;        // -I -D -U -W… -f…: host and device
  std::vector<std::string> host;          // -m…, -Xcompiler, sanitizers …
  std::vector<std::string> dependencies;  // -MD -MF …
  /// Linker arguments in the order given; an input stands as "\n" + its index in `inputs`.
  std::vector<std::string> link;
};

/// A message for the user, without "shmemu cc: ".
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

Options parse_options(const std::vector<std::string>& arguments);

/// Text of --help.
const char* usage();

}  // namespace shmemu::tools::cc
