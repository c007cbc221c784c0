#include "run.hpp"

#include <chrono>
#include <fstream>
#include <memory>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "emu/core/environment.hpp"
#include "emu/core/world.hpp"
#include "explore.hpp"
#include "traces/recorder.hpp"

namespace shmemu::tools {
namespace {

RunReport::Summary summary_of(emu::World& world, double wall_seconds) {
  const device::Counters& c = world.machine.counters();
  RunReport::Summary s;
  s.program = world.options.program.filename().string();
  s.platform = fmt::format("{} ({})", world.platform.name, world.platform.description);
  s.pes = world.pes();
  s.wall_seconds = wall_seconds;
  s.observations = c.observations;
  s.transfers = c.transfers;
  s.switches = c.lane_runs;
  if (world.options.platform.empty())
    s.notes.push_back(fmt::format("platform {} was chosen; name one with -p", world.platform.name));
  if (world.heap.stride() < (128ull << 30))
    s.notes.push_back(fmt::format("the symmetric heap holds {} per PE; hardware has 128 GiB by default",
                                  bytes_to_text(world.heap.stride())));
  if (world.options.adverse)
    s.notes.push_back(fmt::format("adverse delivery with seed {}: {} operations arrived late", world.options.seed,
                                  world.router.adverse_delays()));
  std::vector<std::string> paths = world.router.explain();
  if (!world.options.explain && !world.router.network_job()) paths.clear();
  for (auto& line : paths) s.notes.push_back(line);
  for (auto& line : emu::unknown_variables(environ)) s.notes.push_back(line);
  s.notes.push_back("host computing costs no virtual time");
  return s;
}

void write_sarif(const std::filesystem::path& file, const emu::World& world) {
  std::ofstream out(file);
  if (!(out << world.report.findings.sarif(world.options.program.filename().string())))
    throw UserError(ExitCode::usage, fmt::format("cannot write '{}'", file.string()));
}

FindingPlace place_of(const emu::World& world, PeId pe, uint64_t site, OpKind kind) {
  emu::SourceLine line = world.symbols.line(site);
  return {line.file, line.line, fmt::format("PE {}", pe.value), std::string(name_of(kind))};
}

// How fast the CPU proxy takes requests. (GPU threads that drive the adapter merge a warp's values: no such limit.)
MessageRate::Limit message_limit(emu::World& world) {
  return {[&](PeId a, PeId b) { return !world.router.load_store(a, b); },
          world.platform.host.proxy.request,
          "the CPU proxy (proxy.request of the host's file)",
          world.platform.nic->line_rate,
          {},
          [&](PeId pe, uint64_t site, OpKind kind) { return place_of(world, pe, site, kind); }};
}

TransferLimits::Limit transfer_limits(emu::World& world) {
  TransferLimits::Limit limit;
  limit.over_network = [&](PeId a, PeId b) { return !world.router.load_store(a, b); };
  limit.node = [&](PeId pe) { return world.node_of(pe); };
  limit.adapter = [&](PeId pe) { return world.placement.gpu_of(pe).value; };  // each GPU has its own
  limit.adapters = [&](int) { return std::min(world.placement.pes_per_node, world.pes()); };
  limit.place = [&](PeId pe, uint64_t site, OpKind kind) { return place_of(world, pe, site, kind); };
  limit.link = world.platform.gpu.nvlink_store;
  if (world.platform.nic) limit.wire = world.platform.nic->line_rate;
  return limit;
}

// What limited the run. Not under adverse delivery, which takes no time that hardware would.
void conclude_times(emu::World& world) {
  if (world.platform.nic && !world.settings.ibgda) world.report.conclude(message_limit(world));
  world.report.conclude(transfer_limits(world));
  if (auto f = world.report.collectives.finding([&](PeId pe, uint64_t site, const std::string& call) {
        FindingPlace p = place_of(world, pe, site, OpKind::none);
        return p.call = call, p;
      }))
    world.report.findings.add(std::move(*f));
}

Exploration exploration_of(const emu::RunOptions& o, std::vector<std::string> program, int schedules) {
  Exploration e{.options = {"-n", std::to_string(o.pes)}, .program = std::move(program), .schedules = schedules};
  if (!o.platform.empty()) e.options.insert(e.options.end(), {"-p", o.platform});
  if (o.pes_per_node) e.options.insert(e.options.end(), {"--pes-per-node", std::to_string(*o.pes_per_node)});
  e.first_seed = o.seed;
  e.json = o.json;
  return e;
}

void run(emu::RunOptions options, const std::string& record) {
  auto start = std::chrono::steady_clock::now();
  std::unique_ptr<traces::FileRecorder> recorder;
  if (!record.empty()) recorder = std::make_unique<traces::FileRecorder>(record);
  options.recorder = recorder.get();
  auto world = std::make_unique<emu::World>(options);
  if (recorder)
    recorder->header({options.program.filename().string(), world->platform.name, world->pes(), world->gpu_count(),
                      world->heap.base(0), world->heap.stride()});
  try {
    world->run();
    if (recorder) recorder->finish();
  } catch (const UserError& e) {  // what was found until then may be the reason
    if (options.sarif) write_sarif(*options.sarif, *world);
    if (options.check) fmt::print(stderr, "{}", world->report.findings.text());
    std::fflush(stdout);
    if (options.json) fmt::print("{}", world->report.failure_json(static_cast<int>(e.code()), e.what()));
    throw;
  }
  std::fflush(stdout);
  double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!options.adverse) conclude_times(*world);
  auto summary = summary_of(*world, wall);
  if (options.sarif) write_sarif(*options.sarif, *world);
  if (options.json) {
    fmt::print("{}", world->report.json(summary));
  } else if (!options.quiet) {
    fmt::print(stderr, "{}", world->report.text(summary));
  } else if (options.check) {
    fmt::print(stderr, "{}", world->report.findings.text());
  }
  if (world->astray) throw UserError(ExitCode::program_failed, world->astray->error);
  for (auto& pe : world->all_pes)
    if (pe->host.exit_code)
      throw UserError(ExitCode::program_failed,
                      fmt::format("PE {} ended with exit code {}", pe->id.value, pe->host.exit_code));
  if (uint64_t n = world->report.findings.errors(); options.check && n)
    throw UserError(ExitCode::findings, fmt::format("{} finding{}", n, n == 1 ? "" : "s"));
}

}  // namespace

void add_run(CLI::App& app, const Layout& layout) {
  auto options = std::make_shared<emu::RunOptions>();
  auto delivery = std::make_shared<std::string>("observed");
  auto words = std::make_shared<std::vector<std::string>>();
  auto timeline = std::make_shared<std::string>(), record = std::make_shared<std::string>(),
       sarif = std::make_shared<std::string>(), as = std::make_shared<std::string>();
  auto schedules = std::make_shared<int>(0);
  CLI::App* cmd = app.add_subcommand("run", "run a program on emulated PEs");
  cmd->add_option("-n,--pes", options->pes, "number of PEs")->default_val(1);
  cmd->add_option("-p,--platform", options->platform,
                  "platform name or YAML file; default: the first that is large enough");
  cmd->add_option("--pes-per-node", options->pes_per_node, "default: as many as fit, equally many on every node");
  cmd->add_flag("--explain", options->explain, "say in the report why which path was taken");
  cmd->add_option("--delivery", *delivery, "observed, or adverse: as late and in any order as allowed")
      ->check(CLI::IsMember({"observed", "adverse"}));
  cmd->add_option("--seed", options->seed, "seed of adverse delivery")->default_val(1);
  cmd->add_option(
         "--explore", *schedules,
         "run under K adverse schedules from --seed on, and say which show another result, a hang or a finding")
      ->check(CLI::Range(1, 1 << 20));
  cmd->add_option("--timeline", *timeline, "write every operation with its times, one JSON object per line");
  cmd->add_option("--record", *record,
                  "write the operations as a trace that `shmemu replay` plays; in columns if the name ends in .h5");
  cmd->add_flag("--fibers", options->fibers, "give every GPU thread a stack of its own, also where a loop would do");
  cmd->add_flag("--check", options->check, "report accesses to symmetric memory that nothing orders; exit code 3");
  cmd->add_option("--sarif", *sarif, "write the findings in SARIF, for editors and code hosts; implies --check");
  // taken out by choose_executor
  cmd->add_option("--executor",
                  "cpu, gpu (programs built by `shmemu cc --gpu`), or auto: what the program was built for");
  cmd->add_option("--time", "with --executor gpu: what cudaEventElapsedTime returns, virtual or real");
  cmd->add_option("--patience", "with --executor gpu: seconds without progress until the run is stopped");
  cmd->add_option("--as", *as, "refuse what this release of NVSHMEM refuses: 3.3.9 or 3.5 (docs/api.md)")
      ->check(CLI::IsMember({"3.3.9", "3.5"}));
  cmd->add_flag("--json", options->json, "the report as JSON on standard output");
  cmd->add_flag("-q,--quiet", options->quiet, "no report");
  cmd->add_option("program", *words, "program built by `shmemu cc`, and its arguments")->required();
  cmd->callback([=] {
    options->program = words->front();
    options->arguments.assign(words->begin() + 1, words->end());
    if (!as->empty()) options->as = *as == "3.5" ? emu::Release::v3_5 : emu::Release::v3_3_9;
    options->adverse = *delivery == "adverse";
    options->platform_folder = layout.platforms();
    options->include_folder = layout.include();
    if (!sarif->empty()) options->check = true, options->sarif = *sarif;
    if (!timeline->empty()) options->timeline = *timeline;
    if (*schedules) return explore(exploration_of(*options, *words, *schedules));
    run(*options, *record);
  });
}

std::vector<std::string> separate_program(const CLI::App& app, std::vector<std::string> arguments) {
  const CLI::App* cmd = app.get_subcommand("run");
  for (size_t i = 1; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word == "--") return arguments;
    if (!word.starts_with("-")) {
      arguments.insert(arguments.begin() + static_cast<ptrdiff_t>(i), "--");
      return arguments;
    }
    const CLI::Option* option = cmd->get_option_no_throw(word);
    if (option && option->get_items_expected_max() > 0) ++i;  // its value
  }
  return arguments;
}

}  // namespace shmemu::tools
