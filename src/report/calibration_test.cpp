#include "report/calibration.hpp"

#include <catch2/catch.hpp>

#include "tests/unit_support.hpp"

using namespace shmemu;
using namespace shmemu::validation;

TEST_CASE("calibrate: the rows of an H200 give the H200's file back, and the file loads") {
  auto measured = test::platform_folder() / "measurements/h200x2_nvshmem345.csv";
  std::vector<std::string> absent;
  auto constants = calibrate(read_rows(measured), absent);
  CHECK(absent.empty());
  CHECK(constants.size() >= 20);
  test::TemporaryFolder folder;
  folder.write("gpu.yaml",
               gpu_file("again", (test::platform_folder() / "gpus/h200.yaml").string(), "a test", constants));
  folder.write("p.yaml",
               "name: p\ngpu: gpu.yaml\nhost: " + (test::platform_folder() / "gpus/host-default.yaml").string() + "\n");
  const GpuModel g = load_platform(folder.path(), "p").gpu;
  const GpuModel& h200 = test::h200_node().gpu;
  // set by hand from the same rows; `line` is a small difference of two slopes
  CHECK(g.loop.us() == Approx(h200.loop.us()).epsilon(0.05));
  CHECK(g.line.us() == Approx(h200.line.us()).epsilon(0.2));
  CHECK(g.call_group.us() == Approx(h200.call_group.us()).epsilon(0.05));
  CHECK(g.l2_load.us() == Approx(h200.l2_load.us()).epsilon(0.06));
  CHECK(g.remote_load.us() == Approx(h200.remote_load.us()).epsilon(0.02));
  CHECK(g.p_issue.us() == Approx(h200.p_issue.us()).epsilon(0.02));
  CHECK(g.fence_system.us() == Approx(h200.fence_system.us()).epsilon(0.02));
  CHECK(g.fence_gpu.us() == Approx(h200.fence_gpu.us()).epsilon(0.02));
  CHECK(g.ack_remote.us() == Approx(h200.ack_remote.us()).epsilon(0.02));
  CHECK(g.fetch_remote.us() == Approx(h200.fetch_remote.us()).epsilon(0.02));
  CHECK(g.poll_hit.us() == Approx(h200.poll_hit.us()).epsilon(0.05));
  CHECK(g.nvlink_store.bytes_per_second == Approx(h200.nvlink_store.bytes_per_second).epsilon(0.03));
  CHECK(g.nvlink_load.bytes_per_second == Approx(h200.nvlink_load.bytes_per_second).epsilon(0.03));
  CHECK(g.local_copy.bytes_per_second == Approx(h200.local_copy.bytes_per_second).epsilon(0.06));
  CHECK(g.sms == h200.sms);
}

TEST_CASE("calibrate: rows that are missing are named, their constants left out") {
  std::vector<std::string> absent;
  Row r;
  r.probe = true, r.test = "p_issue", r.bytes = 8, r.measured = 0.05;
  auto constants = calibrate({r}, absent);
  REQUIRE(constants.size() == 1);
  CHECK(constants[0].key == "p_issue");
  CHECK(constants[0].value == Approx(0.037));
  CHECK(absent[0] ==
        "copy.call_group: no row put_nbi_issue warp 512 B, put_nbi_issue warp 32768 B, put_nbi_issue warp 8192 B");
}
