// What every transport promises (transports/transport.hpp), checked on all of them: own memory, NVLink, GPU-driven
// adapters, the CPU proxy, and each under adverse delivery.
#include <catch2/catch.hpp>

#include <map>
#include <memory>
#include <vector>

#include "tests/unit_support.hpp"
#include "transports/router.hpp"

using namespace shmemu;

namespace {

GpuId same_number(PeId pe) { return {pe.value}; }

NvshmemSettings network(bool ibgda) {
  NvshmemSettings s;
  s.disable_p2p = true;
  s.ibgda = ibgda;
  return s;
}

// Routers on one clock: plain ones and ones with adverse delivery.
struct Rig {
  EventQueue queue;
  Random random{11};
  Router plain{queue, test::h200_node(), 8, same_number, nullptr};
  Router adverse{queue, test::h200_node(), 8, same_number, &random};
  Router gda{queue, test::h200_node(), 8, same_number, nullptr, 8, network(true)};
  Router adverse_gda{queue, test::h200_node(), 8, same_number, &random, 8, network(true)};
  Router rc{queue, test::h200_node(), 8, same_number, nullptr, 8, network(false)};
  Router adverse_rc{queue, test::h200_node(), 8, same_number, &random, 8, network(false)};
  std::map<std::string, Transport*> all{{"self", &plain.route({0}, {0})},
                                        {"p2p", &plain.route({0}, {1})},
                                        {"ibgda", &gda.route({0}, {1})},
                                        {"proxy", &rc.route({0}, {1})},
                                        {"adverse self", &adverse.route({0}, {0})},
                                        {"adverse p2p", &adverse.route({0}, {1})},
                                        {"adverse ibgda", &adverse_gda.route({0}, {1})},
                                        {"adverse proxy", &adverse_rc.route({0}, {1})}};
  void finish() {
    while (!queue.empty()) queue.run_next();
  }
};

struct Log : TransferSink {
  struct Entry {
    std::vector<Time> issued, read, delivered, returned;
  };
  EventQueue& queue;
  std::map<const Transfer*, Entry> entries;
  std::vector<const Transfer*> order;  // of delivery
  explicit Log(EventQueue& q) : queue(q) {}
  void issued(Transfer& t) override { entries[&t].issued.push_back(queue.now()); }
  void source_read(Transfer& t) override { entries[&t].read.push_back(queue.now()); }
  void delivered(Transfer& t) override { entries[&t].delivered.push_back(queue.now()), order.push_back(&t); }
  void returned(Transfer& t) override { entries[&t].returned.push_back(queue.now()); }
};

const std::vector<OpKind> kPosted{OpKind::put,        OpKind::p,      OpKind::iput,
                                  OpKind::put_signal, OpKind::signal, OpKind::atomic};
const std::vector<OpKind> kReading{OpKind::get, OpKind::g, OpKind::iget, OpKind::fetch};

std::unique_ptr<Transfer> make(OpKind kind, uint64_t bytes, int from, int to, uint32_t threads = 1) {
  auto t = std::make_unique<Transfer>();
  Op op;
  op.kind = kind;
  op.issuer = {from};
  op.target = {to};
  op.bytes = bytes;
  op.scope = threads == 1 ? Scope::thread : Scope::block;
  t->pieces.push_back({op, {}});
  t->threads = threads;
  t->bytes = bytes;
  return t;
}

int target_of(const std::string& name) { return name.find("self") == std::string::npos ? 1 : 0; }

}  // namespace

TEST_CASE("transports: each transfer is delivered and returned once, in that order") {
  Rig rig;
  for (auto& [name, transport] : rig.all)
    for (bool posted : {true, false})
      for (OpKind kind : posted ? kPosted : kReading) {
        INFO(name << " " << name_of(kind));
        Log log(rig.queue);
        Time start = rig.queue.now();
        auto t = make(kind, 64, 0, target_of(name));
        transport->post(*t, log);
        rig.finish();
        REQUIRE(log.entries.size() == 1);
        Log::Entry& e = log.entries[t.get()];
        CHECK(e.issued.size() == (posted ? 1u : 0u));  // a reading call goes on when its value is there
        REQUIRE(e.delivered.size() == 1);
        REQUIRE(e.returned.size() == 1);
        CHECK(e.delivered[0] >= start);
        CHECK(e.delivered[0] <= e.returned[0]);
        if (posted) CHECK(e.issued[0] <= e.returned[0]);
        if (posted) CHECK(e.issued[0] >= start + transport->issue_time(*t));
      }
}

TEST_CASE("transports: the promises hold in a burst of a thousand mixed transfers") {
  for (const char* which :
       {"self", "p2p", "ibgda", "proxy", "adverse self", "adverse p2p", "adverse ibgda", "adverse proxy"}) {
    INFO(which);
    Rig rig;
    Log log(rig.queue);
    Random random(5);
    std::vector<std::unique_ptr<Transfer>> all;
    for (int i = 0; i < 1000; ++i) {
      auto& kinds = random.below(4) ? kPosted : kReading;
      int from = static_cast<int>(random.below(8));
      int to = target_of(which) ? static_cast<int>((static_cast<uint64_t>(from) + 1 + random.below(7)) % 8) : from;
      all.push_back(
          make(kinds[random.below(kinds.size())], 4 + random.below(1 << 16), from, to, random.below(2) ? 1 : 128));
      rig.queue.at(Time{static_cast<int64_t>(random.below(5'000'000))}, Rank::agent,
                   [&, t = all.back().get()] { rig.all[which]->post(*t, log); });
    }
    rig.finish();
    REQUIRE(log.entries.size() == 1000);
    for (auto& [t, e] : log.entries) {
      CHECK(e.delivered.size() == 1);
      CHECK(e.returned.size() == 1);
      CHECK(e.delivered[0] <= e.returned[0]);
    }
  }
}

TEST_CASE(
    "transports: the source of a put is read once, between call and delivery, if the call itself has not read it") {
  Rig rig;
  for (auto& [name, transport] : rig.all)
    for (bool nbi : {false, true}) {
      INFO(name << (nbi ? " nbi" : ""));
      Log log(rig.queue);
      Time start = rig.queue.now();
      auto t = make(OpKind::put, 1 << 20, 0, target_of(name), 128);
      t->pieces[0].op.nbi = nbi;
      transport->post(*t, log);
      rig.finish();
      Log::Entry& e = log.entries[t.get()];
      if (transport->caps().source_read_at_call) {
        CHECK(e.read.empty());
        continue;
      }
      REQUIRE(e.read.size() == 1);
      CHECK(e.read[0] >= start + transport->issue_time(*t));
      CHECK(e.read[0] <= e.delivered[0]);
      if (!nbi) CHECK(e.read[0] <= e.issued[0]);  // a blocking call gives the source back
    }
}

TEST_CASE("transports: adverse delivery changes orders that the plain one keeps") {
  // twenty puts of one PE, posted one after the other: in order over NVLink, not under adverse delivery
  for (bool adverse : {false, true}) {
    Rig rig;
    Log log(rig.queue);
    std::vector<std::unique_ptr<Transfer>> all;
    std::vector<const Transfer*> posted;
    for (int i = 0; i < 20; ++i) {
      all.push_back(make(OpKind::p, 4, 0, 1));
      posted.push_back(all.back().get());
      rig.queue.at(Time{i * 100'000}, Rank::agent,
                   [&, t = all.back().get()] { rig.all[adverse ? "adverse p2p" : "p2p"]->post(*t, log); });
    }
    rig.finish();
    CHECK((log.order == posted) == !adverse);
    CHECK((rig.adverse.adverse_delays() > 0) == adverse);
  }
}

TEST_CASE("transports: adverse delivery neither changes what a transport can do nor what a call costs") {
  Rig rig;
  auto t = make(OpKind::put, 4096, 0, 1, 128);
  Transport &plain = *rig.all["p2p"], &adverse = *rig.all["adverse p2p"];
  CHECK(&plain != &adverse);
  CHECK(adverse.issue_time(*t) == plain.issue_time(*t));
  CHECK(adverse.fence_cost() == plain.fence_cost());
  CHECK(adverse.caps().load_store == plain.caps().load_store);
}

TEST_CASE("transports: equal seeds give equal adverse deliveries") {
  auto times = [] {
    Rig rig;
    Log log(rig.queue);
    std::vector<std::unique_ptr<Transfer>> all;
    for (int i = 0; i < 50; ++i) {
      all.push_back(make(OpKind::put, 1024, 0, 1));
      rig.all["adverse p2p"]->post(*all.back(), log);
    }
    rig.finish();
    std::vector<int64_t> out;
    for (auto& t : all) out.push_back(log.entries[t.get()].delivered[0].ps);
    return out;
  };
  CHECK(times() == times());
}
