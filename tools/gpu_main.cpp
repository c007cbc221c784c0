// The executable behind `shmemu run --executor gpu`: it exports another CUDA and NVSHMEM than `shmemu` itself. Takes
// the arguments of `shmemu run`.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>

#include "base/errors.hpp"
#include "exit_code.hpp"
#include "gpu/run.hpp"
#include "layout.hpp"

using namespace shmemu;

namespace {

struct Asked {
  gpu::RunOptions run;
  std::string time = "virtual";
  bool calibrate = false;
};

void report(gpu::GpuRun& run, const Asked& asked, double wall_seconds) {
  if (asked.run.quiet && !asked.run.json && asked.run.record.empty() && asked.run.timeline.empty()) return;
  RunReport report;
  if (!asked.run.timeline.empty()) report.open_timeline(asked.run.timeline);
  std::vector<std::string> notes;
  traces::ReplayResult played;
  try {
    played = run.replay(report, notes, asked.run.record);
  } catch (const UserError& e) {  // the program itself has ended well
    if (asked.run.json || !asked.run.record.empty() || !asked.run.timeline.empty()) throw;
    if (!asked.run.quiet) fmt::print(stderr, "shmemu: {}\n", e.what());
    return;
  }
  RunReport::Summary s;
  s.program = asked.run.program.filename().string();
  s.platform = fmt::format("{} ({})", run.platform.name, run.platform.description);
  s.pes = run.pes();
  s.wall_seconds = wall_seconds;
  s.transfers = played.transfers;
  s.observations = played.observations;
  s.switches = played.steps;
  s.notes.push_back(fmt::format("kernels ran on {} {} for {} PEs; {} records logged", run.real_gpus(),
                                run.cuda.gpu_name, run.pes(), run.records()));
  if (static_cast<size_t>(run.pes()) > run.real_gpus() && asked.run.read_times.empty())
    s.notes.push_back(
        "distorted: times between operations were measured while PEs shared a GPU and are too long; see "
        "--calibrate-compute");
  if (run.tightest)
    s.notes.push_back(fmt::format("resident: kernel {} of {} blocks of {} threads, at most {} PEs per GPU",
                                  run.tightest->kernel, run.tightest->blocks, run.tightest->threads,
                                  gpu::most_pes(*run.tightest)));
  if (!run.scaling.empty()) s.notes.push_back(run.scaling);
  for (auto& n : notes) s.notes.push_back(n);
  if (asked.run.json) {
    fmt::print("{}", report.json(s));
  } else if (!asked.run.quiet) {
    fmt::print(stderr, "{}", report.text(s));
  }
}

void run(Asked& asked) {
  asked.run.real_time = asked.time == "real";
  auto start = std::chrono::steady_clock::now();
  gpu::GpuRun run(asked.run);
  run.run();
  std::fflush(stdout);
  double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (int i = 0; i < run.pes(); ++i)
    if (int code = run.pe(i).exit_code)
      throw UserError(ExitCode::program_failed, fmt::format("PE {} ended with exit code {}", i, code));
  report(run, asked, wall);
}

// In a process of its own, before this one has opened CUDA. What the program prints there is not shown.
std::filesystem::path time_kernels_alone(gpu::RunOptions options) {
  std::string name = (std::filesystem::temp_directory_path() / "shmemu-times-XXXXXX").string();
  int file = mkstemp(name.data());
  if (file < 0) throw UserError(ExitCode::program_failed, fmt::format("cannot write {}", name));
  close(file);
  options.write_times = name;
  options.real_time = true;
  pid_t child = fork();
  if (child == 0) {
    int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    _exit(tools::exit_code_of([&] {
      gpu::GpuRun run(options);
      run.run();
      run.write_times();
      return 0;
    }));
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw UserError(ExitCode::program_failed, "--calibrate-compute: the run that times kernels alone has failed");
  return name;
}

int main_of(int argc, char** argv) {
  tools::Layout layout{tools::find_layout().prefix.parent_path()};  // <prefix>/lib/shmemu/shmemu_gpu
  Asked asked;
  asked.run.platform_folder = layout.platforms();
  std::vector<std::string> words;
  CLI::App app{"runs a program built by `shmemu cc --gpu` on real GPUs", "shmemu run --executor gpu"};
  app.add_option("-n,--pes", asked.run.pes, "number of PEs")->check(CLI::Range(1, 4096));
  app.add_option("-p,--platform", asked.run.platform, "platform name or YAML file whose times are predicted");
  app.add_option("--pes-per-node", asked.run.pes_per_node, "default: as many as fit, equally many on every node");
  app.add_option("--gpus", asked.run.gpus, "how many of the GPUs at hand the PEs are placed on; default: all");
  app.add_flag("--calibrate-compute", asked.calibrate,
               "first a run that times the kernels one at a time, as far as they do not wait for each other");
  app.add_option("--timeline", asked.run.timeline, "write every operation with its times");
  app.add_option("--record", asked.run.record, "write the operations as a trace that `shmemu replay` plays");
  app.add_option("--time", asked.time, "what cudaEventElapsedTime returns: virtual, or real")
      ->check(CLI::IsMember({"virtual", "real"}));
  app.add_option("--patience", asked.run.patience, "seconds without progress until the run is stopped")
      ->default_val(10);
  app.add_flag("--json", asked.run.json, "the report as JSON on standard output");
  app.add_flag("-q,--quiet", asked.run.quiet, "no report");
  app.add_option("program", words, "program and its arguments")->required();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    int code = app.exit(e);
    return code == 0 ? 0 : static_cast<int>(ExitCode::usage);
  }
  asked.run.program = words.front();
  asked.run.arguments.assign(words.begin() + 1, words.end());
  if (asked.calibrate) asked.run.read_times = time_kernels_alone(asked.run);
  run(asked);
  if (asked.calibrate) std::filesystem::remove(asked.run.read_times);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  int code = tools::exit_code_of([&] { return main_of(argc, argv); });
  gpu::current() = {};
  _exit(code);
}
