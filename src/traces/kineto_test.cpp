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

// Names, grids and distributedInfo of DeepSeek's published training step (deepseek-ai/profile-data).
TEST_CASE("DeepSeek's own names are known; ranks, experts and SMs come from what the profile says", "[traces]") {
  test::TemporaryFolder folder;
  auto with_grid = [](std::string event, int blocks) {
    event.insert(event.size() - 2, R"(, "args": {"stream": 27, "grid": [)" + std::to_string(blocks) + ", 1, 1]}");
    return event;
  };
  std::string text =
      R"({"distributedInfo": {"rank": 0, "world_size": 64}, "traceEvents": [)" +
      with_grid(kernel("void dpsk::ep::cuda::get_dispatch_layout<256, 32, 8>(long const*)", 0, 100), 16) +
      with_grid(kernel("void dpsk::ep::internode::notify_dispatch<false, 8>(int const*)", 100, 20), 9) +
      with_grid(kernel("void dpsk::ep::internode::dispatch<false, 8, false, 8>(int4*)", 200, 40), 20) +
      with_grid(kernel("void dpsk::ep::internode::combine<false, 8, __nv_bfloat16>(int4*)", 300, 50), 20);
  text.pop_back();
  Kineto p = read_kineto(folder.write("step.json", text + "]}"));
  for (const char* kind : {"layout", "notify", "dispatch", "combine"}) CHECK(p.kinds[kind].kernels == 1);
  CHECK(p.ranks == 64);
  CHECK(p.ranks_assumed == 64);
  CHECK(p.experts_assumed == 256);  // 16 blocks less 64 / 8, of 32 experts each
  CHECK(p.sms_assumed == 20);
}

// gemm 0-100 | dispatch 100-200, waits for it (other stream, idle) | gemm 201-301, waits for dispatch | copy 303-313,
// back to back
TEST_CASE("a profile plays again: unchanged, and with longer kernels what waited for them moves", "[traces]") {
  Kineto p;
  p.kernels = {
      {"computing", 0, 100, 7}, {"dispatch", 100, 100, 27}, {"computing", 201, 100, 7}, {"computing", 303, 10, 7}};
  CHECK(play(p, {}) == 313);
  CHECK(play(p, {{"dispatch", 40}}) == 353);
  CHECK(play(p, {{"dispatch", -60}}) == 253);
  p.kernels[1] = {"dispatch", 0, 90,
                  27};         // beside gemm: the next gemm, 101 after its stream's last, still waits for it
  p.kernels[2].from_us = 104;  // … and now it does not: back to back with its own stream
  CHECK(play(p, {{"dispatch", 40}}) == 313);
}

TEST_CASE("what is no Kineto profile is refused with the reason", "[traces]") {
  test::TemporaryFolder folder;
  CHECK_THROWS_WITH(read_kineto(folder.write("a.json", "{\"traceEvents\": [{\"ph\"")), Contains("cut off"));
  CHECK_THROWS_WITH(read_kineto(folder.write("b.json", "{\"events\": []}")), Contains("no 'traceEvents'"));
  CHECK_THROWS_WITH(read_kineto(folder.write("c.json", "{\"traceEvents\": []}")), Contains("category 'kernel'"));
}
