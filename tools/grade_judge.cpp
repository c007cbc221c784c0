#include "grade_judge.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

#include "base/errors.hpp"

namespace shmemu::tools {
namespace {

// What shmemu and the program said on standard error, without the findings, which are told one by one.
std::vector<std::string> messages(const std::string& errors) {
  std::istringstream in(errors);
  std::vector<std::string> lines;
  bool in_finding = false;
  for (std::string line; std::getline(in, line);) {
    in_finding = line.starts_with("finding: ") || (in_finding && line.starts_with("  "));
    if (in_finding || line.find_first_not_of(' ') == std::string::npos) continue;
    if (line.starts_with("shmemu: ")) line.erase(0, 8);
    lines.push_back(line.substr(line.find_first_not_of(' ')));
  }
  return lines;
}

std::string crash(const RunOutcome& outcome) {
  std::vector<std::string> lines = messages(outcome.errors);
  return fmt::format("it ended with exit code {}: {}", outcome.code, lines.empty() ? "no message" : lines[0]);
}

// The first line and the first waiting thread that waits for another PE, not for its own GPU.
std::string deadlock(const RunOutcome& outcome) {
  std::string text = "deadlock", who;
  for (const std::string& line : messages(outcome.errors)) {
    if (line.starts_with("deadlock: ")) text = line;
    if (who.empty() && line.find(" waits at ") != std::string::npos &&
        line.find("for work on the GPU") == std::string::npos)
      who = line;
  }
  return fmt::format("{}{}; look for the PE that did not come or the operation that was not sent", text,
                     who.empty() ? "" : "; " + who);
}

std::string difference(const std::vector<std::string>& expected, const std::vector<std::string>& printed) {
  std::vector<std::string> missing, extra;
  std::set_difference(expected.begin(), expected.end(), printed.begin(), printed.end(), std::back_inserter(missing));
  std::set_difference(printed.begin(), printed.end(), expected.begin(), expected.end(), std::back_inserter(extra));
  if (missing.empty())
    return fmt::format("it printed '{}', which is not asked for; print only the lines of the exercise", extra[0]);
  // the line about the same thing: the one that begins alike
  size_t colon = missing[0].find(':');
  auto same = std::find_if(extra.begin(), extra.end(), [&](const std::string& line) {
    return colon != std::string::npos && line.substr(0, colon) == missing[0].substr(0, colon);
  });
  if (same != extra.end()) return fmt::format("it printed '{}', expected '{}'", *same, missing[0]);
  return fmt::format("the line '{}' is missing", missing[0]);
}

}  // namespace

std::vector<Problem> judge(const Lesson& lesson, const LessonRun& run, bool adverse, const RunOutcome& outcome) {
  std::vector<Problem> problems;
  for (const GradeFinding& f : outcome.findings) {
    if (std::count(lesson.allowed_findings.begin(), lesson.allowed_findings.end(), f.rule)) continue;
    problems.push_back(
        {"finding", f.rule + f.first + f.second,
         fmt::format("{} {}{}: {}", f.rule, f.first.empty() ? "at " : fmt::format("between {} and ", f.first), f.second,
                     f.text)});
  }
  if (outcome.out_of_patience) {
    problems.push_back({"crash", "patience",
                        "it did not end; look for a loop on the host that never ends, or use "
                        "--patience SECONDS if it only needs longer"});
  } else if (outcome.code == static_cast<int>(ExitCode::deadlock)) {
    problems.push_back({"deadlock", "deadlock", deadlock(outcome)});
  } else if (outcome.code != 0 && outcome.code != static_cast<int>(ExitCode::findings)) {
    problems.push_back({"crash", "crash", crash(outcome)});
  } else {
    if (outcome.printed != run.prints)
      problems.push_back({"result", "result",
                          difference(run.prints, outcome.printed) +
                              (adverse ? "; a result that depends on the seed is a missing order" : "")});
    if (!adverse && run.at_most && outcome.virtual_time && *outcome.virtual_time > *run.at_most)
      problems.push_back({"time", "time",
                          fmt::format("it took {}, at most {} are allowed; {}", to_text(*outcome.virtual_time),
                                      to_text(*run.at_most), lesson.when_slow)});
  }
  return problems;
}

}  // namespace shmemu::tools
