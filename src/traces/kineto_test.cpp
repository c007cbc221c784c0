#include <catch2/catch.hpp>

#include "base/errors.hpp"
#include "tests/unit_support.hpp"
#include "traces/kineto.hpp"

using namespace shmemu;
using namespace shmemu::traces;
using Catch::Matchers::Contains;

namespace {

std::string kernel(const std::string& name, double from, double us) {
  return R"({"ph": "X", "cat": "kernel", "name": ")" + name + R"(", "ts": )" + std::to_string(from) + R"(, "dur": )" +
         std::to_string(us) + "},";
}

}  // namespace

// Computing from 0 to 100 and 300 to 400; dispatch 50-150, cached dispatch 350-450: half of each is hidden.
TEST_CASE("a Kineto profile becomes a table of DeepEP's kernels", "[traces]") {
  test::TemporaryFolder folder;
  auto file = folder.write("step.json",
                           "{\"traceEvents\": [" + kernel("gemm", 0, 100) + kernel("gemm", 300, 100) +
                               kernel("void deep_ep::internode::dispatch<false, 8, false, 7>(int)", 50, 100) +
                               kernel("void deep_ep::internode::dispatch<(bool)0, (int)8, (bool)1, 7>(int)", 350, 100) +
                               kernel("void deep_ep::internode::cached_notify<false>(int)", 200, 10) +
                               R"({"ph": "X", "cat": "cpu_op", "name": "aten::mm", "ts": 0, "dur": 9000}]})");
  Kineto p = read_kineto(file);
  CHECK(p.kinds.at("dispatch").kernels == 1);
  CHECK(p.kinds.at("cached dispatch").kernels == 1);
  CHECK(p.kinds.at("cached notify").total_us == 10);
  CHECK(p.kinds.at("computing").kernels == 2);
  CHECK(p.span_us == 450);
  CHECK(p.communication_us == 210);
  CHECK(p.hidden_us == 100);
  CHECK(p.ranks_assumed == 64);
  CHECK_THAT(text_of(p), Contains("no peer, size or rank"));
}

TEST_CASE("what is no Kineto profile is refused with the reason", "[traces]") {
  test::TemporaryFolder folder;
  CHECK_THROWS_WITH(read_kineto(folder.write("a.json", "{\"traceEvents\": [{\"ph\"")), Contains("cut off"));
  CHECK_THROWS_WITH(read_kineto(folder.write("b.json", "{\"events\": []}")), Contains("no 'traceEvents'"));
  CHECK_THROWS_WITH(read_kineto(folder.write("c.json", "{\"traceEvents\": []}")), Contains("category 'kernel'"));
}
