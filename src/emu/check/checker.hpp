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
  void allocated(uint64_t address, uint64_t bytes);
  void freed(PeId pe, uint64_t address, uint64_t bytes, uint64_t site);

 private:
  struct Block {
    uint64_t number = 0;
    Event at;
    std::vector<Strand> threads;
    Strand whole;                                        // of a block that runs as one
    std::map<int, std::shared_ptr<Knowledge>> arrivals;  // at barriers, of threads that did not wait
  };
  struct CommandState {
    Strand strand;
    bool finished = false;
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
  CommandState& command(PeId pe, uint64_t number) { return commands_[{pe, number}]; }
  void record(Strand& who, Op& op);
  void access(Strand& who, Access a);
  void add(Strand& who, uint32_t number, uint64_t address, uint64_t bytes);
  // Reports what is wrong between the two; true if `earlier` need not be remembered.
  bool compare(const Strand& who, const Access& earlier, const Access& later);
  bool ordered(const Strand& who, const Access& earlier, const Access& later) const;
  void report(const char* rule, const std::string& what, const std::string& remedy, const Access& earlier,
              const Access& later, bool note = false);
  Access made_by(const Strand& who, How how, OpKind op, uint64_t address, uint64_t bytes, uint64_t site) const;
  Knowledge announce(const Release& release);
  void waited(Strand& who, uint64_t word, const Op& op, uint64_t value);
  void native_update(Strand& who, const Op& op);
  void fence(Strand& who, bool completes, uint64_t site);
  void tell(Strand& who);
  void learn_from_others(Strand& who);
  void finish_wait(Strand& who, PeId pe, uint64_t command);
  bool in_heap(uint64_t address) const;
  FindingPlace place(const Access& a) const;

  World& world_;
  Accesses accesses_;
  Shadow shadow_;
  Flags flags_;
  std::unordered_map<const device::Cta*, Block> blocks_;
  std::map<PeId, Strand> hosts_;
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
  std::set<std::string> names_;
  uint64_t blocks_seen_ = 0;
};

}  // namespace shmemu::emu::checks
