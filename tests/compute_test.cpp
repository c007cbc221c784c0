// Computing of kernels in virtual time, and plain accesses to peers: whole programs.
#include <catch2/catch.hpp>

#include <map>
#include <sstream>

#include "harness.hpp"

using namespace shmemu::test;

namespace {

// "name ns" lines.
std::map<std::string, double> times(const Result& r) {
  INFO(show(r));
  REQUIRE(r.code == 0);
  std::map<std::string, double> result;
  std::istringstream in(r.out);
  std::string name;
  for (double ns; in >> name >> ns;) result[name] = ns;
  REQUIRE(result.size() == 2);
  return result;
}

std::map<std::string, double> counted(const std::string& program, const Words& options, const Words& arguments) {
  Words all = {"-q"};
  all.insert(all.end(), options.begin(), options.end());
  return times(run_program(program, all, arguments));
}

}  // namespace

TEST_CASE("computing takes the same virtual time at every -O, as loops and as fibers") {
  auto expected = counted("programs/counted", {}, {"4096", "10"});
  CHECK(counted("counted.O0", {}, {"4096", "10"}) == expected);
  CHECK(counted("programs/counted", {"--fibers"}, {"4096", "10"}) == expected);
  CHECK(counted("counted.O0", {"--fibers"}, {"4096", "10"}) == expected);
}

TEST_CASE("more computing takes more virtual time, in proportion") {
  auto few = counted("programs/counted", {}, {"4096", "1000"}),
       more = counted("programs/counted", {}, {"4096", "2000"});
  double round = (more["smooth"] - few["smooth"]) / 1000 / 4;  // per item of a thread: 4 of 4096 / (4 × 256)
  CHECK(round > 2.0);                                          // a dependent multiply-add takes 4 cycles of 1.98 GHz
  CHECK(round < 4.0);
  CHECK(more["sum"] == few["sum"]);
}

TEST_CASE("loads, stores and atomics through nvshmem_ptr travel over the link") {
  Result r = run_program("programs/peer_pointers", {"-q", "-n", "2"});
  INFO(show(r));
  CHECK(r.code == 0);
  CHECK(contains(r.out, "peer_pointers ok"));
  Result adverse =
      run_program("programs/peer_pointers", {"-q", "-n", "2", "--delivery", "adverse", "--seed", "3"}, {"late"});
  CHECK(contains(adverse.out, "peer_pointers ok"));
}
