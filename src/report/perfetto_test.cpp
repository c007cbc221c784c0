// The file is read back with a decoder of its own: any protobuf reader sees what was written.
#include "report/perfetto.hpp"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

using namespace shmemu;

namespace {

// One field of a protobuf message.
struct Field {
  uint32_t number;
  uint64_t value = 0;
  std::string bytes;
};

std::vector<Field> decode(const std::string& message) {
  std::vector<Field> fields;
  size_t at = 0;
  auto varint = [&] {
    uint64_t v = 0;
    for (int shift = 0;; shift += 7) {
      REQUIRE(at < message.size());
      auto byte = static_cast<uint8_t>(message[at++]);
      v |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return v;
    }
  };
  while (at < message.size()) {
    uint64_t key = varint();
    Field f{static_cast<uint32_t>(key >> 3), 0, {}};
    switch (key & 7) {
      case 0:
        f.value = varint();
        break;
      case 1:
        for (int i = 0; i < 8; ++i) f.value |= uint64_t{static_cast<uint8_t>(message[at++])} << 8 * i;
        break;
      case 2: {
        uint64_t size = varint();
        REQUIRE(at + size <= message.size());
        f.bytes = message.substr(at, size);
        at += size;
        break;
      }
      default:
        FAIL("wire type " << (key & 7));
    }
    fields.push_back(std::move(f));
  }
  return fields;
}

const Field* find(const std::vector<Field>& fields, uint32_t number) {
  for (const Field& f : fields)
    if (f.number == number) return &f;
  return nullptr;
}

// Every packet as one line: "track name parent" or "begin/end track time name flow".
std::vector<std::string> read(const std::string& file) {
  std::stringstream content;
  content << std::ifstream(file, std::ios::binary).rdbuf();
  std::vector<std::string> lines;
  for (const Field& packet : decode(content.str())) {
    REQUIRE(packet.number == 1);
    std::vector<Field> p = decode(packet.bytes);
    REQUIRE(find(p, 10));  // trusted_packet_sequence_id
    if (const Field* track = find(p, 60)) {
      std::vector<Field> d = decode(track->bytes);
      const Field *process = find(d, 3), *parent = find(d, 5);
      std::string name = process ? find(decode(process->bytes), 6)->bytes : find(d, 2)->bytes;
      lines.push_back(fmt::format("track {} '{}' in {}", find(d, 1)->value, name, parent ? parent->value : 0));
      continue;
    }
    std::vector<Field> e = decode(find(p, 11)->bytes);
    const Field *name = find(e, 23), *flow = find(e, 47), *end = find(e, 48);
    lines.push_back(fmt::format("{} {} at {}{}{}", find(e, 9)->value == 1 ? "begin" : "end", find(e, 11)->value,
                                find(p, 8)->value, name ? " " + name->bytes : "",
                                flow  ? fmt::format(" flow {}", flow->value)
                                : end ? fmt::format(" ends flow {}", end->value)
                                      : ""));
  }
  return lines;
}

}  // namespace

TEST_CASE("perfetto: processes, tracks, slices and arrows as any protobuf reader sees them") {
  std::string file = fmt::format("/tmp/shmemu_perfetto_test_{}.pftrace", getpid());
  {
    PerfettoWriter writer(file);
    writer.add({0, "stream 1", "put_signal", 1_us, 3_us, 64, 1, 7, false});
    writer.add({0, "stream 1", "quiet", 2_us, 4_us, 0, -1, 0, false});  // overlaps: a row of its own
    writer.add({PerfettoWriter::kLinks, "PE 0 to PE 1", "put_signal", 1_us, 5_us, 64, -1, 7, false});
    writer.add({1, "host", "wait", 0_us, 5_us, 0, -1, 7, true});
  }
  std::vector<std::string> expected = {
      "track 1 'PE 0' in 0",
      "track 2 'stream 1' in 1",
      "begin 2 at 1000 put_signal flow 7",
      "end 2 at 3000",
      "track 3 'stream 1, row 2' in 1",
      "begin 3 at 2000 quiet",
      "end 3 at 4000",
      "track 4 'links' in 0",
      "track 5 'PE 0 to PE 1' in 4",
      "begin 5 at 1000 put_signal flow 7",
      "end 5 at 5000",
      "track 6 'PE 1' in 0",
      "track 7 'host' in 6",
      "begin 7 at 0 wait ends flow 7",
      "end 7 at 5000",
  };
  CHECK(read(file) == expected);
  std::remove(file.c_str());
}
