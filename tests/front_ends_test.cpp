// MPI and OpenSHMEM as front ends: the programs of tests/front_ends check themselves and print "ok".
#include <catch2/catch.hpp>

#include "harness.hpp"

using namespace shmemu::test;

namespace {

void check_ok(const std::string& name, const Words& options, const Words& arguments = {}) {
  Result r = run_program(name, options, arguments);
  INFO(name << ": " << show(r));
  CHECK(r.code == 0);
  CHECK(r.out == "ok\n");
  CHECK(r.err.empty());
}

}  // namespace

TEST_CASE("front ends: MPI and OpenSHMEM programs are right on 1, 2, 3, 7, 8 and 16 PEs") {
  std::vector<std::string> programs = programs_of("front_ends");
  REQUIRE(programs.size() >= 10);
  for (const std::string& name : programs)
    for (const char* pes : {"1", "2", "3", "7", "8", "16"}) check_ok(name, {"-q", "-n", pes});
}

TEST_CASE("front ends: MPI and OpenSHMEM programs are right under adverse delivery") {
  for (const std::string& name : programs_of("front_ends"))
    for (const char* seed : {"1", "2"}) check_ok(name, {"-q", "-n", "3", "--delivery", "adverse", "--seed", seed});
}

TEST_CASE("front ends: a communicator gives NVSHMEM its PEs and their order") {
  for (const char* pes : {"2", "6", "7"})
    for (const char* which : {"half", "reversed"}) check_ok("front_ends/mpi_init", {"-q", "-n", pes}, {which});
}

TEST_CASE("front ends: messages are in the trace, and a replay gives the same times") {
  std::string trace = scratch("mpi.trace").string(), ran = scratch("run.times").string(),
              played = scratch("replay.times").string();
  Result run = run_program("front_ends/mpi_collectives", {"-q", "-n", "4", "--record", trace, "--timeline", ran});
  INFO(show(run));
  REQUIRE(run.code == 0);
  Result replay = shmemu::test::shmemu({"replay", "-q", trace, "--timeline", played});
  INFO(show(replay));
  REQUIRE(replay.code == 0);
  CHECK(read_file(ran) == read_file(played));
}

TEST_CASE("front ends: a receive without a send is a deadlock that names the call") {
  std::string source = scratch("alone.c").string(), binary = scratch("alone").string();
  write_file(source,
             "#include <mpi.h>\n"
             "int main(int c, char** v) {\n"
             "  int rank, word;\n"
             "  MPI_Init(&c, &v);\n"
             "  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
             "  if (rank == 0) MPI_Recv(&word, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n"
             "  return 0;\n"
             "}\n");
  Result built = shmemu::test::shmemu({"cc", "-Wall", source, "-o", binary, "-lmpi"});
  INFO(show(built));
  REQUIRE(built.code == 0);
  Result r = shmemu::test::shmemu({"run", "-q", "-n", "2", binary});
  INFO(show(r));
  CHECK(r.code == 4);
  CHECK(contains(r.err, "PE 0 host waits at alone.c:6"));
  CHECK(contains(r.err, "host messages"));
}
