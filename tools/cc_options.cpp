#include "cc_options.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string_view>

namespace shmemu::tools::cc {
namespace {

using std::string_view;

/// Options of nvcc that mean nothing here. "=" at the end: takes a value, as "-opt=value" or "-opt value".
constexpr string_view ignored[] = {"-rdc=",
                                   "--relocatable-device-code=",
                                   "-arch=",
                                   "--gpu-architecture=",
                                   "-code=",
                                   "--gpu-code=",
                                   "-gencode=",
                                   "--generate-code=",
                                   "--expt-relaxed-constexpr",
                                   "-expt-relaxed-constexpr",
                                   "--expt-extended-lambda",
                                   "-expt-extended-lambda",
                                   "--extended-lambda",
                                   "-extended-lambda",
                                   "-lineinfo",
                                   "--generate-line-info",
                                   "-ccbin=",
                                   "--compiler-bindir=",
                                   "-Xptxas=",
                                   "--ptxas-options=",
                                   "-Xnvlink=",
                                   "--nvlink-options=",
                                   "-Xfatbin=",
                                   "--fatbin-options=",
                                   "-cudart=",
                                   "--cudart=",
                                   "-cudadevrt=",
                                   "--cudadevrt=",
                                   "--use_fast_math",
                                   "-use_fast_math",
                                   "-maxrregcount=",
                                   "--maxrregcount=",
                                   "-t=",
                                   "--threads=",
                                   "-threads=",
                                   "-split-compile=",
                                   "--split-compile=",
                                   "-forward-unknown-to-host-compiler",
                                   "--forward-unknown-to-host-compiler",
                                   "-forward-unknown-to-host-linker",
                                   "--forward-unknown-to-host-linker",
                                   "-forward-unknown-opts",
                                   "--forward-unknown-opts",
                                   "-res-usage",
                                   "--resource-usage",
                                   "-ftz=",
                                   "--ftz=",
                                   "-prec-div=",
                                   "--prec-div=",
                                   "-prec-sqrt=",
                                   "--prec-sqrt=",
                                   "-fmad=",
                                   "--fmad=",
                                   "-default-stream=",
                                   "--default-stream=",
                                   "-diag-suppress=",
                                   "--diag-suppress=",
                                   "-diag-error=",
                                   "--diag-error=",
                                   "-diag-warn=",
                                   "--diag-warn=",
                                   "--extra-device-vectorization",
                                   "-extra-device-vectorization",
                                   "--source-in-ptx",
                                   "-src-in-ptx",
                                   "-restrict",
                                   "--restrict",
                                   "--display-error-number",
                                   "-err-no",
                                   "--allow-unsupported-compiler",
                                   "-allow-unsupported-compiler",
                                   "-static-global-template-stub=",
                                   "--static-global-template-stub=",
                                   "-dlto",
                                   "--dlink-time-opt",
                                   "-noprof",
                                   "--no-device-link",
                                   "-nodlink",
                                   "--machine=",
                                   "-m64",
                                   "-shared",
                                   "--shared",
                                   "-pie",
                                   "-no-pie",
                                   "-cuda",
                                   "--cuda",
                                   "-target-dir=",
                                   "--target-directory=",
                                   "--no-host-device-initializer-list",
                                   "--no-host-device-move-forward",
                                   "-compress-mode=",
                                   "--compress-mode="};

/// Options that would produce GPU code.
constexpr string_view gpu_output[] = {"-ptx",      "--ptx",      "-cubin", "--cubin", "-fatbin", "--fatbin",
                                      "-optix-ir", "--optix-ir", "-ltoir", "--ltoir", "-lib",    "--lib"};

/// Long nvcc spellings of common options.
constexpr std::pair<string_view, string_view> long_names[] = {{"--output-file", "-o"},
                                                              {"--include-path", "-I"},
                                                              {"--define-macro", "-D"},
                                                              {"--undefine-macro", "-U"},
                                                              {"--library-path", "-L"},
                                                              {"--library", "-l"},
                                                              {"--std", "-std"},
                                                              {"--x", "-x"},
                                                              {"--optimize", "-O"},
                                                              {"--pre-include", "-include"},
                                                              {"--system-include", "-isystem"},
                                                              {"--compiler-options", "-Xcompiler"},
                                                              {"--linker-options", "-Xlinker"},
                                                              {"--compile", "-c"},
                                                              {"--device-c", "-dc"},
                                                              {"--device-w", "-c"},
                                                              {"-dw", "-c"},
                                                              {"--device-link", "-dlink"},
                                                              {"--debug", "-g"},
                                                              {"-G", "-g"},
                                                              {"--device-debug", "-g"},
                                                              {"--verbose", "-v"},
                                                              {"--keep", "-keep"},
                                                              {"-save-temps", "-keep"},
                                                              {"--save-temps", "-keep"},
                                                              {"--disable-warnings", "-w"}};

/// nvcc's -Werror takes kinds, gcc's does not.
constexpr string_view werror_kinds[] = {
    "all-warnings",           "cross-execution-space-call", "reorder",
    "default-stream-launch",  "missing-launch-bounds",      "ext-lambda-captures-this",
    "deprecated-declarations"};

/// Libraries that the runtime stands for.
bool is_provided_library(string_view name) {
  return name.starts_with("nvshmem") || name.starts_with("cudart") || name == "cuda" || name == "cudadevrt" ||
         name == "nvidia-ml" || name == "nvToolsExt" || name == "mpi" || name == "mpi_cxx" || name == "oshmem" ||
         name == "sma";
}

bool is_provided_library_file(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename();
  if (!name.starts_with("lib")) return false;
  return is_provided_library(string_view(name).substr(3, name.find('.') - 3));
}

std::vector<std::string> split_commas(string_view text) {
  std::vector<std::string> parts;
  for (size_t start = 0; start <= text.size();) {
    const size_t end = std::min(text.find(',', start), text.size());
    if (end > start) parts.emplace_back(text.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

std::optional<Language> language_of(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension();
  if (extension == ".cu") return Language::cuda;
  if (extension == ".cpp" || extension == ".cc" || extension == ".cxx" || extension == ".C") return Language::cxx;
  if (extension == ".c") return Language::c;
  if (extension == ".o" || extension == ".a" || extension == ".so" || path.find(".so.") != std::string::npos)
    return Language::linkable;
  return std::nullopt;
}

/// Reads the arguments one after the other.
class Parser {
 public:
  explicit Parser(const std::vector<std::string>& arguments) : arguments_(arguments) {}

  Options parse() {
    while (next_ < arguments_.size()) take(expand_long_name(arguments_[next_++]));
    if (options_.inputs.empty() && !options_.device_link_only) throw UsageError("no input files");
    if (options_.compile_only && !options_.output.empty() && options_.inputs.size() > 1)
      throw UsageError("-o names one file, but -c makes one object for each of the " +
                       std::to_string(options_.inputs.size()) + " inputs");
    return std::move(options_);
  }

 private:
  std::string value(const std::string& option) {
    if (next_ >= arguments_.size()) throw UsageError("option " + option + " needs a value");
    return arguments_[next_++];
  }

  /// The value of an option written "-Xvalue", "-X=value" (nvcc) or "-X value".
  std::string joined_value(const std::string& argument, const std::string& option) {
    if (argument == option) return value(option);
    return argument.substr(option.size() + (argument[option.size()] == '=' ? 1 : 0));
  }

  std::string expand_long_name(const std::string& argument) const {
    const size_t equals = std::min(argument.find('='), argument.size());
    for (auto [from, to] : long_names)
      if (string_view(argument).substr(0, equals) == from) return std::string(to) + argument.substr(equals);
    return argument;
  }

  bool take_ignored(const std::string& argument) {
    for (string_view known : ignored) {
      if (!known.ends_with('=')) {
        if (argument == known) return true;
        continue;
      }
      const string_view name = known.substr(0, known.size() - 1);
      if (argument.starts_with(known)) return true;
      if (argument == name) {
        value(argument);
        return true;
      }
    }
    return false;
  }

  void take_input(const std::string& path) {
    if (is_provided_library_file(path)) return;
    std::optional<Language> language = forced_language_ ? forced_language_ : language_of(path);
    if (!language)
      throw UsageError("cannot tell what '" + path + "' is: .cu, .cpp, .cc, .c, .o, .a or .so, or give -x");
    if (!std::filesystem::exists(path)) throw UsageError("no such file: " + path);
    options_.link.push_back("\n" + std::to_string(options_.inputs.size()));
    options_.inputs.push_back({path, *language});
  }

  void take_language(const std::string& name) {
    if (name == "cu" || name == "cuda")
      forced_language_ = Language::cuda;
    else if (name == "c++")
      forced_language_ = Language::cxx;
    else if (name == "c")
      forced_language_ = Language::c;
    else if (name == "none")
      forced_language_.reset();
    else
      throw UsageError("unknown language '" + name + "' for -x: cu, c++, c or none");
  }

  void take(const std::string& a) {
    const auto is = [&](string_view prefix) { return a.starts_with(prefix); };
    if (a.empty()) return;
    if (a[0] != '-') return take_input(a);
    if (is("-dc")) {
      options_.compile_only = true;
      return;
    }
    if (a == "-dlink") {
      options_.device_link_only = true;
      return;
    }
    if (std::find(std::begin(gpu_output), std::end(gpu_output), a) != std::end(gpu_output))
      throw UsageError("option " + a + " asks for GPU code or an archive; shmemu cc makes objects (-c) and programs");
    if (is("-Xcompiler")) {
      for (std::string& part : split_commas(joined_value(a, "-Xcompiler"))) options_.host.push_back(part);
      return;
    }
    if (is("-Xlinker")) {
      for (const std::string& part : split_commas(joined_value(a, "-Xlinker"))) options_.link.push_back("-Wl," + part);
      return;
    }
    if (take_ignored(a)) return;
    if (a == "-c")
      options_.compile_only = true;
    else if (a == "-v")
      options_.verbose = true;
    else if (a == "--check")
      options_.check = true;
    else if (a == "-keep")
      options_.keep = true;
    else if (is("-std"))
      options_.standard = "-std=" + joined_value(a, "-std");
    else if (is("-x"))
      take_language(joined_value(a, "-x"));
    else if (is("-o"))
      options_.output = joined_value(a, "-o");
    else if (is("-g"))
      options_.debug = a != "-g0";
    else if (a == "-O=" || a == "-O")
      options_.optimisation = "-O" + (a == "-O" ? std::string("1") : value(a));
    else if (is("-O"))
      options_.optimisation = "-O" + joined_value(a, "-O");
    else if (is("-l"))
      take_library(joined_value(a, "-l"));
    else if (is("-L"))
      options_.link.push_back("-L" + joined_value(a, "-L"));
    else if (is("-Wl,") || a == "-rdynamic" || a == "-pthread" || a == "-s")
      options_.link.push_back(a);
    else if (a == "-MD" || a == "-MMD" || a == "-MP")
      options_.dependencies.push_back(a);
    else if (is("-MF") || is("-MT") || is("-MQ"))
      take_pair(options_.dependencies, a, a.substr(0, 3));
    else if (is("-isystem") || is("-iquote") || is("-idirafter") || is("-include") || is("-imacros"))
      take_pair(options_.common, a, a.substr(0, a.find('=')));
    else if (is("-I") || is("-D") || is("-U"))
      options_.common.push_back(a.substr(0, 2) + joined_value(a, a.substr(0, 2)));
    else if (a == "-Werror" || is("-Werror="))
      take_werror(a);
    else if (is("-m") || is("-fsanitize") || is("-fno-sanitize") || is("-fopenmp") || is("-fprofile") ||
             is("-fcoverage"))
      options_.host.push_back(a);
    else if (is("-W") || is("-f") || a == "-w" || is("-pedantic"))
      options_.common.push_back(a);
    else
      throw UsageError("unknown option '" + a +
                       "': neither shmemu cc nor, as far as it knows, gcc, clang or nvcc has it");
  }

  /// An option that clang wants as two words.
  void take_pair(std::vector<std::string>& list, const std::string& argument, const std::string& option) {
    list.push_back(option);
    list.push_back(joined_value(argument, option));
  }

  void take_library(const std::string& name) {
    if (!is_provided_library(name)) options_.link.push_back("-l" + name);
  }

  void take_werror(const std::string& argument) {
    const auto is_kind = [](string_view text) {
      return std::find(std::begin(werror_kinds), std::end(werror_kinds), text) != std::end(werror_kinds);
    };
    if (argument == "-Werror" && next_ < arguments_.size() && is_kind(arguments_[next_])) {
      ++next_;
      return;
    }
    if (!is_kind(string_view(argument).substr(std::min<size_t>(argument.size(), 8))))
      options_.common.push_back(argument);
  }

  const std::vector<std::string>& arguments_;
  size_t next_ = 0;
  Options options_;
  std::optional<Language> forced_language_;
};

}  // namespace

Options parse_options(const std::vector<std::string>& arguments) { return Parser(arguments).parse(); }

const char* usage() {
  return "usage: shmemu cc [options] file.cu|file.cpp|file.c|file.o|lib.a …\n"
         "\n"
         "  -o FILE            output (default a.out, or FILE.o with -c)\n"
         "  -c, -dc            compile only\n"
         "  -O0 … -O3          optimisation of host and device code (default -O2)\n"
         "  -g                 full debug information (line tables are always written)\n"
         "  --gpu              compile with nvcc, for `shmemu run --executor gpu`; all other options are nvcc's\n"
         "  --check            kernels report their plain loads and stores to `shmemu run --check`\n"
         "  -std=c++17         language standard (default c++17 for .cu and .cpp)\n"
         "  -I -D -U -include -W… -f… -L -l -Wl,…  as for gcc; -MD -MMD -MF -MT for dependencies\n"
         "  -x cu              treat the following files as CUDA\n"
         "  -v                 show the commands; --keep leaves the intermediate files\n"
         "\n"
         "Options of nvcc that only matter for GPU code (-arch, -gencode, -rdc, -Xptxas …) are accepted and ignored,\n"
         "and so are the libraries nvshmem, cudart, cuda, mpi and oshmem, which the runtime stands for. Run with "
         "`shmemu run`.\n";
}

}  // namespace shmemu::tools::cc
