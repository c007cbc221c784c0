// The `shmemu` command: one file per subcommand. Errors end here as one message and an exit code.
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>

#include "base/errors.hpp"
#include "cc.hpp"
#include "deepep.hpp"
#include "executor.hpp"
#include "exit_code.hpp"
#include "grade.hpp"
#include "layout.hpp"
#include "platform.hpp"
#include "predict.hpp"
#include "replay.hpp"
#include "run.hpp"
#include "trace.hpp"
#include "traffic.hpp"
#include "validate.hpp"

using namespace shmemu;

namespace {

int main_of(int argc, char** argv) {
  tools::Layout layout = tools::find_layout();
  // the compiler driver has its own, nvcc-like command line
  if (argc > 1 && std::string_view(argv[1]) == "cc") return tools::run_cc({argv + 2, argv + argc}, layout);
  CLI::App app{"shmemu runs NVSHMEM programs on GPU clusters that do not exist yet", "shmemu"};
  app.require_subcommand(1);
  app.add_subcommand("cc", "compile CUDA C++ for emulation: shmemu cc ring.cu -o ring");
  tools::add_run(app, layout);
  tools::add_replay(app, layout);
  tools::add_predict(app, layout);
  tools::add_deepep(app, layout);
  tools::add_grade(app, layout);
  tools::add_trace(app);
  tools::add_traffic(app, layout);
  tools::add_validate(app, layout);
  tools::add_calibrate(app, layout);
  tools::add_platform(app, layout);
  try {
    std::vector<std::string> words(argv + 1, argv + argc);
    if (!words.empty() && words[0] == "run")
      words = tools::choose_executor(tools::separate_program(app, std::move(words)), layout);
    std::reverse(words.begin(), words.end());  // CLI11 takes them from the back
    app.parse(std::move(words));
  } catch (const CLI::ParseError& e) {
    int code = app.exit(e);
    return code == 0 ? 0 : static_cast<int>(ExitCode::usage);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  _exit(tools::exit_code_of([&] { return main_of(argc, argv); }));
}
