// `shmemu calibrate`: a GPU's file from the CSV that nvshmem_probe prints on two of them.
#include <fstream>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "report/calibration.hpp"
#include "validate.hpp"

namespace shmemu::tools {

void add_calibrate(CLI::App& app, const Layout& layout) {
  struct Options {
    std::string csv, output, like;
  };
  auto o = std::make_shared<Options>();
  o->like = (layout.platforms() / "gpus/h200.yaml").string();
  CLI::App* cmd = app.add_subcommand("calibrate", "a GPU's file from the rows that nvshmem_probe prints on hardware");
  cmd->add_option("csv", o->csv, "what nvshmem_probe printed (docs/design/validation.md says how to run it)")
      ->required();
  cmd->add_option("-o,--output", o->output, "the file to write")->required();
  cmd->add_option("--like", o->like, "the GPU whose file gives the rest")->capture_default_str();
  cmd->callback([o] {
    std::vector<std::string> absent;
    auto constants = validation::calibrate(validation::read_rows(o->csv), absent);
    if (constants.empty()) throw UserError(ExitCode::usage, fmt::format("'{}' has no rows of nvshmem_probe", o->csv));
    std::ofstream out(o->output);
    out << validation::gpu_file(std::filesystem::path(o->output).stem().string(), o->like,
                                std::filesystem::path(o->csv).filename().string(), constants);
    if (!out.flush()) throw UserError(ExitCode::usage, fmt::format("cannot write '{}'", o->output));
    for (auto& c : constants)
      fmt::print("{:<28}{:>10.5g} {:<5} {}\n", c.section + "." + c.key, c.value, c.unit, c.source);
    for (auto& a : absent) fmt::print("left out: {}\n", a);
    fmt::print("{} constants written to {}, the rest is like {}\n", constants.size(), o->output, o->like);
  });
}

}  // namespace shmemu::tools
