#include "traces/replayer.hpp"

#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include "base/errors.hpp"
#include "tests/unit_support.hpp"

using namespace shmemu;
using namespace shmemu::traces;

namespace {

constexpr uint64_t kHeap = 0x4000'0000'0000, kStride = 1 << 20;

std::string launch_line(int pe) {
  HostEntry e;
  e.submit = true;
  e.kind = OpKind::launch, e.name = "k";
  e.stream = 1;
  e.has_launch = true, e.launch.block = {1, 1, 1}, e.gpu = pe;
  return write_host(PeId{pe}, e);
}

std::string wait_and_exit(int pe) {
  HostEntry wait, end;
  wait.op.kind = OpKind::stream_wait, wait.awaited = 0;
  end.op.kind = OpKind::exit;
  return write_host(PeId{pe}, wait) + write_host(PeId{pe}, end);
}

// PE 0 stores a word into PE 1, which waits for it.
std::string message(int platform_pes = 2) {
  const uint64_t one = 1;
  Payload payload(&one, 8);
  Op store, wait, end;
  store.kind = OpKind::p, store.target = {1}, store.site = 1, store.remote = kHeap + kStride, store.bytes = 8;
  wait.kind = OpKind::wait, wait.type = 7, wait.function = 5, wait.target = {1}, wait.site = 2;
  wait.remote = kHeap + kStride, wait.bytes = 8, wait.value = 1;
  end.kind = OpKind::exit;
  return write_header({"message", "hgx-h200", 2, platform_pes, kHeap, kStride}) + launch_line(0) + launch_line(1) +
         write_lane({0, 0, 0, 0}, store, &payload, {}, {}) + write_lane({0, 0, 0, 0}, end, nullptr, {}, {}) +
         write_lane({1, 0, 0, 0}, wait, nullptr, {}, {}) + write_lane({1, 0, 0, 0}, end, nullptr, {}, {}) +
         wait_and_exit(0) + wait_and_exit(1);
}

Trace trace_of(const std::string& text) {
  test::TemporaryFolder folder;
  return read_trace(folder.write("t", text));
}

}  // namespace

TEST_CASE("replay: a wait is resolved by the data of the trace, at the machine's time") {
  RunReport report;
  ReplayResult r = replay(trace_of(message()), test::h200_node(), report);
  CHECK(r.transfers == 1);
  // signal one way: issue 0.040 + flight 0.405 + poll 0.332 = 0.764 µs
  auto json = nlohmann::json::parse(report.json({}));
  double waited = 0;
  for (auto& row : json["operations"])
    if (row["operation"] == "wait") waited = row["max_us"];
  CHECK(waited == Approx(0.764));
}

TEST_CASE("replay: twice gives equal digests") {
  Trace t = trace_of(message());
  RunReport a, b;
  replay(t, test::h200_node(), a);
  replay(t, test::h200_node(), b);
  CHECK(a.digest() == b.digest());
}

TEST_CASE("replay: a platform with too few GPUs is refused with both numbers") {
  RunReport report;
  CHECK_THROWS_WITH(replay(trace_of(message(24)), load_platform(test::platform_folder(), "coreweave-2x8"), report),
                    Catch::Contains("the trace uses 24 GPUs, platform 'coreweave-2x8' has 16"));
}

TEST_CASE("replay: a thread without its operations is named") {
  std::string text = message();
  size_t at = text.rfind("{\"pe\":1,\"k\":0");  // the exit of PE 1's thread
  text.erase(at, text.find('\n', at) + 1 - at);
  RunReport report;
  CHECK_THROWS_WITH(replay(trace_of(text), test::h200_node(), report),
                    Catch::Contains("no further operation for PE 1 kernel 0 (k) block 0 thread 0"));
}

TEST_CASE("replay: a wait that the trace cannot satisfy is a deadlock") {
  std::string text = message();
  size_t at = text.find("\"data\":\"01");
  REQUIRE(at != std::string::npos);
  text.replace(at, 10, "\"data\":\"00");
  RunReport report;
  try {
    replay(trace_of(text), test::h200_node(), report);
    FAIL("no deadlock");
  } catch (const UserError& e) {
    CHECK(e.code() == ExitCode::deadlock);
    CHECK(std::string(e.what()).find("PE 1 k block 0 thread 0 waits") != std::string::npos);
  }
}
