// Builds one answer to an exercise, runs it on every machine and schedule that the lesson names, and collects what is
// wrong, each problem once.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "grade_judge.hpp"
#include "lesson.hpp"

namespace shmemu::tools {

struct GradeRow {
  std::string run;      // "4 PEs, seed 2"
  std::string options;  // how to repeat it
  std::string verdict;  // "ok" or the kinds of its problems
  std::optional<Time> time, at_most;
};

struct Told {  // a problem, told once
  Problem problem;
  std::string run, options;
  int more_runs = 0;
};

struct GradeReport {
  std::string program;
  std::vector<GradeRow> rows;
  std::vector<Told> problems;

  void add(const Problem& p, const std::string& run, const std::string& options);
  bool accepted() const { return problems.empty(); }
};

// UserError(usage) if there is no such file. A run that takes longer than `patience_seconds` of wall time is a problem.
GradeReport grade_answer(const Lesson& lesson, const std::filesystem::path& program, double patience_seconds);

}  // namespace shmemu::tools
