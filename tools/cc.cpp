#include "cc.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>

#include "cc_gpu.hpp"
#include "cc_options.hpp"
#include "cc_process.hpp"
#include "cc_ptx_names.hpp"
#include "cc_symbols.hpp"

namespace shmemu::tools {

using cc::Command;
using cc::Input;
using cc::Language;
using cc::Options;
namespace fs = std::filesystem;

namespace {

/// The file failed to compile or link and clang has said why.
struct Failed {
  int code;
};

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Without the escape sequences of coloured messages.
std::string without_colours(const std::string& text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\033')
      plain += text[i];
    else
      i = std::min(text.find('m', i), text.size());
  }
  return plain;
}

/// Without clang's "1 warning generated when compiling for …".
std::string without_summaries(const std::string& messages) {
  std::istringstream lines(messages);
  std::string kept;
  for (std::string line; std::getline(lines, line);)
    if (line.find(" generated when compiling for ") == std::string::npos) kept += line + "\n";
  return kept;
}

/// FNV-1a: the same command gives the same unit names on every machine and in every run.
std::string hash_text(const std::string& text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (unsigned char c : text) hash = (hash ^ c) * 0x100000001b3;
  std::ostringstream hex;
  hex << std::hex << hash;
  return hex.str();
}

class Compiler {
 public:
  Compiler(Options options, const Layout& layout)
      : options_(std::move(options)), layout_(layout), temporary_(options_.keep), overlay_(temporary_.path()) {
    clang_ = cc::find_clang("clang");
    clangxx_ = cc::find_clang("clang++");
    if (clang_.empty() || clangxx_.empty())
      throw std::runtime_error("clang++-19 not found: install clang-19 (Debian, Ubuntu: apt install clang-19)");
    for (const fs::path& part : {layout_.include(), layout_.plugin(), layout_.program_start()})
      if (!fs::exists(part))
        throw std::runtime_error("the installation is incomplete: " + part.string() + " is missing");
  }

  void compile_and_link() {
    if (options_.device_link_only) return make_empty_object();
    std::vector<fs::path> objects;
    for (const Input& input : options_.inputs) objects.push_back(object_for(input));
    if (!options_.compile_only) link(objects);
  }

 private:
  // ---- one input ----

  fs::path object_for(const Input& input) {
    if (input.language == Language::linkable) return input.path;
    fs::path object =
        temporary_.path() / (fs::path(input.path).stem().string() + "." + std::to_string(++counter_) + ".o");
    if (options_.compile_only)
      object =
          options_.output.empty() ? fs::path(fs::path(input.path).stem().string() + ".o") : fs::path(options_.output);
    if (input.language == Language::cuda)
      compile_cuda(input, object);
    else
      run(plain_command(input, object));
    return object;
  }

  Command plain_command(const Input& input, const fs::path& object) const {
    const bool cxx = input.language == Language::cxx;
    Command command{{cxx ? clangxx_ : clang_, "-x", cxx ? "c++" : "c"}, {}, {}};
    const bool standard_fits = options_.standard.find("++") == std::string::npos ? !cxx : cxx;
    add(command, common_arguments());
    if (!options_.standard.empty() && standard_fits) add(command, {options_.standard});
    if (options_.standard.empty() && cxx) add(command, {"-std=c++17"});
    add(command, options_.host);
    add(command, options_.dependencies);
    add_dependency_target(command, object);
    add_host_arguments(command);
    add(command, {"-c", input.path, "-o", object});
    return command;
  }

  // ---- a CUDA file: device half (three steps) and host half run side by side ----

  void compile_cuda(const Input& input, const fs::path& object) {
    const fs::path stem = temporary_.path() / (fs::path(input.path).stem().string() + "." + std::to_string(++counter_));
    const auto file = [&](const char* suffix) { return fs::path(stem.string() + suffix); };
    const std::string unit = unit_name(input, object);
    std::ofstream(file(".unit"), std::ios::binary) << unit << '\0';
    int code = compile_halves(input, object, unit, file);
    const auto messages = [&] {
      return without_colours(read_file(file(".device.errors")) + read_file(file(".host.errors")));
    };
    while (code && overlay_.take_files_from(messages())) code = compile_halves(input, object, unit, file);
    report(read_file(file(".device.errors")), read_file(file(".host.errors")));
    if (code) throw Failed{code};
    run({{clangxx_, "-r", "-nostdlib", file(".device.o"), file(".host.o"), "-o", object}, {}, {}});
  }

  template <class File>
  int compile_halves(const Input& input, const fs::path& object, const std::string& unit, File file) {
    const pid_t host = cc::start(host_command(input, object, unit, file), options_.verbose);
    int code = 0;
    try {
      compile_device(input, unit, file(".device.errors"), file);
    } catch (const Failed& failed) {
      code = failed.code;
    }
    const int host_code = cc::wait_for(host);
    return code ? code : host_code;
  }

  template <class File>
  Command host_command(const Input& input, const fs::path& object, const std::string& unit, File file) const {
    Command host = cuda_command();
    add(host, {"--cuda-host-only", "-Xclang", "-fcuda-include-gpubinary", "-Xclang", file(".unit")});
    add(host, options_.host);
    add(host, options_.dependencies);
    add_dependency_target(host, object);
    add_host_arguments(host);
    host.environment.push_back({"SHMEMU_UNIT", unit});
    add(host, {"-c", input.path, "-o", file(".host.o")});
    host.errors = file(".host.errors");
    return host;
  }

  template <class File>
  void compile_device(const Input& input, const std::string& unit, const fs::path& errors, File file) {
    Command front = cuda_command();
    add(front,
        {"--cuda-device-only", options_.optimisation, "-g", "-Xclang", debug_kind(), "-Xclang", "-dwarf-version=4"});
    if (options_.optimisation == "-O0")
      add(front, {"-Xclang", "-disable-O0-optnone"});
    else
      add(front, {"-Xclang", "-disable-llvm-passes"});
    add(front, {"-emit-llvm", "-c", input.path, "-o", file(".device.bc")});
    front.errors = errors;
    run(front);
    run(device_stage("retarget", unit, file(".device.bc"), file(".x86.bc"), {"-emit-llvm"}));
    run(device_stage("lower", unit, file(".x86.bc"), file(".device.o"), {}));
  }

  /// One pass of the plugin and of the optimiser over device code. It must be a process of its own each time: the cost
  /// model comes from the target the module has when clang starts.
  Command device_stage(const char* stage, const std::string& unit, const fs::path& from, const fs::path& to,
                       std::vector<std::string> more) const {
    Command command{{clangxx_, options_.optimisation, "--target=x86_64-linux-gnu", "-x", "ir", "-fPIC",
                     "-Wno-override-module", "-fpass-plugin=" + layout_.plugin().string()},
                    {{"SHMEMU_STAGE", stage}, {"SHMEMU_UNIT", unit}},
                    {}};
    if (options_.check) command.environment.push_back({"SHMEMU_CHECK", "1"});
    add(command, more);
    add(command, {"-c", from, "-o", to});
    return command;
  }

  /// What host and device compilation share. No toolkit of NVIDIA may be found, hence the nonexistent path; with an SDK
  /// version clang emits today's launch calls.
  Command cuda_command() const {
    Command command{{clangxx_, "-x", "cuda", "--cuda-gpu-arch=sm_90", "--cuda-path=/nonexistent", "-nocudainc",
                     "-nocudalib", "-Xclang", "-target-sdk-version=12.3"},
                    {},
                    {}};
    add(command, common_arguments());
    add(command, {options_.standard.find("++") == std::string::npos ? "-std=c++17" : options_.standard});
    if (!overlay_.description().empty()) add(command, {"-ivfsoverlay", overlay_.description()});
    add(command, {"-include", "cuda_runtime.h", "-Wno-unknown-cuda-version", "-Wno-empty-body"});
    return command;
  }

  /// Host and device report the same mistakes; say them once.
  static void report(const std::string& device, const std::string& host) {
    const std::string first = without_summaries(device), second = without_summaries(host);
    std::cerr << first;
    if (second != first && without_colours(first).find(" error: ") == std::string::npos) std::cerr << second;
  }

  // ---- arguments ----

  static void add(Command& command, const std::vector<std::string>& arguments) {
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  }

  std::vector<std::string> common_arguments() const {
    std::vector<std::string> arguments = options_.common;
    arguments.insert(arguments.end(), {"-isystem", layout_.include(), "-D__SHMEMU__=1", "-Wno-unknown-warning-option",
                                       "-fno-optimize-sibling-calls"});  // a call turned into a jump has no call site
    if (isatty(STDERR_FILENO)) arguments.push_back("-fdiagnostics-color=always");
    return arguments;
  }

  void add_host_arguments(Command& command) const {
    // DWARF 4, as for kernels: addr2line 2.40 names the wrong file for a header of a source with a relative path in 5
    add(command, {options_.optimisation, options_.debug ? "-g" : "-gline-tables-only", "-gdwarf-4", "-fPIC",
                  "-ftls-model=global-dynamic", "-fpass-plugin=" + layout_.plugin().string()});
    command.environment.push_back({"SHMEMU_STAGE", "host"});
    if (options_.check) command.environment.push_back({"SHMEMU_CHECK", "1"});
  }

  std::string debug_kind() const {
    return options_.debug ? "-debug-info-kind=limited" : "-debug-info-kind=line-tables-only";
  }

  /// clang would name the temporary object in the dependency file.
  void add_dependency_target(Command& command, const fs::path& object) const {
    bool wanted = false, named = false, file = false;
    for (const std::string& argument : options_.dependencies) {
      wanted |= argument == "-MD" || argument == "-MMD";
      named |= argument == "-MT" || argument == "-MQ";
      file |= argument == "-MF";
    }
    if (!wanted) return;
    const fs::path target = options_.compile_only || options_.output.empty() ? object : fs::path(options_.output);
    if (!named) add(command, {"-MT", target});
    if (!file) add(command, {"-MF", fs::path(target).replace_extension(".d")});
  }

  /// Identity of a translation unit: readable, and different for every way of compiling it in one program.
  std::string unit_name(const Input& input, const fs::path& object) const {
    std::string key = fs::absolute(input.path).lexically_normal().string();
    if (options_.compile_only) key += "\n" + fs::absolute(object).lexically_normal().string();
    for (const auto* list : {&options_.common, &options_.host})
      for (const std::string& argument : *list) key += "\n" + argument;
    key += "\n" + std::to_string(counter_);
    return fs::path(input.path).filename().string() + ":" + hash_text(key);
  }

  void run(const Command& command) const {
    if (const int code = cc::run(command, options_.verbose)) throw Failed{code};
  }

  // ---- the program ----

  void link(const std::vector<fs::path>& objects) {
    const fs::path output = options_.output.empty() ? "a.out" : options_.output;
    const fs::path start = temporary_.path() / "program_start.o";
    run({{clang_, "-O1", "-fPIC", options_.check ? "-DSHMEMU_CHECK" : "-USHMEMU_CHECK", "-c", layout_.program_start(),
          "-o", start},
         {},
         {}});
    Command command{{clangxx_, "-shared", "-Wl,-Bsymbolic", "-Wl,-e,__shmemu_program_start", start}, {}, {}};
    for (const std::string& argument : options_.host)
      if (argument.starts_with("-fsanitize") || argument.starts_with("-fopenmp")) add(command, {argument});
    std::vector<fs::path> folders;
    for (const std::string& argument : options_.link) {
      if (argument[0] != '\n') {
        if (argument.starts_with("-L")) folders.push_back(argument.substr(2));
        add(command, {argument});
        continue;
      }
      const fs::path& object = objects[std::stoul(argument.substr(1))];
      if (object.extension() != ".o" && object.extension() != ".a")
        folders.push_back(object.has_parent_path() ? object.parent_path() : ".");
      add(command, {object});
    }
    add(command, {"-o", output});
    run(command);
    check_symbols(output, folders);
  }

  void check_symbols(const fs::path& output, const std::vector<fs::path>& folders) const {
    const std::vector<std::string> missing = cc::missing_symbols(output, folders, layout_.runtime_symbols());
    if (missing.empty()) return;
    fs::remove(output);
    std::cerr << "shmemu cc: undefined in " << output.string() << ", and neither its libraries nor shmemu define it:\n";
    for (const std::string& name : missing) std::cerr << "  " << name << "\n";
    throw Failed{1};
  }

  /// Device linking happens with the ordinary link; build systems still want the file.
  void make_empty_object() const {
    const fs::path source = temporary_.path() / "empty.c";
    std::ofstream(source) << "\n";
    run({{clang_, "-c", source, "-o", options_.output.empty() ? "a_dlink.o" : options_.output}, {}, {}});
  }

  Options options_;
  const Layout& layout_;
  cc::TemporaryDirectory temporary_;
  cc::PtxNameOverlay overlay_;
  fs::path clang_, clangxx_;
  int counter_ = 0;
};

}  // namespace

int run_cc(const std::vector<std::string>& arguments, const Layout& layout) {
  for (const std::string& argument : arguments)
    if (argument == "--help" || argument == "-h") {
      std::cout << cc::usage();
      return 0;
    }
  try {
    if (cc::wants_gpu(arguments)) return cc::run_nvcc(arguments, layout);
    Compiler(cc::parse_options(arguments), layout).compile_and_link();
    return 0;
  } catch (const cc::UsageError& error) {
    std::cerr << "shmemu cc: " << error.what() << "\n";
    return 2;
  } catch (const Failed&) {
    return 1;
  } catch (const std::exception& error) {
    std::cerr << "shmemu cc: " << error.what() << "\n";
    return 1;
  }
}

}  // namespace shmemu::tools
