#include "gpu/recording_endpoint.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "device/warp_ops.hpp"
#include "emu/cpu/fiber.hpp"
#include "shmemu/abi.h"

namespace shmemu::gpu {
namespace {

// Teams that the library uses inside a collective on WORLD have scratch memory after that of the handles.
constexpr int kNodePart = 64, kColumnPart = 65, kScratchTeams = 128;  // handles, and teams that had their handle before
constexpr size_t kStack = 64 << 10;

int place_in(const std::vector<int>& members, int pe) {
  return static_cast<int>(std::find(members.begin(), members.end(), pe) - members.begin());
}

}  // namespace

uint64_t CollectiveRecorder::scratch_bytes(int pes, const CollectiveSettings& settings) {
  return Scratch(pes, settings).total() * kScratchTeams;
}

int CollectiveRecorder::area_of(int team, const std::vector<int>& members) {
  int area = areas_.try_emplace({team, members}, static_cast<int>(areas_.size())).first->second;
  if (area >= kScratchTeams)
    throw UserError(ExitCode::program_failed,
                    fmt::format("no times: the program made more than {} different teams", kScratchTeams));
  return area;
}

// What the threads of one call share.
struct CollectiveRecorder::Group {
  const CollectiveCall& call;
  uint32_t threads;
  uint64_t tail = 0;  // last 8 bytes of what was packed, or received, last
};

class CollectiveRecorder::Endpoint final : public shmemu::Endpoint {
 public:
  Endpoint(CollectiveRecorder& owner, Group& group, int team, std::vector<int> members, uint32_t thread,
           std::vector<traces::LaneEntry>& out)
      : owner_(owner),
        group_(group),
        area_(owner.area_of(team, members)),
        members_(std::move(members)),
        thread_(thread),
        out_(out) {}

  int me() const override { return place_in(members_, group_.call.pe.value); }
  int size() const override { return static_cast<int>(members_.size()); }
  Scope scope() const override { return group_.call.scope; }
  uint32_t threads() const override { return group_.threads; }
  bool load_store(int peer) const override { return owner_.cluster_.load_store(group_.call.pe, pe(peer)); }
  bool all_load_store() const override {
    return std::all_of(members_.begin(), members_.end(),
                       [&](int m) { return owner_.cluster_.load_store({members_[0]}, {m}); });
  }
  std::unique_ptr<shmemu::Endpoint> part(Part which) override {
    const Placement& p = owner_.cluster_.placement;
    std::vector<int> members;
    for (int m : members_) {
      bool in = which == Part::node ? p.node_of({m}) == p.node_of(group_.call.pe)
                                    : m % p.pes_per_node == group_.call.pe.value % p.pes_per_node;
      if (in) members.push_back(m);
    }
    return std::make_unique<Endpoint>(owner_, group_, which == Part::node ? kNodePart : kColumnPart, std::move(members),
                                      thread_, out_);
  }
  bool leader() const override { return thread_ == 0; }
  void group_sync() override {
    if (scope() == Scope::thread) return;
    bool warp = scope() == Scope::warp && group_.threads <= 32;
    Op op = make(warp ? OpKind::warp : OpKind::barrier, me());
    if (warp) {
      op.function = static_cast<uint8_t>(device::WarpOp::sync);
      op.value = group_.threads == 32 ? 0xffffffffu : (1u << group_.threads) - 1;
    } else {
      op.function = 3;  // no vote
      op.value = static_cast<uint64_t>(group_.call.barrier);
      op.compare = group_.call.barrier_threads;
    }
    add(op);
    emu::Fiber::leave();  // until all threads of the group have come here
  }
  void spend(Overhead what, uint64_t items) override {
    gap_ += cost_of(*owner_.cluster_.gpu, what, scope(), threads(), items);
  }
  void repeat(const Loop& loop, const std::function<void(uint64_t)>& step) override {
    for (uint64_t i = 0; i < loop.count; ++i) step(i);
  }
  void put(const Put& put) override { put_by(scope(), put); }
  void put_each(const std::vector<Put>& puts) override {
    bool block = scope() == Scope::block;
    for (size_t i = block ? thread_ / 32 : 0; i < puts.size(); i += block ? warps() : 1)
      put_by(block ? Scope::warp : scope(), puts[i]);
  }
  void put_signal_each(const std::vector<Put>& puts, int slot) override {
    for (size_t i = thread_; i < puts.size(); i += threads()) {
      Op op = data(OpKind::put_signal, puts[i]);
      op.nbi = true;
      op.signal = word(pe(puts[i].peer), slot);
      op.value = 1;
      op.signal_op = Op::kSignalAdd;
      add(op);
    }
  }
  void signal(const Signal& s) override {
    Op op = make(OpKind::signal, s.peer);
    fill(op, s, word(pe(s.peer), s.slot));
    add(op);
  }
  void wait(int slot, uint64_t at_least) override { wait_for(word(group_.call.pe, slot), 8, true, at_least); }
  void signal_each(const std::vector<Signal>& signals) override {
    for (size_t i = thread_; i < signals.size(); i += threads()) signal(signals[i]);
  }
  void wait_each(const std::vector<SignalWait>& waits) override {
    for (size_t i = thread_; i < waits.size(); i += threads()) wait(waits[i].slot, waits[i].at_least);
  }
  void multicast(const Multicast&) override {
    SHMEMU_ASSERT(false, "a multicast on a team of a program; the chooser is told that these have none");
  }
  void fence() override {
    Op op = make(OpKind::fence, me());
    op.function = Op::kNvshmemFence;
    add(op);
  }
  void store_fence() override {
    Op op = make(OpKind::fence, me());
    op.function = Op::kSystemFence;
    add(op);
  }
  void quiet() override {
    Op op = make(OpKind::quiet, me());
    op.flags = group_.call.internal;  // a host barrier completes what the whole PE has issued
    add(op);
  }
  char* scratch(Area area) override {
    return reinterpret_cast<char*>(scratch_of(group_.call.pe) + owner_.scratch_.offset(area));
  }
  uint64_t scratch_bytes(Area area) const override { return owner_.scratch_.bytes(area); }
  uint64_t& state(Tally which, int member) override {
    return owner_.numbers_[{group_.call.pe.value, area_}](which, member);
  }
  void copy(void*, const void*, uint64_t) override {}
  void combine(void*, const void*, uint64_t) override {}
  void pack(Packing packing, void*, const void*, uint64_t, uint32_t flag) override { remember(packing, flag); }
  void receive_each(Packing packing, const std::vector<Receive>& blocks, uint32_t flag) override {
    for (size_t i = thread_; i < blocks.size(); i += threads()) {
      uint64_t end = reinterpret_cast<uint64_t>(blocks[i].packed) + packed_bytes(packing, blocks[i].bytes);
      if (blocks[i].bytes) wait_for(end - flag_bytes(packing), flag_bytes(packing), false, flag);
    }
    group_sync();
    remember(packing, flag);
    group_sync();
  }

 private:
  PeId pe(int peer) const { return {members_[static_cast<size_t>(peer)]}; }
  uint64_t scratch_of(PeId of) const {
    const RunLog& log = owner_.log_;
    return log.header.heap_base + static_cast<uint64_t>(of.value) * log.header.heap_stride + log.scratch +
           static_cast<uint64_t>(area_) * owner_.scratch_.total();
  }
  uint64_t word(PeId of, int slot) const {
    return scratch_of(of) + owner_.scratch_.offset(Area::signals) + static_cast<uint64_t>(slot) * 8;
  }
  // The packed data end with the flag.
  void remember(Packing packing, uint32_t flag) {
    group_.tail = flag_bytes(packing) == 8 ? flag : static_cast<uint64_t>(flag) << 32;
  }
  Op make(OpKind kind, int peer) const {
    Op op;
    op.kind = kind;
    op.issuer = group_.call.pe;
    op.target = pe(peer);
    return op;
  }
  Op data(OpKind kind, const Put& p) const {
    Op op = make(kind, p.peer);
    op.bytes = p.bytes;
    op.flags = p.packed ? Op::kPacked : Op::kAligned;
    uint64_t mine =
        owner_.log_.header.heap_base + static_cast<uint64_t>(group_.call.pe.value) * owner_.log_.header.heap_stride;
    op.remote = reinterpret_cast<uint64_t>(p.dest) - mine + owner_.log_.header.heap_base +
                static_cast<uint64_t>(op.target.value) * owner_.log_.header.heap_stride;
    op.local = reinterpret_cast<uint64_t>(p.source);
    return op;
  }
  void put_by(Scope s, const Put& p) {
    if (scope() == Scope::warp && thread_ >= 32) return;  // a warpgroup's first warp moves the data
    Op op = data(OpKind::put, p);
    op.scope = s;
    add(op);
    if (p.packed && p.bytes >= traces::kTail) out_.back().payload = Payload(&group_.tail, traces::kTail);
  }
  void wait_for(uint64_t address, uint64_t bytes, bool at_least, uint64_t value) {
    Op op = make(OpKind::wait, me());
    op.remote = address;
    op.bytes = bytes;
    op.type = bytes == 8 ? SHMEMU_U64 : SHMEMU_U32;
    op.function = at_least ? Op::kAtLeast : Op::kEqual;
    op.value = value;
    add(op);
  }
  void add(const Op& op) {
    out_.push_back({op, {}, gap_, {}});
    gap_ = {};
  }

  CollectiveRecorder& owner_;
  Group& group_;
  int area_;
  std::vector<int> members_;
  uint32_t thread_;
  std::vector<traces::LaneEntry>& out_;
  Time gap_;
};

void CollectiveRecorder::record(const CollectiveCall& call,
                                const std::vector<std::vector<traces::LaneEntry>*>& threads) {
  Group group{call, static_cast<uint32_t>(threads.size())};
  const std::vector<int>& members = call.members;
  struct Thread {
    Endpoint at;
    const CollectiveCall& call;
    Algorithm algorithm;
    const CollectiveSettings& settings;
  };
  std::vector<std::unique_ptr<Thread>> all;
  Algorithm algorithm = Algorithm::sync_dissemination;
  emu::StackPool stacks(kStack, threads.size());
  std::vector<emu::Fiber*> fibers;
  for (uint32_t t = 0; t < threads.size(); ++t) {
    Endpoint at(*this, group, call.team, members, t, *threads[t]);
    if (t == 0) {
      Situation s;
      s.collective = call.collective;
      s.scope = call.scope;
      s.count = call.call.count;
      s.element_bytes = call.call.element_bytes;
      s.floating = call.floating;
      s.sum = call.sum;
      s.in_place = call.in_place;
      s.pes = at.size();
      s.world = s.pes == log_.header.pes;
      s.all_load_store = at.all_load_store();
      const Placement& p = cluster_.placement;
      s.one_node =
          std::all_of(members.begin(), members.end(), [&](int m) { return p.node_of({m}) == p.node_of(call.pe); });
      s.block_distributed = s.world && (s.one_node || s.pes % p.gpus_per_node == 0);
      algorithm = choose(s, cluster_.settings).algorithm;
    }
    all.push_back(std::make_unique<Thread>(Thread{std::move(at), call, algorithm, cluster_.settings}));
    fibers.push_back(stacks.take());
    fibers.back()->start(
        [](void* p) {
          auto& t = *static_cast<Thread*>(p);
          run(t.at, t.call.collective, t.algorithm, t.settings, t.call.call);
        },
        all.back().get());
  }
  // every round ends at the next meeting of the group, which all threads reach equally often
  for (bool more = true; more;) {
    more = false;
    for (emu::Fiber* f : fibers)
      if (!f->finished()) f->enter(), more |= !f->finished();
  }
}

}  // namespace shmemu::gpu
