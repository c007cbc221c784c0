// A World owns everything of one run: clock, platform, heaps, transports, PEs, random source, report. Nothing of it is
// global; the C API finds it through core/current.hpp.
#pragma once
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/errors.hpp"
#include "base/random.hpp"
#include "collectives/scratch.hpp"
#include "device/machine.hpp"
#include "emu/check/checker.hpp"
#include "emu/core/arena.hpp"
#include "emu/core/options.hpp"
#include "emu/core/pe.hpp"
#include "emu/core/symbols.hpp"
#include "emu/cpu/fiber.hpp"
#include "emu/cpu/image.hpp"
#include "emu/cpu/kernel_program.hpp"
#include "model/event_queue.hpp"
#include "model/placement.hpp"
#include "model/platform.hpp"
#include "report/run_report.hpp"
#include "transports/router.hpp"
#include "transports/settings.hpp"

namespace shmemu::emu {

class World : private device::HostProgram {
 public:
  explicit World(RunOptions options);
  ~World() override;
  // Loads the program into every PE and runs until all have ended. UserError with the exit code otherwise.
  void run();

  int pes() const { return static_cast<int>(all_pes.size()); }
  int gpu_count() const { return placement.gpus(); }
  int gpus_per_node() const { return placement.gpus_per_node; }
  int node_of(PeId pe) const { return placement.node_of(pe); }

  // Handles of teams, the predefined ones among them. NVSHMEM raises NVSHMEM_MAX_TEAMS to 64 where GPUs have multicast.
  int most_teams() const {
    bool multicast = platform.gpu.collectives.multicast_rate.bytes_per_second > 0 && !settings.disable_nvls;
    return multicast ? std::max(settings.max_teams, 64) : settings.max_teams;
  }
  // Room for them, and for two that the library uses inside a collective on WORLD.
  int node_part() const { return std::max(settings.max_teams, 64); }
  int column_part() const { return node_part() + 1; }

  const RunOptions options;
  const Platform platform;
  const Placement placement;
  const NvshmemSettings settings;
  const CollectiveSettings collective_settings;  // of the environment in which the run was started
  const Scratch scratch;                         // of every team
  EventQueue queue;
  Random random;
  Arena heap;           // slot = PE
  Arena device_memory;  // slot = GPU
  std::vector<std::unique_ptr<Pe>> all_pes;
  RunReport report;
  // by rule, whether it is a note, and both sites → finding
  std::map<std::tuple<std::string_view, bool, uint64_t, uint64_t>, size_t> broken_rules;
  Symbols symbols;

 private:
  class HostMemory : public device::Memory {
   public:
    std::byte* at(uint64_t address, uint64_t) override { return reinterpret_cast<std::byte*>(address); }
  };
  HostMemory memory_;

 public:
  std::unique_ptr<checks::Checker> checker;  // with --check
  Router router;
  device::Machine machine;
  WorkerPool workers;

  // Set by `fail` on a fiber; thrown on the scheduler's stack.
  std::optional<UserError> failure;
  void throw_failure();
  // Writes whose address the library would have translated twice (sym.peer-mapping): they arrive nowhere.
  struct Astray {
    std::string error;                // the first one
    std::vector<std::string> writes;  // who, where, and what they would have hit
  };
  std::optional<Astray> astray;
  uint64_t image_span() const { return image_->span(); }
  bool in_stack_guard(uint64_t address) const {
    return workers.stacks().in_guard(address) || host_stacks_.in_guard(address);
  }

  // Jobs by their members: usually one, of all PEs.
  std::map<std::vector<PeId>, std::shared_ptr<Job>> jobs;
  // Teams under construction: the first member to call a split settles the handle for all members.
  struct SplitKey {
    int parent;  // team; -1 for an active set, which has no parent
    uint64_t generation, split;
    PeId first_of_parent, first_of_team;
    auto operator<=>(const SplitKey&) const = default;
  };
  std::map<SplitKey, int> splits;
  // Who has come to a meeting, by its key and the rank they gave (api/meeting.hpp).
  std::map<uint64_t, std::vector<PeId>> meetings;
  // Collectives under way: the n-th of a team must be the same on all members. Gone when all have called it.
  struct TeamCall {
    int kind, type, op, root;
    uint64_t bytes;
    PeId first;
    uint64_t site;
    const char* name = "";  // of the call; of the one that has this collective inside
    std::vector<PeId> callers;
  };
  // by handle, first member and number: teams that live at the same time and share a handle have no member in common
  std::map<std::tuple<int, PeId, uint64_t>, TeamCall> team_calls;
  // The n-th request for teams out of one team, by handle, generation, number and first member: all members must ask
  // for the same.
  struct SplitRequest {
    std::vector<int> wanted;
    PeId first;
    uint64_t site;
    const char* call;
    std::string text;
    size_t callers = 0;
  };
  std::map<std::tuple<int, uint64_t, uint64_t, PeId>, SplitRequest> split_requests;

 private:
  void run(device::Host& host) override;
  void pe_main(Pe& pe);
  StackPool host_stacks_;
  std::unique_ptr<Image> image_;
};

}  // namespace shmemu::emu
