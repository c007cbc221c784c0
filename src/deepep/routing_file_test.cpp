#include <hdf5.h>

#include <catch2/catch.hpp>

#include "base/errors.hpp"
#include "deepep/placement.hpp"
#include "deepep/routing_file.hpp"
#include "tests/unit_support.hpp"

using namespace shmemu;
using namespace shmemu::deepep;
using Catch::Matchers::Contains;

namespace {

const char* kMeta = R"({"type": "meta", "top_k": 2, "num_experts": 16})";

std::string route(int layer, const std::string& ids, const std::string& more = "") {
  return R"({"type": "route", "layer": )" + std::to_string(layer) + R"(, "topk_ids": [)" + ids + "]" + more + "}\n";
}

std::string npy(const std::string& type, const std::string& shape, const std::string& data) {
  std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + shape + "), }\n";
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(header.size() & 255), out += static_cast<char>(header.size() >> 8);
  return out + header + data;
}

std::string two_byte(std::initializer_list<int> values) {
  std::string out;
  for (int v : values) out += static_cast<char>(v & 255), out += static_cast<char>(v >> 8 & 255);
  return out;
}

RoutingRequest two_ranks() {
  RoutingRequest r;
  r.ranks = 2;
  return r;
}

}  // namespace

TEST_CASE("a log of JSON lines becomes a routing, what it lacks is listed", "[deepep]") {
  test::TemporaryFolder folder;
  auto file = folder.write(
      "log.jsonl", std::string(kMeta) + "\n" + route(0, "1,2") + route(1, "9,8") + route(0, "15,3") + route(1, "1,2"));
  RoutingFile f = read_routing(file, two_ranks());
  CHECK(f.routing.experts == 16);
  CHECK(f.routing.tokens(0) == 1);
  CHECK(f.routing.token(1, 0)[0] == 15);
  REQUIRE(f.notes.size() == 2);
  CHECK_THAT(f.notes[0], Contains("assumed layer 0 of 2"));
  CHECK_THAT(f.notes[1], Contains("rows go to ranks in order"));
  RoutingRequest second = two_ranks();
  second.layer = 1;
  CHECK(read_routing(file, second).routing.token(0, 0)[0] == 9);
}

TEST_CASE("ranks with unequally many tokens are taken as they are", "[deepep]") {
  test::TemporaryFolder folder;
  auto file = folder.write("log.jsonl", std::string(kMeta) + "\n" + route(0, "1,2", R"(, "rank": 1)") +
                                            route(0, "3,2", R"(, "rank": 0)") + route(0, "4,5", R"(, "rank": 1)"));
  RoutingFile f = read_routing(file, two_ranks());
  CHECK(f.routing.tokens(0) == 1);
  CHECK(f.routing.tokens(1) == 2);
}

// 8 equal rows, then 4 that use other experts: of 24 selections 16 on the hottest rank's two experts.
TEST_CASE("an engine's profiling run is found, and dropped on request", "[deepep]") {
  test::TemporaryFolder folder;
  std::string text = std::string(kMeta) + "\n";
  for (int i = 0; i < 8; ++i) text += route(0, "0,1");
  text += route(0, "2,9") + route(0, "3,10") + route(0, "4,11") + route(0, "5,12");
  auto file = folder.write("log.jsonl", text);
  RoutingRequest r = two_ranks();
  RoutingFile kept = read_routing(file, r);
  CHECK_THAT(kept.notes.at(0), Contains("first 8 rows are one identical choice"));
  CHECK_THAT(kept.notes.at(1),
             Contains("all rows: hottest rank 1.67, hottest expert 5.33 of the mean, 1.33 ranks per token"));
  CHECK_THAT(kept.notes.at(2),
             Contains("without them: hottest rank 1.00, hottest expert 2.00 of the mean, 2.00 ranks per token"));
  r.drop_warmup = true;
  CHECK(read_routing(file, r).routing.tokens(0) == 2);
}

TEST_CASE("malformed logs are refused with file and line", "[deepep]") {
  test::TemporaryFolder folder;
  auto refused = [&](const std::string& text, const std::string& reason, int line) {
    auto file = folder.write("bad.jsonl", text);
    CHECK_THROWS_WITH(read_routing(file, two_ranks()),
                      Contains(reason) && Contains("bad.jsonl:" + std::to_string(line) + ": "));
  };
  std::string meta = std::string(kMeta) + "\n";
  refused(meta + route(0, "1,2") + R"({"type": "route", "lay)", "cut off", 3);
  refused(meta + route(0, "1,2") + route(0, "1,2,3"), "3 experts, top-2 before", 3);
  refused(meta + route(0, "1,16"), "num_experts 16", 2);
  refused(meta + route(0, "3,3"), "expert 3 twice", 2);
  refused(meta + "{\"type\": \"route\", \"layer\": 0}\n", "topk_ids", 2);
  auto other = [&](const std::string& text, const std::string& reason, RoutingRequest r) {
    CHECK_THROWS_WITH(read_routing(folder.write("bad.jsonl", text), r), Contains(reason));
  };
  other(meta, "holds no route line", two_ranks());
  RoutingRequest r = two_ranks();
  r.layer = 5;
  other(meta + route(0, "1,2"), "nothing of layer 5; logged: 0", r);
  other(meta + route(0, "1,2", R"(, "rank": 0)") + route(0, "1,2"), "1 of 2 tokens name a rank", two_ranks());
  r = two_ranks(), r.ranks = 3;
  other(meta + route(0, "1,2"), "equally over 3 ranks", r);
  r = two_ranks(), r.experts = 32;
  other(meta + route(0, "1,2"), "is of 16 experts, --experts says 32", r);
  r = two_ranks(), r.tokens = 4;
  other(meta + route(0, "1,2") + route(0, "1,3"), "has 2 tokens, 2 ranks of 4 want 8", r);
}

TEST_CASE(".npy of topk_idx, with and without ranks", "[deepep]") {
  test::TemporaryFolder folder;
  RoutingRequest r = two_ranks();
  r.experts = 8;
  auto flat = folder.write("flat.npy", npy("<i2", "4, 2", two_byte({0, 1, 2, 3, 4, 5, 6, 65535})));
  RoutingFile f = read_routing(flat, r);
  CHECK(f.routing.tokens(1) == 2);
  CHECK(f.routing.token(1, 1)[1] == -1);
  auto ranked = folder.write("ranked.npy", npy("<i2", "2, 1, 2", two_byte({0, 1, 6, 7})));
  CHECK(read_routing(ranked, r).routing.token(1, 0)[0] == 6);
  auto refused = [&](const std::string& bytes, const std::string& reason) {
    CHECK_THROWS_WITH(read_routing(folder.write("bad.npy", bytes), r), Contains(reason));
  };
  refused("PK and something", "magic");
  refused(npy("<f4", "1, 1", "abcd"), "must be whole");
  refused(npy("<i2", "4, 2", two_byte({0, 1, 2})), "needs 16 bytes behind the header, 6 are there");
  refused(npy("<i2", "4", two_byte({0, 1, 2, 3})), "has 1 dimensions");
  refused(npy("<i2", "2, 2", two_byte({0, 1, 2, 9})), "selects expert 9, there are 8");
}

// As h5py writes `f["topk_idx"] = array`.
TEST_CASE("an HDF5 dataset of topk_idx, with and without ranks", "[deepep]") {
  test::TemporaryFolder folder;
  auto write = [&](const char* dataset, std::vector<hsize_t> shape, hid_t type, const std::vector<int16_t>& values) {
    auto file = folder.path() / "r.h5";
    hid_t f = H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
    hid_t set = H5Dcreate2(f, dataset, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(set, H5T_NATIVE_INT16, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5Dclose(set), H5Sclose(space), H5Fclose(f);
    return file;
  };
  RoutingRequest r;
  r.ranks = 2, r.experts = 8;
  Routing flat = read_routing(write("topk_idx", {4, 2}, H5T_STD_I64LE, {0, 1, 2, 3, 4, -1, 6, 7}), r).routing;
  CHECK(flat.topk == 2);
  CHECK(flat.picks[1] == std::vector<int16_t>{4, -1, 6, 7});
  Routing ranked = read_routing(write("topk_idx", {2, 1, 2}, H5T_STD_I32LE, {0, 1, 2, 3}), r).routing;
  CHECK(ranked.picks[1] == std::vector<int16_t>{2, 3});
  r.column = "layer_3";
  CHECK(read_routing(write("layer_3", {2, 2}, H5T_STD_I16LE, {0, 1, 2, 3}), r).routing.tokens(0) == 1);
  CHECK_THROWS_WITH(read_routing(write("other", {2, 2}, H5T_STD_I16LE, {0, 1, 2, 3}), r),
                    Contains("no dataset 'layer_3'"));
  CHECK_THROWS_WITH(read_routing(write("layer_3", {2, 2}, H5T_IEEE_F32LE, {0, 1, 2, 3}), r),
                    Contains("does not hold whole numbers"));
  CHECK_THROWS_WITH(read_routing(folder.write("cut.h5", "\x89HDF\r\n\x1a\n and no more"), r),
                    Contains("not a whole HDF5"));
}

// Column `all` is `after` and 100 rows of one choice (experts 0 to 7) on top; 64 experts on 8 ranks.
TEST_CASE("selections per expert give exact skews and drawn tokens", "[deepep]") {
  test::TemporaryFolder folder;
  std::string text = "expert,all,after\n";
  for (int e = 0; e < 64; ++e) text += std::to_string(e) + "," + std::to_string(e < 8 ? 150 : 50) + ",50\n";
  RoutingRequest r;
  r.ranks = 8;
  RoutingFile f = read_routing(folder.write("counts.csv", text), r);
  // 500 tokens; 8 (150) of 4000 selections on the hottest rank: 1200 x 8 / 4000 = 2.40; hottest expert 150 x 64 / 4000
  CHECK_THAT(f.notes.at(0), Contains("all: hottest rank 2.40, hottest expert 2.40 of the mean") &&
                                Contains("100 of them one identical choice"));
  CHECK_THAT(f.notes.at(1),
             Contains("after (used): hottest rank 1.00, hottest expert 1.00 of the mean; about 5.4") ||
                 Contains("after (used): hottest rank 1.00, hottest expert 1.00 of the mean; about 5.3"));
  CHECK(f.routing.tokens(0) == 50);
  CHECK_THROWS_WITH(read_routing(folder.write("bad.csv", "expert,n\n0,5\n2,5\n"), r),
                    Contains("bad.csv:3: expert '2', 1 was due"));
  CHECK_THROWS_WITH(read_routing(folder.write("bad.csv", "expert,n\n0,-5\n"), r), Contains("is no count"));
}

// Selections of OLMoE-1B-7B (64 experts, top-8) by expert, with and without the engine's profiling run of 2048 rows.
// The log itself has 4.14 and 5.58 distinct ranks per token; counts hold no more than each expert's share, so that is
// an estimate.
TEST_CASE("a published log's counts give its skews, and its ranks per token within 2 %", "[deepep]") {
  RoutingRequest r;
  r.ranks = 8;
  RoutingFile f = read_routing(std::string(SHMEMU_SOURCE) + "/tests/data/routing/olmoe_expert_counts.csv", r);
  CHECK_THAT(f.notes.at(0), Contains("selections_all_rows: hottest rank 3.31, hottest expert 6.00 of the mean"));
  CHECK_THAT(f.notes.at(1), Contains("hottest rank 1.16, hottest expert 5.08 of the mean"));
  for (auto [column, ranks] : {std::pair{"selections_all_rows", 4.14}, std::pair{"selections_after_row_2048", 5.58}}) {
    r.column = column;
    Routing drawn = read_routing(std::string(SHMEMU_SOURCE) + "/tests/data/routing/olmoe_expert_counts.csv", r).routing;
    CHECK(skew_of(drawn, 8, 8).ranks_per_token == Approx(ranks).epsilon(0.02));
  }
}

TEST_CASE("copies of hot experts even out the ranks", "[deepep]") {
  std::vector<uint64_t> load(16, 10);
  load[0] = 200, load[1] = 90;
  Routing r;
  r.experts = 16, r.topk = 1;
  r.picks.resize(4);
  for (size_t e = 0; e < load.size(); ++e)
    for (uint64_t i = 0; i < load[e]; ++i) r.picks[i % 4].push_back(static_cast<int16_t>(e));
  double before = skew_of(r, 4, 8).hottest_rank;
  ExpertPlacement placement = balance(load, 4, 4);
  CHECK(placement.slots_per_rank == 5);
  CHECK(placement.slots[0].size() == 4);
  Routing placed = place_experts(r, placement);
  CHECK(placed.experts == 20);
  CHECK(skew_of(placed, 4, 8).selections == skew_of(r, 4, 8).selections);
  CHECK(before > 2);
  CHECK(skew_of(placed, 4, 8).hottest_rank < 1.2);
  CHECK_THROWS_WITH(balance(load, 4, 3), Contains("the next that fits is 4"));
}
