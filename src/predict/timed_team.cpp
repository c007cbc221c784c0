#include "predict/timed_team.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "model/fabric.hpp"

namespace shmemu::predict {
namespace {

// Addresses that nobody dereferences: a heap per PE, the program's buffers, then the scratch memory of three teams.
constexpr uint64_t kHeap = 1ull << 42, kDest = 1ull << 40, kScratch = 1ull << 41;
uint64_t heap_of(int pe) { return static_cast<uint64_t>(pe + 1) * kHeap; }
enum TeamNumber { kWhole, kNode, kColumn, kTeams };

// A step may be skipped when the last `kAlike` steps took equally long on every PE.
constexpr uint64_t kAlike = 2;
// Added to digests of work that times are remembered under: the other kind of time.
constexpr uint64_t kUntilArrival = 0x6a09e667f3bcc909;

// Same distances, same slots and one message at a time from every PE. (Messages of several threads at once are ordered
// by the number of their PE where they meet, which is not the same for everybody.)
bool looks_the_same_from_everywhere(Algorithm a, const TeamShape& shape, bool all_load_store, int sync_radix,
                                    int exchange_radix) {
  Situation s;
  s.scope = shape.scope, s.pes = shape.pes, s.all_load_store = all_load_store;
  bool one_by_one = sync_radix == 2 && choose(s, {}).algorithm == Algorithm::sync_dissemination;
  switch (a) {
    case Algorithm::sync_dissemination:
      return sync_radix == 2;
    case Algorithm::fcollect_put:
    case Algorithm::alltoall_put:
    case Algorithm::reduce_segmented:
    case Algorithm::reduce_ring:
    case Algorithm::reducescatter_put:
      return one_by_one;
    case Algorithm::fcollect_two_level:  // from every node
    case Algorithm::reduce_two_level:
    case Algorithm::alltoall_two_level:
      return sync_radix == 2 && shape.where.nodes > 1;
    case Algorithm::reduce_exchange:
      return exchange_radix == 2 && (shape.pes & (shape.pes - 1)) == 0;
    default:
      return false;
  }
}

}  // namespace

int classes_of(const Platform& platform, const TeamShape& shape, Algorithm algorithm, uint64_t count,
               const CollectiveSettings& settings) {
  const Placement& w = shape.where;
  bool all_load_store = platform.same_nvlink_domain(w.gpu_of({0}), w.gpu_of({shape.pes - 1}));
  if (!looks_the_same_from_everywhere(algorithm, shape, all_load_store, settings.barrier_radix,
                                      settings.exchange_radix))
    return shape.pes;
  bool in_parts = algorithm == Algorithm::reduce_ring || algorithm == Algorithm::reduce_two_level;
  if (in_parts && count % static_cast<uint64_t>(shape.pes * shape.blocks)) return shape.pes;
  if (w.nodes == 1) return all_load_store ? 1 : shape.pes;
  if (!platform.nic) return shape.pes;
  int classes = Fabric(platform, w.gpus()).period() * w.pes_per_node;
  return algorithm == Algorithm::reduce_exchange && (classes & (classes - 1)) != 0 ? shape.pes : classes;
}

struct TimedTeam::Transit : Transfer {
  int group = 0;
  uint64_t number = 0;  // among the stores or the network operations of its PE
  bool by_load_store = true;
  std::function<void()> when_issued;
  std::vector<std::pair<uint64_t, uint64_t>> flags;  // words that appear at the target: address, value
  // In a step that is learned from: what its PE had done before in this phase, when that began and which it was.
  uint64_t work = 0, step = 0;
  size_t phase = 0;
  Time phase_begin;
};

// The threads of one PE.
class TimedTeam::Group {
 public:
  Group(TimedTeam& team, int pe, int block) : team_(team), pe_(pe), block_(block) {}
  int pe() const { return pe_; }
  int block() const { return block_; }
  Time time() const { return time_; }
  // With what was skipped. All PEs skip the same steps, so that nobody notices.
  Time virtual_time() const { return time_ + skipped; }
  bool finished() const { return done_; }

  void start(std::function<void(Group&)> body) {
    body_ = std::move(body);
    fiber_ = team_.stacks_.take();
    fiber_->start(
        [](void* p) {
          auto& self = *static_cast<Group*>(p);
          self.body_(self);
          self.done_ = true;
        },
        this);
    team_.queue_.at({}, Rank::agent, [this] { fiber_->enter(); });
  }

  // ---- from the fiber ----
  void spend(Time t) {
    did(static_cast<uint64_t>(t.ps));
    if (lanes_.empty()) {
      time_ += t;
    } else {
      for (Time& lane : lanes_) lane += t;
    }
  }
  // All threads of the group have come to the same point.
  void join() {
    for (Time lane : lanes_) time_ = std::max(time_, lane);
    lanes_.clear();
  }
  void group_sync() {
    did(1);
    join();
    time_ += group_sync_cost(team_.platform_.gpu, team_.shape_.scope, team_.shape_.threads);
  }
  Time& lane(size_t i) {
    if (team_.shape_.scope == Scope::thread) return time_;
    while (lanes_.size() <= i) lanes_.push_back(time_);
    return lanes_[i];
  }
  void until(Time when) {
    time_ = when;
    team_.queue_.at(when, Rank::agent, [this] { fiber_->enter(); });
    emu::Fiber::leave();
  }
  // The fiber sleeps until `pending_` parts have reported.
  void wait_for_parts() {
    if (pending_) emu::Fiber::leave();
  }

  Transit& transit(OpKind kind, Scope scope, uint32_t threads, PeId peer, uint8_t function = 0, uint8_t signal_op = 0) {
    Transit& t = team_.fresh_transit();
    Op op;
    op.kind = kind;
    op.function = function;
    op.signal_op = signal_op;
    op.scope = scope;
    op.issuer = {pe_}, op.target = peer;
    t.pieces.push_back({op, {}});
    t.threads = threads;
    t.group = pe_ * team_.shape_.blocks + block_;
    t.sm = block_;
    t.block = static_cast<uint32_t>(block_);
    t.by_load_store = team_.router_.by_load_store(op);
    t.number = (t.by_load_store ? stores_ : network_).add();
    ++team_.timing_.messages;
    return t;
  }
  void post(Transit& t) { team_.router_.route(t).post(t, team_); }
  void post_at(Time when, Transit& t) {
    team_.queue_.at(when, Rank::agent, [this, p = &t] { post(*p); });
  }
  Time issue_time(const Transit& t) { return team_.router_.route(t).issue_time(t); }

  Transit& put_transit(Scope scope, uint32_t threads, const Put& p, PeId peer, uint32_t flag, uint32_t flag_size) {
    Transit& t = transit(OpKind::put, scope, threads, peer);
    Op& op = t.pieces.front().op;
    op.bytes = t.bytes = p.bytes;
    op.nbi = !t.by_load_store;
    op.local = reinterpret_cast<uint64_t>(p.source);
    op.remote = reinterpret_cast<uint64_t>(p.dest) - heap_of(pe_) + heap_of(peer.value);
    if (p.packed) t.flags.emplace_back(op.remote + p.bytes - flag_size, flag);
    return t;
  }
  // Whether its loads hit L1 is settled when the copy begins.
  void look_at_l1(Transit& t) { t.miss = l1_.load(t.op().local, t.bytes, team_.platform_.gpu.l1_reach); }

  void put(const Put& p, PeId peer, uint32_t flag, uint32_t flag_size) {
    join();
    did(p.bytes * 64 + way_to(peer));
    if (track_.puts++) track_.known = false;  // of several at once some may share a port with those of other PEs
    Scope scope = team_.shape_.scope;
    Transit& t = put_transit(scope, team_.shape_.threads, p, peer, flag, flag_size);
    if (scope == Scope::thread && t.by_load_store) {  // posted: the thread does not wait for the transport
      look_at_l1(t);
      post_at(time_, t);
      time_ += issue_time(t);
      return;
    }
    team_.queue_.at(time_, Rank::agent, [this, p_ = &t] {
      look_at_l1(*p_);
      post(*p_);
    });
    t.when_issued = [this] {
      time_ = team_.queue_.now();
      team_.queue_.at(time_, Rank::agent, [this] { fiber_->enter(); });
    };
    emu::Fiber::leave();
  }

  // Each warp works through its part of the list.
  void put_each(std::vector<std::pair<Put, PeId>> puts, uint32_t flag, uint32_t flag_size) {
    track_.known = false;
    join();
    uint32_t warps = (team_.shape_.threads + 31) / 32;
    split_ = std::move(puts);
    for (uint32_t w = 0; w < warps && w < split_.size(); ++w) {
      ++pending_;
      next_of_warp(w, warps, time_, flag, flag_size);
    }
    wait_for_parts();
  }
  void next_of_warp(size_t at, uint32_t warps, Time when, uint32_t flag, uint32_t flag_size) {
    if (at >= split_.size()) return part_done(when);
    team_.queue_.at(when, Rank::agent, [this, at, warps, flag, flag_size] {
      auto& [put, peer] = split_[at];
      Transit& t = put_transit(Scope::warp, 32, put, peer, flag, flag_size);
      t.warp = static_cast<uint32_t>(at % warps);
      look_at_l1(t);
      t.when_issued = [this, at, warps, flag, flag_size] {
        next_of_warp(at + warps, warps, team_.queue_.now(), flag, flag_size);
      };
      post(t);
    });
  }
  void part_done(Time when) {
    time_ = std::max(time_, when);
    if (--pending_ == 0) team_.queue_.at(std::max(time_, team_.queue_.now()), Rank::agent, [this] { fiber_->enter(); });
  }

  // Thread i sends the signals i, i + threads, … Stores are posted, requests to an adapter keep the thread.
  struct Message {
    uint64_t word;
    PeId peer;
    Signal::Kind kind;
    uint64_t value;
    Put data;  // before the signal, or none
  };
  void signal_each(std::vector<Message> signals) {
    if (signals.size() == 1 && !signals.front().data.source) {
      did(64 * static_cast<uint64_t>(signals.front().kind) + way_to(signals.front().peer));
    } else {
      track_.known = false;
    }
    signals_ = std::move(signals);
    size_t threads = std::min<size_t>(team_.shape_.threads, signals_.size());
    pending_ = threads;
    for (size_t i = 0; i < threads; ++i) lane(i);
    for (size_t i = 0; i < threads; ++i) next_signal(i, i);
    sleeps_ = pending_ > 0;
    if (sleeps_) emu::Fiber::leave();
  }
  void next_signal(size_t thread, size_t at) {
    for (; at < signals_.size(); at += team_.shape_.threads) {
      auto& [word, peer, sort, value, data] = signals_[at];
      OpKind kind = data.source ? OpKind::put_signal : OpKind::signal;
      bool add = sort == Signal::Kind::add;
      Transit& t = transit(kind, Scope::thread, 1, peer, sort == Signal::Kind::word ? Op::kLibrarySignal : 0,
                           add ? Op::kSignalAdd : Op::kSignalSet);
      Op& op = t.pieces.front().op;
      if (data.source) {
        op.nbi = true;
        op.bytes = t.bytes = data.bytes;
        op.local = reinterpret_cast<uint64_t>(data.source);
        look_at_l1(t);
      }
      op.value = value;
      op.signal = word - heap_of(pe_) + heap_of(peer.value);
      op.remote = data.source ? reinterpret_cast<uint64_t>(data.dest) - heap_of(pe_) + heap_of(peer.value) : op.signal;
      t.work = track_.known ? track_.work + kUntilArrival : 0;  // another time than that until it looks
      t.step = track_.step, t.phase = track_.phases.size(), t.phase_begin = track_.begin;
      Time& mine = lane(thread);
      post_at(mine, t);
      if (!t.by_load_store) {
        t.when_issued = [this, thread, at] {
          lane(thread) = team_.queue_.now();
          team_.queue_.at(team_.queue_.now(), Rank::agent,
                          [this, thread, at] { next_signal(thread, at + team_.shape_.threads); });
        };
        return;
      }
      mine += issue_time(t);
    }
    if (--pending_ == 0 && sleeps_) {
      sleeps_ = false;
      fiber_->enter();
    }
  }

  struct Condition {
    uint64_t word, value;
    bool at_least;
  };
  // Thread i waits for the conditions i, i + threads, …
  void wait_each(std::vector<Condition> conditions) {
    if (conditions.size() != 1 || !conditions.front().at_least) track_.known = false;
    conditions_ = std::move(conditions);
    size_t step = team_.shape_.threads;
    if (team_.shape_.scope != Scope::thread)
      for (size_t i = 0; i < std::min(step, conditions_.size()); ++i) lane(i);
    for (size_t i = 0; i < std::min(step, conditions_.size()); ++i) {
      ++pending_;
      next_condition(i, i);
    }
    if (pending_) emu::Fiber::leave();
    if (track_.known) phase_ends();
  }
  void next_condition(size_t thread, size_t at) {
    if (at >= conditions_.size()) {
      if (--pending_ == 0) {
        Time when = team_.queue_.now();
        if (team_.shape_.scope == Scope::thread) time_ = when;
        team_.queue_.at(when, Rank::agent, [this] { fiber_->enter(); });
      }
      return;
    }
    // a thread that had no signal to send begins earlier, but what it waits for is seen no later than the others' is
    team_.queue_.at(std::max(lane(thread), team_.queue_.now()), Rank::agent, [this, thread, at] {
      track_.look = team_.queue_.now();
      if (holds(conditions_[at])) return satisfied(thread, at, team_.platform_.gpu.l2_load);
      sleepers_[conditions_[at].word].push_back({thread, at});
    });
  }
  bool holds(const Condition& c) const {
    auto found = words_.find(c.word);
    uint64_t value = found == words_.end() ? 0 : found->second;
    return c.at_least ? value >= c.value : value == c.value;
  }
  void satisfied(size_t thread, size_t at, Time delay) {
    Time when = team_.queue_.now() + delay;
    lane(thread) = when;
    team_.queue_.at(when, Rank::agent, [this, thread, at] { next_condition(thread, at + team_.shape_.threads); });
  }

  // `stores`: of loads and stores only.
  void order(OpKind kind, bool stores = false) {
    join();
    did(static_cast<uint64_t>(kind) * 2 + (stores ? 1 : 0));
    team_.queue_.at(time_, Rank::agent, [this, kind, stores] {
      l1_.clear();
      Quiet q{stores_.mark(), network_.mark(),
              stores ? Ordering{team_.platform_.gpu.fence_system, false, {}} : team_.router_.order({pe_}, kind)};
      quiet_ = q;
      // one that waits for what earlier phases have sent depends on more than this phase
      if (q.order.waits && network_.size() && network_.mark() == track_.first_network) track_.known = false;
      check_quiet();
    });
    emu::Fiber::leave();
  }
  void check_quiet() {
    if (!quiet_ || !stores_.drained(quiet_->stores) || (quiet_->order.waits && !network_.drained(quiet_->network)))
      return;
    time_ = std::max(team_.queue_.now() + quiet_->order.cost, time_ + quiet_->order.least);
    quiet_.reset();
    team_.queue_.at(time_, Rank::agent, [this] { fiber_->enter(); });
  }

  // All blocks of the PE have come to the same point.
  void meet() {
    join();
    until(time_);
    Meeting& m = team_.meetings_[static_cast<size_t>(pe_)];
    m.latest = std::max(m.latest, time_);
    if (++m.arrived < team_.shape_.blocks) {
      m.waiting.push_back(this);
      emu::Fiber::leave();
      return;
    }
    Time when = m.latest;
    for (Group* g : m.waiting) {
      g->time_ = when;
      team_.queue_.at(when, Rank::agent, [g] { g->fiber_->enter(); });
    }
    m = {};
    time_ = when;
  }

  void multicast(const Multicast& m, const std::vector<PeId>& members) {
    track_.known = false;
    join();
    auto n = static_cast<uint64_t>(members.size());
    MulticastLoop loop;
    loop.threads = team_.shape_.threads, loop.blocks = static_cast<uint32_t>(team_.shape_.blocks);
    loop.bytes = m.bytes();
    uint64_t out = (m.sum ? n : 0) + (m.to_all ? 1 : 0), in = (m.sum ? 1 : 0) + (m.to_all ? n : 0);
    loop.on_link = m.bytes() * std::max(out, in);
    loop.vector = m.bytes() * (m.to_all ? n : 1) * loop.blocks;
    time_ += multicast_time(team_.platform_.gpu, loop);
    if (!m.packed) return;
    uint64_t word = reinterpret_cast<uint64_t>(m.dest) + m.bytes() - flag_size;
    team_.queue_.at(time_ + team_.platform_.gpu.flight_remote, Rank::memory, [this, &members, word, value = flag] {
      for (PeId p : members)
        team_.stand_in(p, block_).arrive(word - heap_of(pe_) + heap_of(team_.stand_in(p, block_).pe()), value, false);
    });
    until(time_);
  }

  // The kernel of a call on a stream: from its start to its first instruction, and from its last to its end.
  void kernel_begin() {
    l1_.clear();
    if (team_.shape_.graph) return until(time_ + team_.platform_.gpu.graph_gap);
    until(time_ + team_.platform_.gpu.kernel_start + team_.platform_.gpu.cta_start);
  }
  void kernel_end() {
    join();
    until(time_);
    if (stores_.size()) {
      ends_ = true;
      emu::Fiber::leave();
    }
    if (team_.shape_.blocks > 1) meet();
    if (team_.shape_.graph) {
      time_ = std::max(time_, team_.queue_.now());
      return;
    }
    time_ = std::max(time_, team_.queue_.now()) + team_.platform_.gpu.kernel_end;
  }

  // ---- events ----
  void arrive(uint64_t word, uint64_t value, bool add) {
    uint64_t& at = words_[word];
    at = add ? at + value : value;
    auto found = sleepers_.find(word);
    if (found == sleepers_.end()) return;
    auto waiting = std::move(found->second);
    sleepers_.erase(found);
    for (auto [thread, index] : waiting) {
      if (holds(conditions_[index])) {
        satisfied(thread, index, team_.platform_.gpu.poll_hit);
      } else {
        sleepers_[word].push_back({thread, index});
      }
    }
  }
  // The signal that has just set a word here, for those who learn from the step.
  struct Arrival {
    size_t sender = 0, phase = 0;
    uint64_t work = 0, step = 0;
    Time phase_begin, at;
  };
  void arrived_by(uint64_t word, const Arrival& a) { arrivals_[word] = a; }
  void returned(uint64_t number, bool store) {
    (store ? stores_ : network_).remove(number);
    check_quiet();
    if (ends_ && !stores_.size()) {
      ends_ = false;
      team_.queue_.at(team_.queue_.now(), Rank::agent, [this] { fiber_->enter(); });
    }
  }
  std::string waits_for() const {
    return fmt::format("PE {}: {} at {}", pe_,
                       !sleepers_.empty() ? "a signal"
                       : quiet_           ? "acknowledgements"
                                          : "nothing",
                       to_text(time_));
  }

  // ---- what a step consists of (step_memory.hpp) ----
  void step_begins(uint64_t number) {
    track_ = {};
    track_.on = track_.known = true;
    track_.step = number;
    phase_begins();
  }
  // Its phases; none if it is not a sequence of them.
  std::vector<Phase> step_ends() {
    track_.on = false;
    if (!track_.known) return {};
    track_.phases.push_back({track_.work, time_ - track_.begin, index(), 0, {}});
    return std::move(track_.phases);
  }

  TeamNumbers numbers[kTeams];
  uint32_t flag = 0, flag_size = 4;
  // Of the repeated parts under way, the inner ones last: their starts, then the ends of their steps.
  std::vector<std::vector<Time>> loops;
  size_t open_loops = 0;
  uint64_t begun_loops = 0;
  Time skipped;

 private:
  size_t index() const { return static_cast<size_t>(pe_ * team_.shape_.blocks + block_); }
  void did(uint64_t what) {
    if (track_.known) track_.work = (track_.work ^ what) * 0x9e3779b97f4a7c15 + (track_.work >> 31);
  }
  uint64_t way_to(PeId peer) const { return track_.known ? team_.look_of({pe_}, peer) : 0; }
  void phase_begins() {
    track_.begin = time_;
    for (Time lane : lanes_) track_.begin = std::max(track_.begin, lane);
    track_.work = 0, track_.puts = 0;
    did(track_.phases.size());
    track_.first_network = network_.mark();
  }
  void phase_ends() {
    const Arrival& a = arrivals_[conditions_.front().word];
    if (!a.work || a.step != track_.step || a.phase != track_.phases.size()) {
      track_.known = false;
      return;
    }
    track_.phases.push_back({track_.work, track_.look - track_.begin, a.sender, a.work, a.at - a.phase_begin});
    phase_begins();
  }
  TimedTeam& team_;
  int pe_, block_;
  emu::Fiber* fiber_ = nullptr;
  std::function<void(Group&)> body_;
  bool done_ = false, ends_ = false;
  Time time_;
  std::vector<Time> lanes_;  // while the threads have clocks of their own
  size_t pending_ = 0;
  std::vector<std::pair<Put, PeId>> split_;
  std::vector<Condition> conditions_;
  std::vector<Message> signals_;
  bool sleeps_ = false;  // until all threads have sent theirs
  struct Quiet {
    uint64_t stores, network;
    Ordering order;
  };
  device::Outstanding stores_, network_;
  std::optional<Quiet> quiet_;
  device::L1 l1_;
  struct Track {
    bool on = false, known = false;  // a step is under way; it is a sequence of phases so far
    uint64_t step = 0, work = 0, first_network = 0, puts = 0;
    Time begin, look;
    std::vector<Phase> phases;
  } track_;
  std::unordered_map<uint64_t, Arrival> arrivals_;                                 // looked up only
  std::unordered_map<uint64_t, uint64_t> words_;                                   // looked up only
  std::unordered_map<uint64_t, std::vector<std::pair<size_t, size_t>>> sleepers_;  // by word: thread, condition
};

class TimedTeam::GroupEndpoint : public Endpoint {
 public:
  GroupEndpoint(TimedTeam& team, Group& group, const std::vector<PeId>& members, TeamNumber number)
      : team_(team), group_(group), members_(members), number_(number) {
    me_ = static_cast<int>(std::lower_bound(members.begin(), members.end(), PeId{group.pe()}) - members.begin());
  }
  int me() const override { return me_; }
  int size() const override { return static_cast<int>(members_.size()); }
  Scope scope() const override { return team_.shape_.scope; }
  uint32_t threads() const override { return team_.shape_.threads; }
  bool load_store(int peer) const override { return team_.router_.load_store(PeId{group_.pe()}, member(peer)); }
  bool all_load_store() const override { return load_store(0) && load_store(size() - 1); }
  std::unique_ptr<Endpoint> part(Part which) override {
    int node = team_.shape_.where.node_of({group_.pe()}), place = group_.pe() % team_.shape_.where.pes_per_node;
    return which == Part::node
               ? std::make_unique<GroupEndpoint>(team_, group_, team_.nodes_[static_cast<size_t>(node)], kNode)
               : std::make_unique<GroupEndpoint>(team_, group_, team_.columns_[static_cast<size_t>(place)], kColumn);
  }
  bool leader() const override { return true; }
  void group_sync() override { group_.group_sync(); }
  void spend(Overhead what, uint64_t items) override {
    group_.spend(cost_of(team_.platform_.gpu, what, scope(), threads(), items));
  }
  void repeat(const Loop& loop, const std::function<void(uint64_t)>& step) override;
  uint64_t ways(int first, int count) const override { return team_.ways(first, count); }
  void put(const Put& p) override { group_.put(p, member(p.peer), group_.flag, group_.flag_size); }
  void put_each(const std::vector<Put>& puts) override {
    if (scope() != Scope::block) {
      for (const Put& p : puts) put(p);
      return;
    }
    std::vector<std::pair<Put, PeId>> list;
    for (const Put& p : puts) list.emplace_back(p, member(p.peer));
    group_.put_each(std::move(list), group_.flag, group_.flag_size);
  }
  void signal(const Signal& s) override { group_.signal_each({message(s)}); }
  void put_signal_each(const std::vector<Put>& puts, int slot) override {
    std::vector<Group::Message> all;
    for (const Put& p : puts) all.push_back({word(slot), member(p.peer), Signal::Kind::add, 1, p});
    group_.signal_each(std::move(all));
  }
  void wait(int slot, uint64_t at_least) override { group_.wait_each({{word(slot), at_least, true}}); }
  void signal_each(const std::vector<Signal>& signals) override {
    std::vector<Group::Message> all;
    for (const Signal& s : signals) all.push_back(message(s));
    group_.signal_each(std::move(all));
  }
  void wait_each(const std::vector<SignalWait>& waits) override {
    std::vector<Group::Condition> all;
    for (const SignalWait& w : waits) all.push_back({word(w.slot), w.at_least, true});
    group_.wait_each(std::move(all));
  }
  void multicast(const Multicast& m) override { group_.multicast(m, members_); }
  void fence() override { group_.order(OpKind::fence); }
  void quiet() override { group_.order(OpKind::quiet); }
  void store_fence() override { group_.order(OpKind::fence, true); }
  char* scratch(Area area) override { return reinterpret_cast<char*>(base() + team_.scratch_.offset(area)); }
  uint64_t scratch_bytes(Area area) const override { return team_.scratch_.bytes(area); }
  uint64_t& state(Tally which, int of) override { return group_.numbers[number_](which, of); }
  void copy(void*, const void*, uint64_t) override {}
  void combine(void*, const void*, uint64_t) override {}
  void pack(Packing packing, void*, const void*, uint64_t, uint32_t flag) override {
    group_.flag = flag;
    group_.flag_size = flag_bytes(packing);
  }
  void receive_each(Packing packing, const std::vector<Receive>& blocks, uint32_t flag) override {
    group_.flag = flag;
    group_.flag_size = flag_bytes(packing);
    std::vector<Group::Condition> all;
    for (const Receive& b : blocks)
      if (b.bytes)
        all.push_back(
            {reinterpret_cast<uint64_t>(b.packed) + packed_bytes(packing, b.bytes) - flag_bytes(packing), flag, false});
    group_.wait_each(std::move(all));
    group_sync();
    group_sync();
  }

 private:
  // Steps that need every member, or that a member may be `lag` ahead with.
  void repeat_known(const Loop& loop, const std::function<void(uint64_t)>& step);
  void repeat_with_lag(const Loop& loop, const std::function<void(uint64_t)>& step);
  Group::Message message(const Signal& s) const { return {word(s.slot), member(s.peer), s.kind, s.value, {}}; }
  PeId member(int i) const { return members_[static_cast<size_t>(i)]; }
  uint64_t base() const {
    return heap_of(group_.pe()) + kScratch +
           (number_ + static_cast<uint64_t>(kTeams * group_.block())) * team_.scratch_.total();
  }
  uint64_t word(int slot) const {
    return base() + team_.scratch_.offset(Area::signals) + static_cast<uint64_t>(slot) * 8;
  }
  TimedTeam& team_;
  Group& group_;
  const std::vector<PeId>& members_;
  TeamNumber number_;
  int me_ = 0;
};

uint64_t TimedTeam::look_of(PeId from, PeId to) const {
  if (from == to) return 0;
  bool near = router_.load_store(from, to);
  if (!fabric_) return near ? 1 : 2;
  int switches = fabric_->switches_between(shape_.where.gpu_of(from), shape_.where.gpu_of(to));
  return static_cast<uint64_t>(switches) * 2 + (near ? 1 : 0);
}

// What the ways from all PEs to those `distance` ahead look like.
uint64_t TimedTeam::way_to(int distance) {
  enum : uint8_t { kNear, kLeaf, kSpine };
  uint64_t& known = way_to_[static_cast<size_t>(distance)];
  if (known) return known;
  std::vector<uint8_t> looks;
  bool spine = false;
  for (int p = 0; p < static_cast<int>(meetings_.size()); ++p) {
    PeId from{p}, to{(p + distance) % shape_.pes};
    bool far = !router_.load_store(from, to);
    bool leaf = far && fabric_->same_leaf(shape_.where.gpu_of(from), shape_.where.gpu_of(to));
    looks.push_back(!far ? kNear : leaf ? kLeaf : kSpine);
    spine |= far && !leaf;
  }
  // where uplinks can be full it matters who shares them
  if (spine && platform_.fabric.oversubscription > 1)
    looks = {kSpine, static_cast<uint8_t>(distance >> 8), static_cast<uint8_t>(distance)};
  return known = ways_.emplace(std::move(looks), ways_.size() + 1).first->second;
}

uint64_t TimedTeam::ways(int first, int count) {
  uint64_t all = static_cast<uint64_t>(count);
  for (int i = 0; i < count; ++i) all = all * 8191 + way_to(first + i);
  // where several messages to a PE meet it matters who sends them
  return count == 1 ? all : all * 8191 + static_cast<uint64_t>(first) % meetings_.size();
}

// `period` steps of a loop, as many as it takes until one PE's lead has reached all, took equally long kAlike times in
// a row on all PEs: what follows repeats them.
bool TimedTeam::repeats(size_t loop, uint64_t until, uint64_t period) const {
  if (until < (kAlike + 1) * period) return false;
  const std::vector<Time>& first = groups_.front()->loops[loop];
  Time length = first[until] - first[until - period];
  for (const auto& g : groups_) {
    const std::vector<Time>& ends = g->loops[loop];
    for (uint64_t i = until - kAlike * period + 1; i <= until; ++i)
      if (ends[i] - ends[i - period] != length) return false;
  }
  return true;
}

void TimedTeam::GroupEndpoint::repeat(const Loop& what, const std::function<void(uint64_t)>& step) {
  bool folding = team_.fold_ && number_ == kWhole && size() > 1 && what.kind;
  if (what.lag == 1 && team_.shape_.blocks > 1) folding = false;  // the blocks of a PE disturb each other
  if (!folding) {
    for (uint64_t i = 0; i < what.count; ++i) step(i);
  } else if (what.lag == 1) {
    repeat_known(what, step);
  } else {
    repeat_with_lag(what, step);
  }
}

void TimedTeam::GroupEndpoint::repeat_known(const Loop& what, const std::function<void(uint64_t)>& step) {
  uint64_t number = group_.begun_loops++;
  auto pe = static_cast<size_t>(group_.pe());
  group_.join();
  auto loop =
      team_.loops_
          .try_emplace(number, team_.steps_, team_.groups_.size(), what.count, what.kind, what.period, what.periodic)
          .first;
  loop->second.begins(pe, group_.virtual_time());
  for (uint64_t i = 0; i < what.count; ++i) {
    group_.step_begins(i);
    step(i);
    group_.join();
    std::vector<Phase> phases = group_.step_ends();
    group_.until(group_.time());  // what earlier events tell the others is known
    const StepLoop::Jump* jump = loop->second.ends(pe, i, group_.virtual_time(), std::move(phases));
    if (!jump) continue;
    Time more = jump->at[pe] - group_.virtual_time();
    team_.timing_.unlike = std::max(
        team_.timing_.unlike, std::max(jump->from[pe] - group_.virtual_time(), group_.virtual_time() - jump->from[pe]));
    if (pe == 0) team_.timing_.skipped += more;
    group_.skipped += jump->common;
    group_.until(group_.time() + std::max(Time{}, more - jump->common));
    i = jump->to - 1;
  }
  if (loop->second.left()) team_.loops_.erase(loop);
}

// At the end of step i every PE has ended step i - lag: all decide alike, on the same numbers.
void TimedTeam::GroupEndpoint::repeat_with_lag(const Loop& what, const std::function<void(uint64_t)>& step) {
  size_t loop = group_.open_loops++;
  if (group_.loops.size() <= loop) group_.loops.resize(loop + 1);
  group_.join();
  group_.loops[loop] = {group_.virtual_time()};
  bool folding = true;
  for (uint64_t i = 0; i < what.count; ++i) {
    step(i);
    if (!folding) continue;
    group_.join();
    group_.until(group_.time());  // what earlier events tell the others is known
    std::vector<Time>& ends = group_.loops[loop];
    ends.push_back(group_.virtual_time());
    uint64_t lag = std::min<uint64_t>(static_cast<uint64_t>(what.lag), team_.meetings_.size());
    if (what.count < 4 * lag + 1 || i + 1 < lag) continue;
    // the last ones run again, into whatever comes after
    uint64_t resume = what.count - 2 * lag, all_known = i + 1 - lag;
    resume -= (resume + 4 * lag - (i + 1)) % lag;
    if (i + 1 >= resume || !team_.repeats(loop, all_known, lag)) continue;
    Time now = ends.back(), length = ends[all_known] - ends[all_known - lag];
    while (ends.size() <= resume) ends.push_back(ends[ends.size() - lag] + length);
    group_.skipped += ends.back() - now;
    if (group_.pe() == 0 && group_.block() == 0) team_.timing_.skipped += ends.back() - now;
    folding = false;
    i = resume - 1;
  }
  --group_.open_loops;
}

namespace {

bool folded(const TeamShape& shape) { return shape.classes && shape.classes < shape.pes; }

int gpus_of(const TeamShape& shape) {
  if (!folded(shape)) return shape.where.gpus();
  return std::max(1, shape.classes / shape.where.pes_per_node) * shape.where.gpus_per_node;
}

Network::StandIn stand_in_of(const TeamShape& shape) {
  if (!folded(shape)) return {};
  if (shape.classes < shape.where.pes_per_node) return [n = shape.classes](GpuId g) { return GpuId{g.value % n}; };
  return [n = gpus_of(shape)](GpuId g) { return GpuId{g.value % n}; };
}

}  // namespace

TimedTeam::TimedTeam(const Platform& platform, TeamShape shape, const CollectiveSettings& settings,
                     const NvshmemSettings& transports, bool fold)
    : platform_(platform),
      shape_(shape),
      settings_(settings),
      fold_(fold),
      scratch_(shape.pes, settings),
      router_(
          queue_, platform, gpus_of(shape), [this](PeId pe) { return shape_.where.gpu_of(pe); }, nullptr, shape.pes,
          transports, stand_in_of(shape)),
      stacks_(64 << 10, 64),
      steps_(platform.gpu.l2_load, platform.gpu.poll_hit) {
  for (int i = 0; i < shape.pes; ++i) {
    everybody_.push_back({i});
    auto node = static_cast<size_t>(shape.where.node_of({i})),
         place = static_cast<size_t>(i % shape.where.pes_per_node);
    if (nodes_.size() <= node) nodes_.resize(node + 1);
    if (columns_.size() <= place) columns_.resize(place + 1);
    nodes_[node].push_back({i});
    columns_[place].push_back({i});
  }
  int simulated = folded(shape) ? shape.classes : shape.pes;
  for (int i = 0; i < simulated * shape.blocks; ++i)
    groups_.push_back(std::make_unique<Group>(*this, i / shape.blocks, i % shape.blocks));
  meetings_.resize(static_cast<size_t>(simulated));
  way_to_.resize(static_cast<size_t>(shape.pes));
  if (platform.nic) fabric_.emplace(platform, shape.where.gpus());
}

TimedTeam::~TimedTeam() = default;

Timing TimedTeam::run(Collective collective, Algorithm algorithm, uint64_t count, uint64_t element_bytes, int calls,
                      int root, const std::function<void()>& tick) {
  std::vector<Time> ends(groups_.size());
  for (auto& g : groups_)
    g->start([&, this](Group& group) {
      GroupEndpoint at(*this, group, everybody_, kWhole);
      auto blocks = static_cast<uint64_t>(shape_.blocks), block = static_cast<uint64_t>(group.block());
      uint64_t each = count / blocks, mine = block + 1 == blocks ? count - each * block : each;
      uint64_t offset = each * block * element_bytes;
      Call call{reinterpret_cast<void*>(heap_of(group.pe()) + kDest + offset),
                reinterpret_cast<void*>(heap_of(group.pe()) + offset), mine, element_bytes, root};
      for (int i = 0; i < calls; ++i) {
        if (shape_.kernel_per_call) group.kernel_begin();
        shmemu::run(at, collective, algorithm, settings_, call);
        group.join();
        if (shape_.kernel_per_call) {
          group.kernel_end();
        } else if (shape_.blocks > 1) {  // the blocks of a kernel meet before its threads use the result
          group.spend(platform_.gpu.grid_barrier + platform_.gpu.grid_barrier_per_cta * shape_.blocks);
          group.meet();
        }
      }
      ends[static_cast<size_t>(group.pe() * shape_.blocks + group.block())] = group.virtual_time();
    });
  constexpr uint64_t kTick = 1 << 20;
  while (!queue_.empty()) {
    queue_.run_next();
    if (tick && queue_.processed() % kTick == 0) tick();
  }
  std::string stuck;
  for (auto& g : groups_)
    if (!g->finished() && stuck.size() < 400) stuck += "\n  " + g->waits_for();
  SHMEMU_ASSERT(stuck.empty(), fmt::format("{} {} on {} PEs does not end:{}", name_of(collective), name_of(algorithm),
                                           shape_.pes, stuck));
  timing_.last = *std::max_element(ends.begin(), ends.end());
  timing_.first_pe = ends.front();
  timing_.events = queue_.processed();
  timing_.messages = timing_.messages * static_cast<uint64_t>(shape_.pes) / meetings_.size();
  timing_.simulated = static_cast<int>(meetings_.size());
  return timing_;
}

void TimedTeam::issued(Transfer& t) {
  auto& transit = static_cast<Transit&>(t);
  if (transit.when_issued) transit.when_issued();
}

void TimedTeam::delivered(Transfer& t) {
  auto& transit = static_cast<Transit&>(t);
  PeId to = t.op().target;
  Group& target = stand_in(to, transit.group % shape_.blocks);
  auto address = [&](uint64_t word) { return word - heap_of(to.value) + heap_of(target.pe()); };
  if (t.op().signal) {
    uint64_t word = address(t.op().signal);
    if (transit.work)
      target.arrived_by(word, {static_cast<size_t>(transit.group), transit.phase, transit.work, transit.step,
                               transit.phase_begin, queue_.now()});
    target.arrive(word, t.op().value, t.op().signal_op == Op::kSignalAdd);
  }
  for (auto [word, value] : transit.flags) target.arrive(address(word), value, false);
}

void TimedTeam::returned(Transfer& t) {
  auto* transit = static_cast<Transit*>(&t);
  groups_[static_cast<size_t>(transit->group)]->returned(transit->number, transit->by_load_store);
  idle_.push_back(transit);
}

TimedTeam::Transit& TimedTeam::fresh_transit() {
  if (idle_.empty()) {
    transits_.push_back(std::make_unique<Transit>());
    return *transits_.back();
  }
  Transit& t = *idle_.back();
  idle_.pop_back();
  t.pieces.clear();
  t.flags.clear();
  t.when_issued = nullptr;
  t.bytes = 0, t.miss = 1, t.warp = 0, t.work = 0;
  return t;
}

}  // namespace shmemu::predict
