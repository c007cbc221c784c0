// What is wrong with one run of an answer, as sentences for students: what happened in which run, what was expected,
// what to do. Pure: lesson and outcome in, problems out.
#pragma once
#include <string>
#include <vector>

#include "grade_run.hpp"
#include "lesson.hpp"

namespace shmemu::tools {

struct Problem {
  std::string kind;  // build, crash, deadlock, result, finding, time: the columns of the table
  std::string key;   // equal keys are the same problem in another run
  std::string text;
};

std::vector<Problem> judge(const Lesson& lesson, const LessonRun& run, bool adverse, const RunOutcome& outcome);

}  // namespace shmemu::tools
