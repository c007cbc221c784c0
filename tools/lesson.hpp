// A lesson of the course (docs/course/NN-name/lesson.yaml): on which machines an answer is run, what it must print,
// which findings it may have, how long it may take. A value, read once by `shmemu grade`; it runs nothing.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/time.hpp"

namespace shmemu::tools {

struct LessonRun {
  int pes = 0;
  std::optional<int> pes_per_node;  // none: as `shmemu run` places them
  std::vector<uint64_t> seeds;      // of adverse delivery, besides the run with the observed one
  std::vector<std::string> prints;  // lines in any order: PEs print when they like
  std::optional<Time> at_most;      // virtual time with observed delivery
};

struct WrongAnswer {
  std::filesystem::path file;  // relative to the lesson
  std::string says;            // part of what the grader must say about it
};

struct Lesson {
  std::filesystem::path folder;
  std::string title;
  std::string platform;  // empty: as `shmemu run` chooses
  std::vector<LessonRun> runs;
  std::vector<std::string> allowed_findings;  // rules
  std::string when_slow;                      // what to do about a run that takes too long
  std::vector<WrongAnswer> wrong;             // for instructors and our tests
};

// `name` is the folder of a lesson, or the number or name of one in `course`. UserError(usage) if there is none or its
// lesson.yaml is wrong.
Lesson load_lesson(const std::filesystem::path& course, const std::string& name);

}  // namespace shmemu::tools
