#include "report/validation.hpp"

#include <catch2/catch.hpp>

#include "base/errors.hpp"
#include "tests/unit_support.hpp"

using namespace shmemu;
using namespace shmemu::validation;

namespace {

std::vector<Row> rows_from(const std::string& text) {
  test::TemporaryFolder folder;
  return read_rows(folder.write("rows", text));
}

const std::string kPoints =
    "id,source,year,hardware,nodes,gpus,operation,scope,transport,size_bytes,metric,value,notes\n";

Row point(const std::string& id, uint64_t bytes) {
  Row r;
  r.id = id, r.bytes = bytes;
  return r;
}

bool fits(const Row& row, const std::string& source) {
  return fitted_by(row, {{"section.key", source}}) == "section.key";
}

}  // namespace

TEST_CASE("validation: published points become the loops that were measured, bandwidth becomes time") {
  auto rows = rows_from(kPoints +
                        "PUT-003,s,2026,h,1,2,put_nbi bulk (shmem_put_bw),block,NVLink,256,bandwidth_GBps,0.128,n\n"
                        "PIB-002,s,2026,h,2,2,\"p, scalar\",thread,IBGDA,64,bandwidth_GBps,0.008,n\n");
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].key() == "put_loop:block:32:256:256:50");
  CHECK(rows[0].measured == Approx(2));  // 256 B / 0.128 GB/s
  CHECK(rows[0].setup == Setup::nvlink);
  CHECK(rows[1].key() == "p_loop:thread:32:256:64:50");
  CHECK(rows[1].setup == Setup::ibgda_one_queue);
}

TEST_CASE("validation: results of perftest, as a CSV and as the programs print them") {
  auto csv = rows_from(
      "program,arguments,scope_or_type,bytes,value,unit\n"
      "shmem_put_bw,-c 4 -t 1024 -n 100 -w 10,,1024,0.5,GB/s\n");
  CHECK(csv.at(0).key() == "put_loop:block:4:1024:1024:100");
  CHECK(csv.at(0).measured == Approx(2.048));
  auto text = rows_from(
      "min_size: 4, iterations: 50, warmup iterations: 10, number of ctas: 32, threads per cta: 256\n"
      "#shmem_p_bw\nsize(B)     scope     BW (GB/sec)     \n4           None      0.002000        \n");
  CHECK(text.at(0).key() == "p_loop:thread:32:256:4:50");
  CHECK(text.at(0).measured == Approx(2));
}

TEST_CASE("validation: rows of the probe keep their line; collectives are named") {
  auto rows = rows_from(
      "test,scope,npes,ctas,threads,bytes,metric,median,min,max\n"
      "p_quiet,thread,2,1,1,8,latency_us,1.03,1.0,1.1\n"
      "reduce_sum,warp,2,1,32,16,latency_us,6,6,6\n");
  CHECK(rows.at(0).key() == "p_quiet,thread,2,1,1,8,latency_us,");
  CHECK(rows.at(0).table == "probe: single operations");
  CHECK_THAT(rows.at(1).why_not, Catch::Contains("a collective"));
}

TEST_CASE("validation: a published row is fitted when a constant's source names it") {
  CHECK(fits(point("BAY-025", 8), "BAY 025, and CTC PIB-001 less the barrier"));
  CHECK(fits(point("PIB-001", 4), "BAY 025, and CTC PIB-001 less the barrier"));
  CHECK_FALSE(fits(point("PIB-002", 64), "BAY 025, and CTC PIB-001 less the barrier"));
  CHECK(fits(point("PP-016", 32768), "CTC PP-014 to PP-020: data hides"));
  CHECK_FALSE(fits(point("PP-013", 1024), "CTC PP-014 to PP-020: data hides"));
  CHECK(fits(point("PUTIB-009", 16384), "CTC PUTIB mean of 256 B to 64 KiB: 32 posters"));
  CHECK_FALSE(fits(point("PUTIB-014", 524288), "CTC PUTIB mean of 256 B to 64 KiB: 32 posters"));
  CHECK(fits(point("PUTIB-017", 4 << 20), "CTC PUTIB, slope 1-32 MiB: 48.4 GB/s"));
  CHECK_FALSE(fits(point("PUT-003", 256), "CTC PUTIB mean of 256 B to 64 KiB"));
  CHECK_FALSE(fits(point("CTA-001", 1 << 20), "RMA p_bw 1 CTA"));
}

TEST_CASE("validation: a row of the probe is fitted by its test, scope, blocks and size") {
  Row r;
  r.test = "put_quiet", r.scope = "thread", r.bytes = 2048, r.probe = true;
  CHECK(fits(r, "RMA put_quiet thread 2048 B and 131072 B"));
  r.bytes = 1024;
  CHECK_FALSE(fits(r, "RMA put_quiet thread 2048 B and 131072 B"));
  r.scope = "warp", r.bytes = 2048;
  CHECK_FALSE(fits(r, "RMA put_quiet thread 2048 B and 131072 B"));
  r.test = "put_bw", r.scope = "block", r.blocks = 64;
  CHECK(fits(r, "RMA put_bw 64 CTA"));
  CHECK_FALSE(fits(r, "RMA local_put_bw 64 CTA"));
  CHECK_FALSE(fits(r, "guess: about put_bw"));
  r.blocks = 32;
  CHECK_FALSE(fits(r, "RMA put_bw 64 CTA"));
}

TEST_CASE("validation: medians are over the rows that set no constant") {
  std::vector<Row> rows(4, point("X-001", 8));
  for (Row& r : rows) r.table = "t", r.measured = 1;
  rows[0].predicted = 1.5, rows[0].fitted_by = "a.b";
  rows[1].predicted = 1.1, rows[2].predicted = 0.8;
  auto tables = tables_of(rows);  // the last one was not run
  REQUIRE(tables.size() == 1);
  CHECK(tables[0].rows.size() == 3);
  CHECK(tables[0].unfitted() == 2);
  CHECK(tables[0].median_error_percent() == Approx(15));
  CHECK(tables[0].max_error_percent() == Approx(20));
}
