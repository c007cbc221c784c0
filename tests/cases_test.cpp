// Mistakes that users have reported in public, as the answers to them ask for (sources in the programs).
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "harness.hpp"

using namespace shmemu::test;

namespace {

nlohmann::json json_of(const Result& r) {
  size_t at = r.out.starts_with("{\n") ? 0 : r.out.find("\n{\n");
  INFO(show(r));
  REQUIRE(at != std::string::npos);
  return nlohmann::json::parse(r.out.substr(at));
}

Result check(const std::string& name, const std::string& how, Words options = {"-n", "2"}) {
  options.insert(options.end(), {"--check", "--json"});
  return run_program("cases/" + name, options, {how});
}

nlohmann::json explore(const std::string& name, const std::string& how, int schedules) {
  return json_of(
      run_program("cases/" + name, {"-n", "2", "--json", "--explore", std::to_string(schedules)}, {how}, 240));
}

int findings(const Result& r, const std::string& rule, const std::string& level = "error") {
  int n = 0;
  nlohmann::json report = json_of(r);
  for (auto& f : report["findings"]) n += f["rule"] == rule && f["level"] == level;
  return n;
}

}  // namespace

TEST_CASE("case C02: two puts to one array are reported where the result is right, and wrong under some schedule") {
  Result plain = check("c02_two_puts", "broken");
  CHECK(plain.code == 3);
  CHECK(contains(plain.out, "array: 1 2 3 4 5 6 7 8 9 10"));
  CHECK(findings(plain, "order.overlap") == 1);
  CHECK(findings(plain, "order.missing-fence") >= 1);  // the last element says nothing about the others
  auto found = explore("c02_two_puts", "broken", 32);
  size_t bad = found["hang"]["seeds"].size() + found["different result"]["seeds"].size();
  CHECK(bad >= 1);
  for (const char* kind : {"hang", "different result"})
    if (!found[kind]["seeds"].empty())
      CHECK(contains(found[kind]["again"], "--seed " + std::to_string(found[kind]["seeds"][0].get<int>())));
  auto right = explore("c02_two_puts", "right", 8);
  for (const char* kind : {"hang", "different result", "finding not seen before"}) CHECK(right[kind]["seeds"].empty());
  CHECK(right["observed"]["findings"].empty());
}

TEST_CASE("case C04: a pad cleared after its allocation is reported in every run and hangs in some") {
  for (const char* how : {"late", "barrier"}) {
    INFO(how);
    CHECK(findings(check("c04_late_memset", how), "order.local-race") >= 1);
  }
  CHECK(explore("c04_late_memset", "late", 16)["hang"]["seeds"].size() +
            explore("c04_late_memset", "barrier", 16)["hang"]["seeds"].size() >=
        1);
  for (const char* how : {"zeroing", "right"}) {
    Result r = check("c04_late_memset", how);
    INFO(how << show(r));
    CHECK(r.code == 0);
    CHECK(json_of(r)["findings"].empty());
  }
}

TEST_CASE("case C05: a get into ordinary memory is a warning inside a node and an error between nodes") {
  const Words far{"-p", "coreweave-2x8", "--pes-per-node", "1", "-n", "2"};
  Result near = check("c05_get_into_cuda_memory", "broken");
  CHECK(near.code == 0);
  CHECK(findings(near, "sym.not-symmetric", "note") == 1);
  Result checked = check("c05_get_into_cuda_memory", "broken", far);
  CHECK(checked.code == 3);
  CHECK(findings(checked, "sym.not-symmetric") == 1);
  Result plain = run_program("cases/c05_get_into_cuda_memory", far, {"broken"});
  INFO(show(plain));
  CHECK(plain.code == 1);
  for (const char* part : {"the destination is cudaMalloc #0", "nvshmem_malloc", "nvshmemx_buffer_register"})
    CHECK(contains(plain.err, part));
  for (const Words& options : {Words{"-n", "2"}, far}) {
    Result right = check("c05_get_into_cuda_memory", "right", options);
    CHECK(right.code == 0);
    CHECK(json_of(right)["findings"].empty());
  }
}
