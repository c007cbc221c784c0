#include "report/run_report.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

#include <nlohmann/json.hpp>

#include "base/errors.hpp"
#include "base/random.hpp"
#include "tests/unit_support.hpp"

using namespace shmemu;

namespace {

Op op_of(OpKind kind, Scope scope = Scope::thread) {
  Op op;
  op.kind = kind;
  op.scope = scope;
  op.target = {1};
  return op;
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("duration summary: the median is within 1.2 % whatever the range") {
  Random random(9);
  for (int range = 1; range < 55; ++range)
    for (int size : {1, 2, 3, 10, 1001}) {
      DurationSummary summary;
      std::vector<int64_t> all;
      for (int i = 0; i < size; ++i) {
        all.push_back(static_cast<int64_t>(random.next() >> (63 - random.below(static_cast<uint64_t>(range) + 1))));
        summary.add(Time{all.back()});
      }
      std::sort(all.begin(), all.end());
      auto exact = static_cast<double>(all[(all.size() + 1) / 2 - 1]);
      INFO(size << " values, range 2^" << range << ", median " << exact);
      CHECK(std::abs(static_cast<double>(summary.median().ps) - exact) <= 0.012 * exact);
      CHECK(summary.min().ps == all.front());
      CHECK(summary.max().ps == all.back());
      CHECK(summary.count() == all.size());
    }
}

TEST_CASE("duration summary: equal durations have an exact median, small ones too") {
  for (int64_t ps : {0, 1, 63, 64, 1000, 777'000, 123'456'789}) {
    DurationSummary s;
    for (int i = 0; i < 5; ++i) s.add(Time{ps});
    CHECK(s.median().ps == ps);
  }
  CHECK(DurationSummary().median() == Time{});
}

TEST_CASE("report: the digest sees every field of an operation and of a command") {
  auto digest_of = [](const std::function<void(RunReport&)>& fill) {
    RunReport r;
    fill(r);
    return r.digest();
  };
  Place here{.pe = {1}, .host = false, .stream = 2, .grid = 3, .block = 4, .warp = 5, .mask = 6};
  auto base = [&](RunReport& r) { r.span(here, op_of(OpKind::put), 1, 8, 1_us, 2_us); };
  CHECK(digest_of(base) == digest_of(base));
  auto differs = [&](const std::function<void(RunReport&)>& other) { return digest_of(base) != digest_of(other); };
  CHECK(differs([&](RunReport& r) { r.span(here, op_of(OpKind::get), 1, 8, 1_us, 2_us); }));
  CHECK(differs([&](RunReport& r) { r.span(here, op_of(OpKind::put), 2, 8, 1_us, 2_us); }));
  CHECK(differs([&](RunReport& r) { r.span(here, op_of(OpKind::put), 1, 9, 1_us, 2_us); }));
  CHECK(differs([&](RunReport& r) { r.span(here, op_of(OpKind::put), 1, 8, 1_us + 1_ps, 2_us); }));
  CHECK(differs([&](RunReport& r) { r.span(here, op_of(OpKind::put), 1, 8, 1_us, 2_us + 1_ps); }));
  for (auto change : {+[](Place& w) { w.pe = {2}; }, +[](Place& w) { w.host = true; }, +[](Place& w) { w.stream = 9; },
                      +[](Place& w) { w.grid = 9; }, +[](Place& w) { w.block = 9; }, +[](Place& w) { w.warp = 9; },
                      +[](Place& w) { w.mask = 9; }})
    CHECK(differs([&](RunReport& r) {
      Place there = here;
      change(there);
      r.span(there, op_of(OpKind::put), 1, 8, 1_us, 2_us);
    }));
  CHECK(digest_of([](RunReport& r) { r.command(PeId{0}, 0, OpKind::launch, "a", {}, 1_us); }) !=
        digest_of([](RunReport& r) { r.command(PeId{0}, 0, OpKind::launch, "b", {}, 1_us); }));
}

TEST_CASE("report: text and JSON have the same rows") {
  RunReport r;
  r.span({}, op_of(OpKind::put, Scope::block), 128, 4096, 0_us, 2_us);
  r.span({}, op_of(OpKind::put, Scope::block), 128, 4096, 2_us, 6_us);
  r.span({}, op_of(OpKind::quiet), 1, 0, 6_us, 7_us);
  r.pe_ended(PeId{0}, 10_us, 0);
  r.pe_ended(PeId{1}, 12_us, 3);
  RunReport::Summary s;
  s.program = "ring", s.platform = "hgx-h200", s.pes = 2;
  s.notes = {"a note"};
  std::string text = r.text(s);
  for (const char* part : {"ring on 2 PEs of hgx-h200", "put_block", "8 KiB", "quiet",
                           "virtual time: 12.000 µs (first PE 10.000 µs)", "note: a note", "digest"}) {
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
  }
  auto json = nlohmann::json::parse(r.json(s));
  CHECK(json["version"] == 1);
  CHECK(json["operations"].size() == 2);
  CHECK(json["operations"][0]["operation"] == "put_block");
  CHECK(json["operations"][0]["count"] == 2);
  CHECK(json["operations"][0]["bytes"] == 8192);
  CHECK(json["operations"][0]["min_us"] == 2.0);
  CHECK(json["operations"][0]["max_us"] == 4.0);
  CHECK(json["operations"][0]["gb_per_s"].get<double>() == Approx(8192.0 / 6000));
  CHECK(json["pe_results"][1]["exit_code"] == 3);
  CHECK(json["digest"].get<std::string>().size() == 16);
}

TEST_CASE("report: the timeline has one JSON object per line") {
  test::TemporaryFolder folder;
  {
    RunReport r;
    r.open_timeline(folder.path() / "t");
    r.span({.pe = {1}, .host = false, .stream = 0, .grid = 2, .block = 3, .warp = 1, .mask = 0xff}, op_of(OpKind::p), 8,
           32, 1_us, 2_us);
    r.command(PeId{0}, 4, OpKind::launch, "kernel", 1_us, 3_us);
  }
  std::string text = text_of(folder.path() / "t");
  REQUIRE(std::count(text.begin(), text.end(), '\n') == 2);
  auto first = nlohmann::json::parse(text.substr(0, text.find('\n')));
  auto second = nlohmann::json::parse(text.substr(text.find('\n')));
  CHECK(first["from_ps"] == 1'000'000);
  CHECK(first["op"] == "p");
  CHECK(first["lanes"] == 8);
  CHECK(second["name"] == "kernel");
}

TEST_CASE("report: a timeline that cannot be written is an error with its name") {
  RunReport r;
  CHECK_THROWS_WITH(r.open_timeline("/nowhere/t"), Catch::Contains("cannot write '/nowhere/t'"));
}
