#include "grade.hpp"

#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/errors.hpp"
#include "grade_answer.hpp"

namespace shmemu::tools {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct Options {
  std::string lesson, program;
  double patience_seconds = 60;
  bool json = false, check_lesson = false;
};

std::string again(const Told& told, const GradeReport& report) {
  if (told.options.empty()) return "";
  return fmt::format("shmemu run --check {} ./{}", told.options, fs::path(report.program).stem().string());
}

void print_text(const Lesson& lesson, const GradeReport& report) {
  fmt::print("lesson {}: {}\n", lesson.folder.filename().string(), lesson.title);
  if (!report.rows.empty()) {
    fmt::print("{:<32}{:>14}{:>14}  {}\n", "run", "virtual time", "allowed", "verdict");
    for (const GradeRow& row : report.rows)
      fmt::print("{:<32}{:>14}{:>14}  {}\n", row.run, row.time ? fmt::format("{:.1f} us", row.time->us()) : "-",
                 row.at_most ? fmt::format("{:.1f} us", row.at_most->us()) : "-", row.verdict);
  }
  for (const Told& told : report.problems) {
    fmt::print("- {}: {}", told.run, told.problem.text);
    if (told.more_runs) fmt::print(" (and in {} more run{})", told.more_runs, told.more_runs == 1 ? "" : "s");
    fmt::print("\n");
    if (std::string command = again(told, report); !command.empty()) fmt::print("  see it: {}\n", command);
  }
  fmt::print("{}\n", report.accepted() ? "accepted" : "rejected");
}

void print_json(const Lesson& lesson, const GradeReport& report) {
  Json out{{"version", 1},
           {"lesson", lesson.folder.filename().string()},
           {"program", report.program},
           {"accepted", report.accepted()}};
  out["runs"] = Json::array();
  for (const GradeRow& row : report.rows) {
    Json r{{"run", row.run}, {"options", row.options}, {"verdict", row.verdict}};
    if (row.time) r["virtual_us"] = row.time->us();
    if (row.at_most) r["at_most_us"] = row.at_most->us();
    out["runs"].push_back(r);
  }
  out["problems"] = Json::array();
  for (const Told& told : report.problems)
    out["problems"].push_back({{"kind", told.problem.kind},
                               {"run", told.run},
                               {"text", told.problem.text},
                               {"runs", told.more_runs + 1},
                               {"command", again(told, report)}});
  fmt::print("{}\n", out.dump(2));
}

void grade(const Lesson& lesson, const Options& o) {
  GradeReport report = grade_answer(lesson, o.program, o.patience_seconds);
  o.json ? print_json(lesson, report) : print_text(lesson, report);
  if (!report.accepted()) throw UserError(ExitCode::program_failed, fmt::format("'{}' is rejected", o.program));
}

// The lesson itself: its model solution must be accepted, its skeleton and wrong answers rejected for the reason it
// names.
void check_lesson(const Lesson& lesson, const Options& o) {
  int bad = 0;
  auto expect = [&](const fs::path& file, bool accepted, const std::string& says) {
    GradeReport report = grade_answer(lesson, lesson.folder / file, o.patience_seconds);
    const Told* reason = nullptr;
    for (const Told& told : report.problems)
      if (!reason && fmt::format("{}: {}", told.run, told.problem.text).find(says) != std::string::npos) reason = &told;
    bool fine = accepted ? report.accepted() : reason != nullptr;
    bad += !fine;
    fmt::print("{}: {} is {}\n", fine ? "as expected" : "UNEXPECTED", file.string(),
               report.accepted() ? "accepted" : "rejected");
    for (const Told& told : report.problems)
      if (!fine || &told == reason) fmt::print("  {}: {}\n", told.run, told.problem.text);
    if (!fine && !accepted) fmt::print("  expected a problem with '{}'\n", says);
  };
  expect("right.cu", true, "");
  expect("exercise.cu", false, "");
  for (const WrongAnswer& wrong : lesson.wrong) expect(wrong.file, false, wrong.says);
  if (bad) throw UserError(ExitCode::program_failed, fmt::format("{} answers of the lesson are judged wrongly", bad));
}

}  // namespace

void add_grade(CLI::App& app, const Layout& layout) {
  auto options = std::make_shared<Options>();
  CLI::App* cmd = app.add_subcommand("grade", "judge an answer to an exercise of the course (docs/course)");
  cmd->add_option("lesson", options->lesson, "number, name or folder of the lesson")->required();
  CLI::Option* program = cmd->add_option("program", options->program, "the answer, a .cu file");
  CLI::Option* check = cmd->add_flag("--check-lesson", options->check_lesson,
                                     "no program: are the lesson's own right and wrong answers judged as it says?");
  check->excludes(program);
  cmd->add_option("--patience", options->patience_seconds, "wall-clock seconds until a run is stopped")
      ->default_val(60);
  cmd->add_flag("--json", options->json, "the verdict as JSON on standard output");
  cmd->callback([options, layout] {
    Lesson lesson = load_lesson(layout.course(), options->lesson);
    if (options->check_lesson) return check_lesson(lesson, *options);
    if (options->program.empty())
      throw UserError(ExitCode::usage, "name the answer to grade: shmemu grade LESSON PROGRAM.cu");
    grade(lesson, *options);
  });
}

}  // namespace shmemu::tools
