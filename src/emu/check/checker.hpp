// The memory-model engine behind `shmemu run --check`: follows who knows what (strand.hpp), remembers who touched which
// bytes of the symmetric heaps (shadow.hpp), and reports pairs whose order nothing guarantees (rules.hpp). It looks at
// the order that a program has asked for, not at the one it got, so a mistake shows in every run. Hears of operations
// from the Machine (Witness), of collectives, allocations and plain accesses from the API. Owner: the World; changes
// nothing in a run.
#pragma once
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "device/machine.hpp"
#include "device/witness.hpp"
#include "emu/check/flags.hpp"
#include "emu/check/rules.hpp"
#include "emu/check/shadow.hpp"
#include "emu/check/strand.hpp"
#include "report/findings.hpp"

namespace shmemu::emu {
class World;
}

namespace shmemu::emu::checks {

// A collective operation as its members agree on it.
struct Collective {
  int team = 0;
  PeId first_member;
  uint64_t number = 0;  // of the team's collectives
  size_t members = 0;
  bool completes = false;    // barrier: operations issued before are complete after it
  bool sync_only = false;    // a sync
  std::optional<PeId> root;  // only the root's data flows
  bool leader = false;       // of the calling threads: reports the data
  uint64_t source = 0, source_bytes = 0, dest = 0, dest_bytes = 0;
  uint64_t site = 0;
  const char* call = "";
};

class Checker final : public device::Witness {
 public:
  explicit Checker(World& world) : world_(world), shadow_(accesses_) {}

  void issued(device::Actor& actor, Op& op) override;
  void requested(const std::vector<device::Lane*>& group, Op& op) override;
  void resumes(device::Actor& actor) override;
  void delivered(const Op& op) override;
  void arrived(device::Cta& cta, int barrier, device::Lane& lane) override;
  void left(device::Cta& cta, int barrier, const std::vector<device::Lane*>& lanes) override;
  void met(const std::vector<device::Lane*>& lanes) override;
  void submitted(device::Host& host, const device::Command& command) override;
  void follows(const device::Command& command, const device::Command& earlier) override;
  void began(const device::Command& command) override;
  void finished(const device::Command& command) override;
  void awaits(device::Host& host, const device::Command& command) override;
  void started(const device::Grid& grid) override;
  void ended(const device::Cta& cta) override;

  // By the running thread: the host found `command` finished without waiting for it.
  void learned(device::Host& host, const device::Command& command);
  void learned(device::Host& host, uint64_t word);  // … the counter of arrived messages
  // Between the two, the operations of the thread are steps of the collective. What it tells counts for the leader.
  void enter(Strand& who, Collective collective);
  void leave(Strand& who);
  Strand& strand(device::Actor& actor);
  // A plain access of compiled code to the heaps; by a block that runs as one when `lane` is null.
  void touched(device::Lane* lane, const device::Cta* cta, PeId pe, uint64_t address, uint64_t bytes, bool write,
               bool is_volatile, uint64_t site);
  // A copy or fill that is under way.
  void moved(const device::Command& command, uint64_t address, uint64_t bytes, bool write, uint64_t site);
  void cleared(PeId pe, uint64_t address, uint64_t bytes, uint64_t site);  // by the host, as a part of an allocation
  // `filled`: the library itself gives it contents.
  void allocated(uint64_t address, uint64_t bytes, bool filled);
  void freed(PeId pe, uint64_t address, uint64_t bytes, uint64_t site);

 private:
  // The record of plain accesses at a place: by site, the address thread 0 would access, and what is done.
  struct Group {
    uint64_t site = 0, base = 0, what = 0;
    bool operator==(const Group&) const = default;
  };
  struct GroupHash {
    size_t operator()(const Group& g) const {
      uint64_t h = g.site * 0x9e3779b97f4a7c15ull ^ g.base * 0xc2b2ae3d27d4eb4full ^ g.what;
      return h ^ h >> 29;
    }
  };
  // What its threads have accessed since the last flush: [low, high), of which the shadow has not heard yet. Threads go
  // through their groups in one order, so each group knows which one came next.
  struct GroupState {
    Group place;
    uint64_t low = 0, high = 0;
    uint64_t command = 0;  // of the event, as its epochs: another one needs another record
    uint32_t block_epoch = 0, warp_epoch = 0, thread_epoch = 0;
    uint32_t access = UINT32_MAX, next = 0;
    bool waiting = false;
    bool same_moment(const Event& e) const {
      return command == e.command && block_epoch == e.block_epoch && warp_epoch == e.warp_epoch &&
             thread_epoch == e.thread_epoch;
    }
  };
  struct Groups {
    std::unordered_map<Group, uint32_t, GroupHash> by_place;  // → states
    std::vector<GroupState> states;
    std::vector<uint32_t> waiting;
    uint32_t last = 0;
    GroupState& find(const Group& place);
  };
  struct Block {
    uint64_t number = 0;
    Event at;
    std::vector<Strand> threads;
    Strand whole;                                        // of a block that runs as one
    std::map<int, std::shared_ptr<Knowledge>> arrivals;  // at barriers, of threads that did not wait
    Groups groups;
  };
  struct CommandState {
    Strand strand;
    bool finished = false;
    uint64_t site = 0;  // of the launch
    std::string name;
    std::vector<std::pair<PeId, uint64_t>> after;  // commands it follows
  };
  struct Meeting {  // a collective under way
    std::map<PeId, Knowledge> told;
    std::shared_ptr<const Knowledge> all;  // when every member has told
    size_t left = 0;
  };
  struct LastFence {
    Event at;
    std::shared_ptr<const Knowledge> knowledge;
    Time when;
    uint64_t site = 0;
  };
  using MeetingKey = std::tuple<int, PeId, uint64_t>;
  using CommandKey = std::pair<PeId, uint64_t>;

  Block& block(const device::Cta& cta);
  Strand& host(PeId pe);
  Strand& unflushed(device::Actor& actor);  // `strand` for a look
  // Plain accesses are added to the shadow in one go, before a thread of their block (or their host) does anything that
  // others could learn of, or learns something itself.
  void flush(Groups& groups, Strand& who, Block* block);
  void flush_one(GroupState& group, Strand& who, Block* block);
  void flush_all();
  void learn_now(Strand& who, Block* its_block, PeId pe, const Knowledge& k);
  CommandState& command(PeId pe, uint64_t number) { return commands_[{pe, number}]; }
  void record(Strand& who, Op& op);
  void access(Strand& who, Access a);
  void add(Strand& who, uint32_t number, uint64_t address, uint64_t bytes);
  // Reports what is wrong between the two; true if `earlier` need not be remembered.
  bool compare(const Strand& who, const Access& earlier, const Access& later, uint64_t begin, uint64_t end);
  bool ordered(const Strand& who, const Access& earlier, const Access& later, uint64_t at) const;
  void report(const char* rule, const std::string& what, const std::string& remedy, const Access& earlier,
              const Access& later, bool note = false);
  Access made_by(const Strand& who, How how, OpKind op, uint64_t address, uint64_t bytes, uint64_t site) const;
  Knowledge announce(const Release& release);
  void overwritten(uint64_t address, uint64_t bytes);
  // Rule sym.uninitialised, where plain stores are seen. Before `a` is remembered as an access.
  void read_of_fresh(const Access& a);
  void wait_for_fresh(const Strand& who, const Access& wait);
  // Rule order.source-reuse for sources in a thread's own memory, which the shadow does not cover.
  void keep_source(Strand& who, const Op& op, const Access& put);
  void look_at_sources(Strand& who, bool ends);
  // Rule stream.false-dependency: `who`, a kernel, was let go by later work of another stream of its PE.
  void freed_by_later_work(const Strand& who, const Knowledge& learned, const Access& wait);
  void waited(Strand& who, uint64_t word, const Op& op, uint64_t value);
  void native_update(Strand& who, const Op& op);
  void fence(Strand& who, bool completes, uint64_t site);
  void tell(Strand& who);
  void learn_from_others(Strand& who);
  void finish_wait(Strand& who, PeId pe, uint64_t command);
  bool in_heap(uint64_t address) const;
  bool reports_accesses() const;  // the program was built by `cc --check`
  FindingPlace place(const Access& a) const;

  World& world_;
  Accesses accesses_;
  Shadow shadow_;
  Flags flags_;
  std::unordered_map<const device::Cta*, Block> blocks_;
  std::map<PeId, Strand> hosts_;
  std::map<PeId, Groups> host_groups_;
  std::map<CommandKey, CommandState> commands_;
  std::unordered_map<const device::Grid*, uint64_t> grids_;  // → command
  std::map<PeId, uint64_t> beginning_;                       // the command that began last
  std::map<PeId, CommandKey> awaited_;
  std::map<MeetingKey, Meeting> meetings_;
  std::unordered_map<const Strand*, Collective> leading_;
  std::unordered_map<uint64_t, std::shared_ptr<const Release>> in_flight_;  // by ticket
  std::unordered_map<uint64_t, std::shared_ptr<const Knowledge>> fetched_;  // ticket → what the word announced
  std::map<PeId, uint64_t> tickets_;
  std::map<PeId, std::vector<LastFence>> last_fences_;
  std::unordered_map<uint64_t, Event> first_flags_;  // words whose first write announces something
  std::set<std::string> names_;
  uint64_t blocks_seen_ = 0;
  Block* flushing_ = nullptr;  // the block whose threads' accesses are added
};

}  // namespace shmemu::emu::checks
