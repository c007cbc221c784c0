#include "traces/reader.hpp"

#include <catch2/catch.hpp>

#include "base/errors.hpp"
#include "tests/unit_support.hpp"

using namespace shmemu;
using namespace shmemu::traces;

namespace {

Header header_of(int pes) {
  return {.program = "ring",
          .platform = "hgx-h200",
          .pes = pes,
          .gpus = 8,
          .heap_base = 1ull << 45,
          .heap_stride = 1ull << 37};
}

std::string exit_line(int pe) {
  HostEntry e;
  e.op.kind = OpKind::exit;
  return write_host(PeId{pe}, e);
}

// The message of a file with this text.
std::string error_of(const std::string& text) {
  test::TemporaryFolder folder;
  auto file = folder.write("t.jsonl", text);
  try {
    read_trace(file);
  } catch (const UserError& e) {
    CHECK(e.code() == ExitCode::usage);
    std::string message = e.what();
    CHECK(message.find(file.string()) == 0);
    return message.substr(file.string().size());
  }
  return "";
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

void check_equal(const Op& a, const Op& b) {
  CHECK(a.kind == b.kind);
  CHECK(a.scope == b.scope);
  CHECK(a.nbi == b.nbi);
  CHECK(a.type == b.type);
  CHECK(a.function == b.function);
  CHECK(a.flags == b.flags);
  CHECK(a.signal_op == b.signal_op);
  CHECK(a.issuer == b.issuer);
  CHECK(a.target == b.target);
  CHECK(a.site == b.site);
  CHECK(a.remote == b.remote);
  CHECK(a.local == b.local);
  CHECK(a.bytes == b.bytes);
  CHECK(a.value == b.value);
  CHECK(a.compare == b.compare);
  CHECK(a.signal == b.signal);
  CHECK(a.elements == b.elements);
  CHECK(a.qp == b.qp);
  CHECK(a.remote_stride == b.remote_stride);
  CHECK(a.local_stride == b.local_stride);
}

Op op_of(OpKind kind) {
  Op op;
  op.kind = kind;
  return op;
}

Op full_op(PeId pe) {
  Op op;
  op.kind = OpKind::put_signal;
  op.scope = Scope::block;
  op.nbi = true;
  op.type = 7, op.function = 3, op.flags = 0x80, op.signal_op = 10;
  op.issuer = pe, op.target = {2};
  op.site = 0x1234, op.remote = ~0ull, op.local = 1ull << 63;
  op.bytes = 64, op.value = ~0ull - 1, op.compare = 5, op.signal = 1ull << 46;
  op.qp = 3, op.elements = 4, op.remote_stride = -16, op.local_stride = 8;
  return op;
}

}  // namespace

TEST_CASE("trace: what is written is read again") {
  const uint64_t word = 0x0102030405060708;
  Payload payload(&word, 8);
  HostEntry submit;
  submit.submit = true;
  submit.since = 5_us;
  submit.kind = OpKind::launch, submit.name = "ring<int>";
  submit.stream = 3, submit.blocking = false;
  submit.latency = 2_us;
  submit.also = {0, 7};
  submit.has_launch = true, submit.launch.grid = {4, 2, 1}, submit.launch.block = {32, 4, 1};
  submit.launch.shared_bytes = 1024, submit.launch.cooperative = true, submit.gpu = 1;
  HostEntry copy;
  copy.submit = true;
  copy.kind = OpKind::copy, copy.name = "copy";
  copy.has_duration = true, copy.duration = 7_us;
  HostEntry wait;
  wait.op.kind = OpKind::stream_wait, wait.op.issuer = {1}, wait.awaited = 0;

  test::TemporaryFolder folder;
  Trace t = read_trace(
      folder.write("t", "# for people\n" + write_header(header_of(3)) + write_host(PeId{1}, submit) +
                            write_lane({1, 4, 5, 6}, full_op(PeId{1}), &payload, 9_ns, {5, 6, 7, 8, 0x1003}) + "\n" +
                            write_host(PeId{1}, copy) + write_host(PeId{1}, wait) +
                            write_lane({1, 4, 5, 6}, op_of(OpKind::exit), nullptr, {}, {}) + exit_line(0) +
                            exit_line(1) + exit_line(2)));
  CHECK(t.header.program == "ring");
  CHECK(t.header.platform == "hgx-h200");
  CHECK(t.header.pes == 3);
  CHECK(t.header.gpus == 8);
  CHECK(t.header.heap_base == 1ull << 45);
  CHECK(t.header.heap_stride == 1ull << 37);
  REQUIRE(t.hosts.size() == 3);
  REQUIRE(t.hosts[1].size() == 4);
  const HostEntry& s = t.hosts[1][0];
  CHECK(s.submit);
  CHECK(s.since == 5_us);
  CHECK(s.kind == OpKind::launch);
  CHECK(s.name == "ring<int>");
  CHECK(s.stream == 3);
  CHECK_FALSE(s.blocking);
  CHECK(s.latency == 2_us);
  CHECK(s.also == std::vector<uint64_t>{0, 7});
  REQUIRE(s.has_launch);
  CHECK(s.launch.name == "ring<int>");
  CHECK(s.launch.grid.count() == 8);
  CHECK(s.launch.block.y == 4);
  CHECK(s.launch.shared_bytes == 1024);
  CHECK(s.launch.cooperative);
  CHECK_FALSE(s.launch.internal);
  CHECK(s.gpu == 1);
  CHECK(t.hosts[1][1].has_duration);
  CHECK(t.hosts[1][1].duration == 7_us);
  CHECK(t.hosts[1][1].blocking);
  CHECK(t.hosts[1][2].awaited == 0);
  CHECK(t.hosts[1][2].op.kind == OpKind::stream_wait);
  CHECK(t.hosts[0][0].awaited == -1);
  const auto& lane = t.lanes.at({1, 4, 5, 6});
  REQUIRE(lane.size() == 2);
  check_equal(lane[0].op, full_op(PeId{1}));
  CHECK(lane[0].gap == 9_ns);
  CHECK(lane[0].work.bytes == 8);
  REQUIRE(lane[0].payload.size() == 8);
  CHECK(std::memcmp(lane[0].payload.data(), &word, 8) == 0);
  CHECK(lane[1].payload.size() == 0);
}

TEST_CASE("trace: large payloads are left out, only their size counts") {
  std::vector<char> large(1000, 'x');
  Payload payload(large.data(), large.size());
  CHECK_FALSE(has(write_lane({}, full_op(PeId{0}), &payload, {}, {}), "data"));
}

TEST_CASE("trace: a truncated file is refused") {
  std::string whole = write_header(header_of(2)) + exit_line(0) + exit_line(1);
  CHECK(error_of(whole).empty());
  CHECK(has(error_of(write_header(header_of(2)) + exit_line(0)),
            "the trace of PE 1 does not end: the file is truncated"));
  // cut within the last line
  CHECK(has(error_of(whole.substr(0, whole.size() - 5)), ":3: not a trace line"));
  CHECK(has(error_of(""), "the header is missing"));
}

TEST_CASE("trace: a corrupt line is refused with its number") {
  std::string start = write_header(header_of(2));
  CHECK(has(error_of(start + exit_line(0) + "{\"pe\":1,\n"), ":3: not a trace line"));
  CHECK(has(error_of(start + "{\"op\":\"exit\"}\n"), ":2: not a trace line"));  // whose?
  CHECK(has(error_of(start + "{\"pe\":5,\"op\":\"exit\"}\n"), ":2: not a trace line: PE 5 of 2"));
  CHECK(has(error_of(start + "{\"pe\":0,\"op\":\"teleport\"}\n"), "unknown operation 'teleport'"));
  CHECK(has(error_of(start + "{\"pe\":0,\"k\":0,\"b\":0,\"t\":0,\"op\":\"put\",\"target\":9}\n"), "target PE 9 of 2"));
  CHECK(has(error_of(start + "{\"pe\":\"zero\",\"op\":\"exit\"}\n"), ":2: not a trace line"));
  CHECK(has(error_of(start + "\x7f"
                             "ELF\n"),
            ":2: not a trace line"));
}

TEST_CASE("trace: another version is refused with both numbers") {
  std::string header = write_header(header_of(1));
  std::string newer = header;
  newer.replace(newer.find("\"shmemu_trace\":1"), 16, "\"shmemu_trace\":2");
  CHECK(has(error_of(newer), ":1: not a trace line: version 2, this shmemu reads 1"));
  CHECK(has(error_of("{\"something\":\"else\"}\n"), "version 0, this shmemu reads 1"));
}

TEST_CASE("trace: a file that cannot be read is refused with its name") {
  CHECK_THROWS_WITH(read_trace("/nowhere/t"), Catch::Contains("cannot read '/nowhere/t'"));
}
