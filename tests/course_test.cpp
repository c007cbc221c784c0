// `shmemu grade`: what it says and how it ends. That the lessons' own answers are judged rightly is tested by
// course.<lesson> (CMakeLists.txt).
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "harness.hpp"

using namespace shmemu::test;

namespace {

std::filesystem::path lesson_file(const std::string& name) { return source("docs/course") / name; }

}  // namespace

TEST_CASE("grade accepts a right answer with a table and exit code 0") {
  Result r = shmemu::test::shmemu({"grade", "1", lesson_file("01-symmetric-heap/right.cu").string()});
  INFO(show(r));
  CHECK(r.code == 0);
  CHECK(contains(r.out, "4 PEs, 2 a node, adverse seed 1"));
  CHECK(lines_of(r.out).back() == "accepted");
}

TEST_CASE("grade rejects with exit code 1; JSON has a sentence and a command that repeats the run") {
  Result r = shmemu::test::shmemu({"grade", "--json", "put-get", lesson_file("02-put-get/broken.cu").string()});
  INFO(show(r));
  CHECK(r.code == 1);
  auto json = nlohmann::json::parse(r.out);
  CHECK(json["accepted"] == false);
  CHECK(json["lesson"] == "02-put-get");
  REQUIRE(json["problems"].size() == 1);  // one sentence, though all runs show it
  auto problem = json["problems"][0];
  CHECK(problem["kind"] == "finding");
  CHECK(problem["runs"] == json["runs"].size());
  CHECK(problem["command"] == "shmemu run --check -n 2 ./broken");
  CHECK(contains(problem["text"], "order.source-reuse between broken.cu:"));
}

TEST_CASE("a comment that silences a finding does not help") {
  std::string text = read_file(lesson_file("02-put-get/broken.cu"));
  size_t at = text.find("  fill(batch, 10 * me);");
  REQUIRE(at != std::string::npos);
  auto file = scratch("silenced.cu");
  write_file(file, text.insert(at, "  // shmemu: allow order.source-reuse\n"));
  Result r = shmemu::test::shmemu({"grade", "2", file.string()});
  INFO(show(r));
  CHECK(r.code == 1);
  CHECK(contains(r.out, "silences a finding"));
}

TEST_CASE("an answer that does not compile is told by its first error") {
  auto file = scratch("typo.cu");
  write_file(file, "#include \"course.hpp\"\nint main() { Course c; nvshmem_barier_all(); }\n");
  Result r = shmemu::test::shmemu({"grade", "06", file.string()});
  INFO(show(r));
  CHECK(r.code == 1);
  CHECK(contains(r.out, "it does not compile: "));
  CHECK(contains(r.out, "nvshmem_barier_all"));
}

TEST_CASE("a message names the header, also when source and header were compiled by relative paths") {
  auto program = scratch("relative");
  std::string compile = std::string(SHMEMU_BINARY) + " cc -I.. broken.cu -o " + program.string();
  Result made = run({"bash", "-c", "cd " + lesson_file("06-teams").string() + " && " + compile});
  REQUIRE(made.code == 0);
  Result r = shmemu::test::shmemu({"run", "-q", "-n", "4", program.string()});
  INFO(show(r));
  CHECK(r.code == 4);
  CHECK(contains(r.err, "waits at course.hpp:"));
  CHECK_FALSE(contains(r.err, "waits at broken.cu:"));
}

TEST_CASE("grade names the lessons when there is none of that name") {
  Result r = shmemu::test::shmemu({"grade", "11", "x.cu"});
  INFO(show(r));
  CHECK(r.code == 2);
  CHECK(contains(r.err, "no lesson '11'; there are 01-symmetric-heap, 02-put-get"));
}

TEST_CASE("a lesson with an unknown key is refused with file and line") {
  auto folder = scratch("lesson");
  std::filesystem::create_directories(folder);
  write_file(folder / "lesson.yaml", "title: x\nruns: []\nrunz: []\n");
  Result r = shmemu::test::shmemu({"grade", folder.string(), "x.cu"});
  INFO(show(r));
  CHECK(r.code == 2);
  CHECK(contains(r.err, "lesson.yaml:3"));
  CHECK(contains(r.err, "runz"));
}
