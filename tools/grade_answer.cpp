#include "grade_answer.hpp"

#include <fstream>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "cc_process.hpp"

namespace shmemu::tools {

namespace fs = std::filesystem;

namespace {

void refuse_suppressions(const fs::path& program, GradeReport& report) {
  std::ifstream in(program);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.find("shmemu: allow") != std::string::npos)
      report.add({"finding", "allow",
                  fmt::format("{}:{} silences a finding; remove the comment and order the accesses",
                              program.filename().string(), number)},
                 "source", "");
  }
}

bool build(const Lesson& lesson, const fs::path& program, const fs::path& binary, const fs::path& scratch,
           GradeReport& report) {
  cc::Command command{{fs::canonical("/proc/self/exe").string(), "cc", "--check", "-I",
                       lesson.folder.parent_path().string(), program.string(), "-o", binary.string()},
                      {},
                      scratch / "errors",
                      {}};
  if (cc::run(command, false) == 0) return true;
  std::ifstream in(scratch / "errors");
  std::string first, line;
  while (std::getline(in, line))
    if (first.empty() && line.find("error:") != std::string::npos) first = line;
  report.add({"build", "build", fmt::format("it does not compile: {}", first.empty() ? "shmemu cc failed" : first)},
             "build", "");
  return false;
}

void run_all(const Lesson& lesson, const fs::path& binary, const fs::path& scratch, double patience_seconds,
             GradeReport& report) {
  for (const LessonRun& run : lesson.runs)
    for (size_t i = 0; i <= run.seeds.size(); ++i) {
      bool adverse = i > 0;
      std::vector<std::string> words{"-n", std::to_string(run.pes)};
      std::string name = fmt::format("{} PE{}", run.pes, run.pes == 1 ? "" : "s");
      auto option = [&](const char* key, const std::string& value) { words.insert(words.end(), {key, value}); };
      if (!lesson.platform.empty()) option("-p", lesson.platform);
      if (run.pes_per_node) {
        option("--pes-per-node", std::to_string(*run.pes_per_node));
        name += fmt::format(", {} a node", *run.pes_per_node);
      }
      if (adverse) {
        option("--delivery", "adverse");
        option("--seed", std::to_string(run.seeds[i - 1]));
        name += fmt::format(", adverse seed {}", run.seeds[i - 1]);
      }
      std::string options = fmt::format("{}", fmt::join(words, " "));
      words.push_back(binary.string());
      RunOutcome outcome = run_answer(words, scratch, patience_seconds);
      GradeRow row{name, options, "", outcome.virtual_time, adverse ? std::nullopt : run.at_most};
      for (const Problem& p : judge(lesson, run, adverse, outcome)) {
        report.add(p, name, options);
        if (row.verdict.find(p.kind) == std::string::npos) row.verdict += (row.verdict.empty() ? "" : ", ") + p.kind;
      }
      if (row.verdict.empty()) row.verdict = "ok";
      report.rows.push_back(row);
    }
}

}  // namespace

void GradeReport::add(const Problem& p, const std::string& run, const std::string& options) {
  for (Told& told : problems)
    if (told.problem.key == p.key) return void(++told.more_runs);
  problems.push_back({p, run, options, 0});
}

GradeReport grade_answer(const Lesson& lesson, const fs::path& program, double patience_seconds) {
  if (!fs::is_regular_file(program))
    throw UserError(ExitCode::usage, fmt::format("cannot read '{}'", program.string()));
  cc::TemporaryDirectory scratch(false);
  GradeReport report;
  report.program = program.string();
  refuse_suppressions(program, report);
  fs::path binary = scratch.path() / program.stem();
  if (build(lesson, program, binary, scratch.path(), report))
    run_all(lesson, binary, scratch.path(), patience_seconds, report);
  return report;
}

}  // namespace shmemu::tools
