#include "traces/columns.hpp"

#include <catch2/catch.hpp>

#include <fstream>

#include "base/errors.hpp"
#include "tests/unit_support.hpp"
#include "traces/column_file.hpp"

using namespace shmemu;
using namespace shmemu::traces;
namespace fs = std::filesystem;

namespace {

std::string read_bytes(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void convert(const fs::path& from, const fs::path& to) {
  auto reader = trace_reader(from);
  auto writer = trace_writer(to);
  writer->header(reader->header());
  for (Entry e; reader->next(e);) writer->entry(e);
  writer->finish();
}

// Two PEs; lanes with every field, a block that ran at once, a comment, hosts in between. `more` further stores.
std::string sample(int more = 0) {
  HostEntry launch, end;
  launch.submit = true, launch.kind = OpKind::launch, launch.name = "k", launch.has_launch = true;
  end.op.kind = OpKind::exit;
  Op op;
  op.kind = OpKind::put_signal, op.scope = Scope::block, op.nbi = true;
  op.type = 7, op.function = 3, op.flags = 0x80, op.signal_op = 10, op.target = {1};
  op.site = 0x1234, op.remote = ~0ull, op.local = 1ull << 63, op.bytes = 64, op.value = ~0ull - 1, op.compare = 5;
  op.signal = 1ull << 46, op.qp = 3, op.elements = 4, op.remote_stride = -16, op.local_stride = 8;
  const char bytes[] = "twenty-four bytes of it";
  Payload payload(bytes, sizeof bytes);
  std::string text = write_header({"sample", "hgx-h200", 2, 8, 1ull << 45, 1ull << 37}) + write_host(PeId{0}, launch) +
                     "# a word to people\n" + write_lane({0, 1, 2, 3}, op, &payload, Time{7}, {1, 2, 3, 4, 0x5006}) +
                     write_warp({1, 0, 5, 0}, {9, 8, 7, 6}) + write_host(PeId{1}, launch);
  Op store;
  store.kind = OpKind::p, store.bytes = 4;
  for (int i = 0; i < more; ++i) {
    store.remote = static_cast<uint64_t>(i) * 4;
    text += write_lane({i % 2, 1, 0, static_cast<uint32_t>(i % 97)}, store, nullptr, Time{i}, {});
  }
  return text + write_lane({0, 1, 2, 3}, end.op, nullptr, {}, {}) + write_host(PeId{1}, end) + write_host(PeId{0}, end);
}

std::string error_of(const fs::path& file) {
  try {
    auto reader = trace_reader(file);
    for (Entry e; reader->next(e);) {
    }
  } catch (const UserError& e) {
    CHECK(e.code() == ExitCode::usage);
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("columns: text to columns and back is the same text, order of lines included") {
  test::TemporaryFolder folder;
  for (int more : {0, 70000}) {  // within a chunk, over several
    auto text = folder.write("t", sample(more)), columns = folder.path() / "t.h5", again = folder.path() / "again";
    convert(text, columns);
    CHECK(ColumnFile::is_one(columns));
    convert(columns, again);
    CHECK((read_bytes(again) == read_bytes(text)));
    if (more) CHECK(fs::file_size(columns) < fs::file_size(text) / 10);
  }
}

TEST_CASE("columns: a file that was cut is refused") {
  test::TemporaryFolder folder;
  auto columns = folder.path() / "t.h5";
  convert(folder.write("t", sample(70000)), columns);
  std::string bytes = read_bytes(columns);
  auto cut = folder.write("cut.h5", bytes.substr(0, bytes.size() - 1000));
  CHECK_THAT(error_of(cut), Catch::Contains("cut.h5: not a whole HDF5 file"));
}

TEST_CASE("columns: a recording that was not finished is refused") {
  test::TemporaryFolder folder;
  auto file = folder.path() / "t.h5";
  {
    auto writer = trace_writer(file);
    writer->header({"stopped", "hgx-h200", 1, 8, 1ull << 45, 1ull << 37});
  }
  CHECK_THAT(error_of(file), Catch::Contains("truncated: its recording was not finished"));
}

// Room that nothing uses may be damaged: then the same is read.
TEST_CASE("columns: damage inside is refused with column and rows, or changes nothing", "[traces]") {
  test::TemporaryFolder folder;
  auto text = folder.write("t", sample(70000)), columns = folder.path() / "t.h5", again = folder.path() / "again";
  convert(text, columns);
  std::string bytes = read_bytes(columns), whole = read_bytes(text);
  int refused = 0;
  for (size_t at = 8192; at + 64 < bytes.size(); at += bytes.size() / 16) {
    std::string bad = bytes;
    for (size_t i = 0; i < 16; ++i) bad[at + i] = static_cast<char>(~bad[at + i]);
    auto file = folder.write("bad.h5", bad);
    std::string error = error_of(file);
    INFO("damaged at " << at << ": " << error);
    if (error.empty()) {
      convert(file, again);
      CHECK((read_bytes(again) == whole));
    } else {
      ++refused;
      if (error.find("corrupt") != std::string::npos) CHECK_THAT(error, Catch::Matches(".*column '.*', rows .* to .*"));
    }
  }
  CHECK(refused >= 4);
}

TEST_CASE("columns: other HDF5 files and other versions are refused") {
  test::TemporaryFolder folder;
  auto file = folder.path() / "t.h5";
  ColumnFile::create(file).close();
  CHECK_THAT(error_of(file), Catch::Contains("no trace of shmemu"));
  {
    ColumnFile newer = ColumnFile::create(file);
    newer.set("shmemu_trace", 2);
    newer.close();
  }
  CHECK_THAT(error_of(file), Catch::Contains("version 2, this shmemu reads 1"));
}
