// Every algorithm over an endpoint in memory: each simulated PE is a thread of its own, signals are counters under one
// lock. Only data and participation are checked here; times belong to src/predict and to programs.
#include "collectives/algorithms.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

using namespace shmemu;

namespace {

struct Shape {
  int pes, per_node;
  Scope scope = Scope::block;
  bool network = false;  // nodes reach each other only over a network
};

struct Cluster {
  static constexpr size_t kWords = 1 << 16;
  Cluster(Shape s, const CollectiveSettings& settings)
      : shape(s),
        scratch(s.pes, settings),
        heaps(static_cast<size_t>(s.pes)),
        numbers(static_cast<size_t>(s.pes)),
        changed(static_cast<size_t>(s.pes)) {
    for (auto& heap : heaps) heap.reset(static_cast<char*>(std::calloc(1, kWords * 4 + 3 * scratch.total())));
  }
  Shape shape;
  Scratch scratch;
  struct Free {
    void operator()(char* p) const { std::free(p); }
  };
  std::vector<std::unique_ptr<char, Free>>
      heaps;  // untouched pages cost nothing; the program's words, then the scratch memory of three teams
  std::vector<std::array<TeamNumbers, 3>> numbers;
  std::mutex lock;
  std::deque<std::condition_variable> changed;  // of each PE
  uint64_t signals = 0, quiets = 0;
};

class MemoryEndpoint : public Endpoint {
 public:
  MemoryEndpoint(Cluster& c, int pe, std::vector<int> members, int team)
      : c_(c), pe_(pe), members_(std::move(members)), team_(team) {
    for (size_t i = 0; i < members_.size(); ++i)
      if (members_[i] == pe) me_ = static_cast<int>(i);
  }
  int me() const override { return me_; }
  int size() const override { return static_cast<int>(members_.size()); }
  Scope scope() const override { return c_.shape.scope; }
  uint32_t threads() const override { return scope() == Scope::thread ? 1 : scope() == Scope::warp ? 32 : 128; }
  bool load_store(int peer) const override {
    return !c_.shape.network || members_[static_cast<size_t>(peer)] / c_.shape.per_node == pe_ / c_.shape.per_node;
  }
  bool all_load_store() const override { return !c_.shape.network || c_.shape.pes <= c_.shape.per_node; }
  std::unique_ptr<Endpoint> part(Part which) override {
    std::vector<int> chosen;
    for (int p : members_)
      if (which == Part::node ? p / c_.shape.per_node == pe_ / c_.shape.per_node
                              : p % c_.shape.per_node == pe_ % c_.shape.per_node)
        chosen.push_back(p);
    return std::make_unique<MemoryEndpoint>(c_, pe_, chosen, which == Part::node ? 1 : 2);
  }
  bool leader() const override { return true; }
  void group_sync() override {}
  void spend(Overhead, uint64_t) override {}
  void repeat(const Loop& loop, const std::function<void(uint64_t)>& step) override {
    for (uint64_t i = 0; i < loop.count; ++i) step(i);
  }
  void put(const Put& p) override {
    std::scoped_lock hold(c_.lock);
    std::memmove(at(p.dest, p.peer), p.source, p.bytes);
    of(p.peer).notify_one();
  }
  void put_each(const std::vector<Put>& puts) override {
    for (const Put& p : puts) put(p);
  }
  void put_signal_each(const std::vector<Put>& puts, int slot) override {
    for (const Put& p : puts) {
      put(p);
      signal({slot, p.peer, 1, Signal::Kind::add});
    }
  }
  void signal(const Signal& s) override {
    std::scoped_lock hold(c_.lock);
    auto& at_peer = *reinterpret_cast<uint64_t*>(at(word(s.slot), s.peer));
    at_peer = s.kind == Signal::Kind::add ? at_peer + s.value : s.value;
    ++c_.signals;
    of(s.peer).notify_one();
  }
  void wait(int slot, uint64_t at_least) override {
    std::unique_lock hold(c_.lock);
    of(me_).wait(hold, [&] { return *reinterpret_cast<uint64_t*>(word(slot)) >= at_least; });
  }
  void signal_each(const std::vector<Signal>& signals) override {
    for (const Signal& s : signals) signal(s);
  }
  void wait_each(const std::vector<SignalWait>& waits) override {
    for (const SignalWait& w : waits) wait(w.slot, w.at_least);
  }
  void multicast(const Multicast& m) override {
    std::scoped_lock hold(c_.lock);
    std::vector<char> result(m.bytes());
    std::memcpy(result.data(), m.source, m.bytes());
    if (m.sum)
      for (int p = 0; p < size(); ++p)
        for (uint64_t i = 0; p != me_ && i < m.count; ++i)
          reinterpret_cast<int*>(result.data())[i] += reinterpret_cast<const int*>(at(m.source, p))[i];
    for (int p = 0; p < size(); ++p)
      if (m.to_all || p == me_) std::memcpy(at(m.dest, p), result.data(), m.bytes());
    for (int p = 0; p < size(); ++p) of(p).notify_one();
  }
  void fence() override {}
  void store_fence() override {}
  void quiet() override {
    std::scoped_lock hold(c_.lock);
    ++c_.quiets;
  }
  char* scratch(Area area) override {
    return heap() + Cluster::kWords * 4 + static_cast<uint64_t>(team_) * c_.scratch.total() + c_.scratch.offset(area);
  }
  uint64_t scratch_bytes(Area area) const override { return c_.scratch.bytes(area); }
  uint64_t& state(Tally which, int member) override {
    return c_.numbers[static_cast<size_t>(pe_)][static_cast<size_t>(team_)](which, member);
  }
  void copy(void* dest, const void* source, uint64_t bytes) override { std::memmove(dest, source, bytes); }
  void combine(void* dest, const void* source, uint64_t count) override {
    for (uint64_t i = 0; i < count; ++i) static_cast<int*>(dest)[i] += static_cast<const int*>(source)[i];
  }
  void pack(Packing packing, void* dest, const void* source, uint64_t bytes, uint32_t flag) override {
    pack_into(packing, dest, source, bytes, flag);
  }
  void receive_each(Packing packing, const std::vector<Receive>& blocks, uint32_t flag) override {
    std::unique_lock hold(c_.lock);
    for (const Receive& b : blocks) {
      const char* end = static_cast<const char*>(b.packed) + packed_bytes(packing, b.bytes);
      of(me_).wait(hold, [&] {
        uint32_t found;
        std::memcpy(&found, end - flag_bytes(packing), 4);
        return found == flag;
      });
      unpack_into(packing, b.dest, b.packed, b.bytes);
    }
  }
  char* heap() { return c_.heaps[static_cast<size_t>(pe_)].get(); }

 private:
  std::condition_variable& of(int peer) { return c_.changed[static_cast<size_t>(members_[static_cast<size_t>(peer)])]; }
  char* word(int slot) { return scratch(Area::signals) + slot * 8; }
  char* at(const void* mine, int peer) {
    return c_.heaps[static_cast<size_t>(members_[static_cast<size_t>(peer)])].get() +
           (static_cast<const char*>(mine) - heap());
  }
  Cluster& c_;
  int pe_, me_ = 0;
  std::vector<int> members_;
  int team_;
};

// Runs `body` on the members of a team at once. Catch's macros are not for several threads: true everywhere?
bool on(Cluster& cluster, const std::vector<int>& members, const std::function<bool(MemoryEndpoint&)>& body) {
  std::vector<char> good(members.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < members.size(); ++i)
    threads.emplace_back([&, i] {
      MemoryEndpoint end(cluster, members[i], members, 0);
      good[i] = body(end);
    });
  for (auto& t : threads) t.join();
  for (char g : good)
    if (!g) return false;
  return true;
}

// … on all PEs.
bool on(Cluster& cluster, const std::function<bool(MemoryEndpoint&)>& body) {
  std::vector<int> everybody;
  for (int i = 0; i < cluster.shape.pes; ++i) everybody.push_back(i);
  return on(cluster, everybody, body);
}

struct Case {
  Collective collective;
  Algorithm algorithm;
  uint64_t count;
  int root;
  bool in_place;
};

// Four calls in a row, each with its own values, on every PE.
bool correct(MemoryEndpoint& e, const Case& c, const CollectiveSettings& settings) {
  auto n = static_cast<uint64_t>(e.size());
  auto me = static_cast<uint64_t>(e.me()), root = static_cast<uint64_t>(c.root);
  uint64_t sources =
      c.collective == Collective::alltoall || c.collective == Collective::reducescatter ? n * c.count : c.count;
  int* source = reinterpret_cast<int*>(e.heap());
  int* dest = c.in_place ? source : source + Cluster::kWords / 2;
  Synchronisation plain{Algorithm::sync_dissemination, 2};
  bool good = true;
  auto value = [](uint64_t pe, uint64_t i, uint64_t call) {
    return static_cast<int>(pe * 10'007 + i * 3 + call * 1'000'003);
  };
  for (uint64_t call = 0; call < 4; ++call) {
    sync(e, plain);  // nobody overwrites what is still read
    for (uint64_t i = 0; i < sources; ++i) source[i] = value(me, i, call);
    sync(e, plain);
    run(e, c.collective, c.algorithm, settings, {dest, source, c.count, 4, c.root});
    auto expect = [&](uint64_t i, int v) { good &= dest[i] == v; };
    for (uint64_t i = 0; i < c.count; ++i) {
      int sum = 0;
      switch (c.collective) {
        case Collective::broadcast:
          expect(i, value(root, i, call));
          break;
        case Collective::fcollect:
          for (uint64_t pe = 0; pe < n; ++pe) expect(pe * c.count + i, value(pe, i, call));
          break;
        case Collective::alltoall:
          for (uint64_t pe = 0; pe < n; ++pe) expect(pe * c.count + i, value(pe, me * c.count + i, call));
          break;
        case Collective::reduce:
          for (uint64_t pe = 0; pe < n; ++pe) sum += value(pe, i, call);
          expect(i, sum);
          break;
        case Collective::reducescatter:
          for (uint64_t pe = 0; pe < n; ++pe) sum += value(pe, me * c.count + i, call);
          expect(i, sum);
          break;
        default:
          break;
      }
    }
  }
  return good;
}

// 1 to 17 PEs, by block, warp and thread, on one node and on nodes of equal size that only a network connects.
std::vector<Shape> shapes() {
  std::vector<Shape> out;
  for (int n = 1; n <= 17; ++n) {
    for (Scope scope : {Scope::block, Scope::warp, Scope::thread}) out.push_back({n, n, scope});
    if (n % 2 == 0) out.push_back({n, n / 2});  // nodes of one NVLink domain
    for (int per_node = 1; per_node < n; ++per_node)
      if (n % per_node == 0 && (per_node == 1 || 2 * per_node == n || 3 * per_node == n))
        out.push_back({n, per_node, per_node % 2 ? Scope::block : Scope::warp, true});
  }
  return out;
}

// `team`: of several members, or none for everybody.
Situation situation_of(const Shape& shape, const Case& c, const std::vector<int>& team = {}) {
  Situation s;
  s.collective = c.collective;
  s.count = c.count, s.element_bytes = 4;
  s.scope = shape.scope;
  s.pes = team.empty() ? shape.pes : static_cast<int>(team.size());
  s.world = team.empty();
  s.one_node = shape.pes <= shape.per_node;
  s.all_load_store = !shape.network || s.one_node;
  s.nvls = s.all_load_store && s.pes > 1;
  s.in_place = c.in_place;
  s.block_distributed = team.empty() && shape.pes % std::min(shape.pes, shape.per_node) == 0;
  return s;
}

const std::vector<Collective> kCollectives{Collective::broadcast, Collective::fcollect, Collective::alltoall,
                                           Collective::reduce, Collective::reducescatter};

CollectiveSettings small_segments() {
  CollectiveSettings settings;
  settings.fcollect_ll128_threshold = 4096;
  settings.reduce_scratch = 8 << 10;  // segments of 512 B
  return settings;
}

}  // namespace

TEST_CASE("collectives: every algorithm that is legal gives everybody the right data, call after call") {
  CollectiveSettings settings = small_segments();
  for (Collective collective : kCollectives)
    for (Algorithm a : algorithms_of(collective)) {
      std::vector<int> ran(18);
      for (const Shape& shape : shapes())
        for (uint64_t count : {1, 6, 64, 250, 700})
          for (int root : {0, shape.pes - 1})
            for (bool in_place : {false, true}) {
              if (root > 0 && collective != Collective::broadcast) continue;
              if (in_place && collective != Collective::reduce) continue;
              if ((shape.scope != Scope::block || shape.pes > 9) && count != 6 && count != 250)
                continue;  // threads cost
              Case c{collective, a, count, root, in_place};
              if (!illegal(a, situation_of(shape, c), settings).empty()) continue;
              Cluster cluster(shape, settings);
              INFO(name_of(collective) << " " << name_of(a) << ": " << shape.pes << " PEs, " << shape.per_node
                                       << " per node, scope " << static_cast<int>(shape.scope) << ", " << count
                                       << " elements, root " << root << ", in place " << in_place);
              CHECK(on(cluster, [&](MemoryEndpoint& e) { return correct(e, c, settings); }));
              ++ran[static_cast<size_t>(shape.pes)];
            }
      for (size_t pes = 2; pes <= 17; ++pes) {
        INFO(name_of(collective) << " " << name_of(a) << " on " << pes << " PEs");
        CHECK(ran[pes] > 0);
      }
    }
}

TEST_CASE("collectives: every algorithm is right on teams of any PEs in any order") {
  CollectiveSettings settings = small_segments();
  const std::vector<std::vector<int>> teams{
      {5}, {16, 3}, {0, 2, 4, 6, 8, 10, 12, 14, 16}, {1, 4, 7, 10, 13}, {16, 3, 11, 0, 7, 8}, {9, 1, 12}};
  for (bool network : {false, true})
    for (Collective collective : kCollectives)
      for (Algorithm a : algorithms_of(collective))
        for (const std::vector<int>& team : teams)
          for (uint64_t count : {1, 64, 250}) {
            Shape shape{17, network ? 1 : 17, Scope::block, network};
            Case c{collective, a, count, static_cast<int>(team.size()) - 1, false};
            if (!illegal(a, situation_of(shape, c, team), settings).empty()) continue;
            Cluster cluster(shape, settings);
            INFO(name_of(collective) << " " << name_of(a) << ": " << team.size() << " members, first " << team.front()
                                     << ", " << count << " elements");
            CHECK(on(cluster, team, [&](MemoryEndpoint& e) { return correct(e, c, settings); }));
          }
}

TEST_CASE("collectives: recursive exchange adds every vector once for every radix") {
  for (int radix : {2, 3, 4, 8})
    for (int pes : {1, 2, 3, 5, 8, 9, 13, 16, 17}) {
      CollectiveSettings settings;
      settings.exchange_radix = radix;
      Cluster cluster({pes, 8}, settings);
      INFO("radix " << radix << ", " << pes << " PEs");
      CHECK(on(cluster, [&](MemoryEndpoint& e) {
        return correct(e, {Collective::reduce, Algorithm::reduce_exchange, 5, 0, false}, settings);
      }));
    }
}

TEST_CASE("collectives: nobody leaves a synchronisation before all have entered") {
  struct Way {
    Synchronisation how;
    int most;
  };
  for (Way way : {Way{{Algorithm::sync_dissemination, 2}, 17}, Way{{Algorithm::sync_dissemination, 3}, 17},
                  Way{{Algorithm::sync_dissemination, 4}, 17}, Way{{Algorithm::sync_full, 2}, 17}})
    for (int n : {1, 2, 3, 4, 5, 7, 8, 13, 16, 17}) {
      if (n > way.most) continue;
      INFO(name_of(way.how.algorithm) << " radix " << way.how.radix << ", " << n << " PEs");
      std::mutex lock;
      std::vector<int> entered(20);
      Cluster cluster({n, 8}, {});
      CHECK(on(cluster, [&](MemoryEndpoint& e) {
        bool good = true;
        for (int& round : entered) {
          {
            std::scoped_lock hold(lock);
            ++round;
          }
          sync(e, way.how);
          std::scoped_lock hold(lock);
          good &= round == n;
        }
        return good;
      }));
      // signals of a PE and call: dissemination with radix k the distances j·k^r below n, all-to-all n - 1
      uint64_t each = 0;
      if (way.how.algorithm == Algorithm::sync_full) {
        each = static_cast<uint64_t>(n) - 1;
      } else {
        for (int d = 1; d < n; d *= way.how.radix)
          for (int j = 1; j < way.how.radix && j * d < n; ++j) ++each;
      }
      CHECK(cluster.signals == 20 * static_cast<uint64_t>(n) * each);
    }
}

TEST_CASE("collectives: a barrier completes operations before it synchronises") {
  Cluster cluster({4, 8}, {});
  CHECK(on(cluster, [](MemoryEndpoint& e) {
    barrier(e, {Algorithm::sync_dissemination, 2});
    return true;
  }));
  CHECK(cluster.quiets == 4);
  CHECK(cluster.signals == 8);
}

TEST_CASE("collectives: broadcasts by tree start their ring afresh when it is full") {
  // 16 KiB packed are 32 KiB; the ring holds 67 of them, then comes a barrier: one quiet on each PE
  Cluster cluster({3, 8}, {});
  CHECK(on(cluster, [](MemoryEndpoint& e) {
    int* data = reinterpret_cast<int*>(e.heap());
    bool good = true;
    for (int call = 0; call < 150; ++call) {
      int* dest = data + 4096 + call % 2 * 4096;
      data[4095] = call * 10;  // of the root
      if (e.me() == call % 3) data[0] = call;
      broadcast_tree(e, {Algorithm::sync_dissemination, 2}, {dest, data, 4096, 4, call % 3}, 2);
      good &= dest[0] == call && dest[4095] == call * 10;
    }
    return good;
  }));
  CHECK(cluster.quiets == 6);
}

TEST_CASE("packing: LL doubles the volume, LL128 adds 8 B to 120, and both give back what went in") {
  CHECK(packed_bytes(Packing::ll, 256) == 512);
  CHECK(packed_bytes(Packing::ll128, 480) == 512);
  CHECK(packed_bytes(Packing::ll128, 128) == 128 + 16);
  for (Packing packing : {Packing::ll, Packing::ll128})
    for (uint64_t bytes = 8; bytes < 600; bytes += 8) {
      std::vector<char> in(bytes), packed(packed_bytes(packing, bytes), 'x'), out(bytes);
      for (uint64_t i = 0; i < bytes; ++i) in[i] = static_cast<char>(i * 7);
      pack_into(packing, packed.data(), in.data(), bytes, 0x01020304);
      unpack_into(packing, out.data(), packed.data(), bytes);
      uint32_t flag;
      std::memcpy(&flag, packed.data() + packed.size() - flag_bytes(packing), 4);
      INFO(bytes << " B");
      CHECK(in == out);
      CHECK(flag == 0x01020304);
    }
}
