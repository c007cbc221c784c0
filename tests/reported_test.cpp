// Mistakes and misunderstandings that people reported in public, and what shmemu answers. Each has a program in
// tests/reported that names the reports.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "harness.hpp"

using namespace shmemu::test;

namespace {

std::set<std::string> rules_of(const Result& r) {
  std::set<std::string> rules;
  auto report = nlohmann::json::parse(r.out.substr(r.out.find("{\n")));
  for (auto& f : report["findings"]) rules.insert(f["rule"].get<std::string>() + " " + f["level"].get<std::string>());
  return rules;
}

Result run_awaited(const std::string& variant, const Words& more = {}) {
  Words options{"-n", "2", "-p", "hgx-h200", "--check"};
  options.insert(options.end(), more.begin(), more.end());
  return run_program("reported/awaited_flag", options, {variant});
}

const Words kFourAndFour{"-q", "-n", "8", "-p", "hgx-h200", "--pes-per-node", "4"};

}  // namespace

TEST_CASE("awaited flag: four suspicions have four verdicts, and only the wrong address hangs") {
  Result legal = run_awaited("signal_u64", {"--json"}), other_type = run_awaited("signal_i64", {"--json"}),
         no_fence = run_awaited("no_fence", {"--json"}), right = run_awaited("right", {"--json"});
  INFO(show(legal) << show(other_type) << show(no_fence) << show(right));
  CHECK(legal.code == 0);
  CHECK(rules_of(legal).empty());
  CHECK(other_type.code == 0);
  CHECK(rules_of(other_type) == std::set<std::string>{"type.width note"});
  CHECK(no_fence.code == 3);
  CHECK(rules_of(no_fence) == std::set<std::string>{"order.missing-fence error"});
  CHECK(right.code == 0);
  CHECK(rules_of(right).empty());
}

TEST_CASE("awaited flag: a peer's address is sym.peer-mapping, then sync.never with both addresses and sites") {
  for (const Words& more : {Words{}, Words{"-q"}, Words{"--delivery", "adverse", "--seed", "3"}}) {
    Result r = run_awaited("peer_address", more);
    INFO(show(r));
    CHECK(r.code == 4);
    CHECK(contains(r.err, "sym.peer-mapping: the destination is the copy of PE 0 as mapped here"));
    CHECK(contains(r.err, "first:  p at awaited_flag.cu:21"));
    CHECK(contains(r.err, "PE 0 await block 0 thread 0 waits at awaited_flag.cu:24 for nvshmem_calloc #5 of PE 0"));
    CHECK(contains(r.err, "== 1; it is 0; nobody has written it"));
    CHECK(contains(r.err, "sync.never: PE 1 kernel send block (0,0,0) thread (0,0,0) wrote 8 B to 0x"));
  }
}

TEST_CASE("nvshmem_ptr: the platform decides who has an address") {
  Result r = run_program("reported/peer_pattern", kFourAndFour);
  INFO(show(r));
  CHECK(r.code == 0);
  for (const char* row : {" 0 oxxx....\n", " 3 xxxo....\n", " 4 ....oxxx\n", " 7 ....xxxo\n"})
    CHECK(contains(r.out, row));
  Result none = run({"env", "NVSHMEM_DISABLE_P2P=1", SHMEMU_BINARY, "run", "-q", "-n", "4", "-p", "hgx-h200",
                     program("reported/peer_pattern").string()});
  INFO(show(none));
  CHECK(none.code == 0);
  for (const char* row : {" 0 o...\n", " 1 .o..\n", " 2 ..o.\n", " 3 ...o\n"}) CHECK(contains(none.out, row));
}

TEST_CASE("nvshmem_ptr: a store through null or through freed memory is plat.unreachable, with PE and link") {
  Result null = run_program("reported/peer_pattern", kFourAndFour, {"null"});
  INFO(show(null));
  CHECK(null.code == 1);
  CHECK(contains(null.err,
                 "plat.unreachable: access through a null pointer (address 0x0); nvshmem_ptr gave one for PE 7 "
                 "(at peer_pattern.cu:29): GPU 0 and GPU 11 of platform 'hgx-h200' share no NVLink domain"));
  Result stale = run_program("reported/peer_pattern", kFourAndFour, {"stale"});
  INFO(show(stale));
  CHECK(stale.code == 1);
  CHECK(contains(stale.err, "plat.unreachable: a plain access of 4 B over the link to PE 1"));
  CHECK(contains(stale.err, "already freed"));
}

TEST_CASE("teams: a split counts in the parent, outsiders and bad handles are named, nobody hangs") {
  auto rules = [](const Words& arguments) {
    Result r = run_program("reported/team_of_team", {"-n", "6", "--json"}, arguments);
    INFO(show(r));
    CHECK(r.code == 0);
    return rules_of(r);
  };
  CHECK(rules({}).empty());
  CHECK(rules({"outsider"}) == std::set<std::string>{"coll.participation error"});
  CHECK(rules({"later"}) == std::set<std::string>{"team.invalid error"});
}

TEST_CASE("queue pairs: one keeps the order of its operations, two do not, and a quiet waits for its own") {
  auto said = [](const char* variant, const char* ibgda) {
    Result r = run({"env", std::string("NVSHMEM_IB_ENABLE_IBGDA=") + ibgda, SHMEMU_BINARY, "run", "-q", "-n", "2", "-p",
                    "hgx-h200", "--pes-per-node", "1", program("reported/queue_pair_order").string(), variant});
    INFO(show(r));
    CHECK(r.code == 0);
    return r.out;
  };
  CHECK(contains(said("same", "1"), "the signal came after the data"));
  CHECK(contains(said("other", "1"), "the signal came before the data"));
  CHECK(contains(said("other", "1"), "the second quiet waited for the data"));
  CHECK(contains(said("other", "0"), "the signal came after the data"));  // a proxy has one queue pair to a PE
  CHECK(contains(said("other", "0"), "the second quiet was free"));
}
