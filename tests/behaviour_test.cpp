// Every family of the NVSHMEM API over all its types, scopes and numbers of PEs: the programs of tests/behaviour
// compare with a serial reference of their own and print "ok". One test case per program, so that CTest runs them side
// by side.
#include <catch2/catch.hpp>

#include "harness.hpp"

using namespace shmemu::test;

namespace {

const std::vector<std::string> kPrograms{
    "atomics",    "collectives_move", "collectives_reduce", "queue_pairs", "registration",
    "rma_device", "rma_host",         "rma_sized",          "teams",       "tile"};

void check_program(const std::string& name) {
  auto check = [&](const Words& options) {
    Result r = run_program("behaviour/" + name, options, {}, 200);
    INFO(show(r));
    CHECK(r.code == 0);
    CHECK(r.out == "ok\n");
    CHECK(r.err.empty());
  };
  for (const char* pes : {"1", "2", "3", "7", "8", "16"}) check({"-q", "-n", pes});  // 16: on two nodes
  check({"-q", "-n", "3", "--delivery", "adverse", "--seed", "1"});
}

}  // namespace

TEST_CASE("behaviour: every program has a test case") {
  std::vector<std::string> known;
  for (const std::string& name : kPrograms) known.push_back("behaviour/" + name);
  CHECK(programs_of("behaviour") == known);
}

TEST_CASE("behaviour: atomics, waits and signals") { check_program("atomics"); }
TEST_CASE("behaviour: broadcast, fcollect, alltoall, barriers") { check_program("collectives_move"); }
TEST_CASE("behaviour: reductions") { check_program("collectives_reduce"); }
TEST_CASE("behaviour: named queue pairs") { check_program("queue_pairs"); }
TEST_CASE("behaviour: registered buffers") { check_program("registration"); }
TEST_CASE("behaviour: puts and gets in kernels") { check_program("rma_device"); }
TEST_CASE("behaviour: puts and gets from the host and on streams") { check_program("rma_host"); }
TEST_CASE("behaviour: sized strided and signalled puts") { check_program("rma_sized"); }
TEST_CASE("behaviour: teams") { check_program("teams"); }
TEST_CASE("behaviour: tiles") { check_program("tile"); }
