// Collective algorithms in time, without data: each PE's group of threads is one fiber that runs src/collectives over
// an Endpoint whose steps are events of the transports. Gives the same virtual times as the same calls in a running
// program (src/device, src/emu/api/team_endpoint.cpp), because it charges the same costs at the same moments; a test
// compares them. One TimedTeam per prediction; one OS thread.
#pragma once
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "collectives/algorithms.hpp"
#include "device/actor.hpp"
#include "device/l1.hpp"
#include "emu/cpu/fiber.hpp"
#include "model/event_queue.hpp"
#include "model/fabric.hpp"
#include "model/placement.hpp"
#include "model/platform.hpp"
#include "predict/step_memory.hpp"
#include "transports/router.hpp"

namespace shmemu::predict {

struct TeamShape {
  int pes = 1;
  Placement where;
  Scope scope = Scope::block;
  uint32_t threads = 256;
  bool kernel_per_call = false;  // on a stream: every call is a kernel of its own
  bool graph = false;            // … of a CUDA graph
  // So many alike blocks per PE share a call, each with its part of the elements and a team of its own (NVSHMEM's
  // duplicate teams).
  int blocks = 1;
  // PEs p and p + `classes` do and meet the same at the same times, so that only the first `classes` are gone through;
  // 0: all are. See classes_of.
  int classes = 0;
};
// How few PEs stand for all of them when they run `algorithm`: it must look the same from everywhere, as must the nodes
// and the switches between them.
// `count`: elements of the call; where each PE has a part of its own, they must be equal.
int classes_of(const Platform& platform, const TeamShape& shape, Algorithm algorithm, uint64_t count,
               const CollectiveSettings& settings);

struct Timing {
  Time last;              // until the last PE has finished all calls
  Time first_pe;          // until PE 0 has
  uint64_t messages = 0;  // puts and signals that were sent, by the PEs that were gone through and those they stand for
  uint64_t events = 0;
  int simulated = 0;  // PEs
  Time skipped;       // on PE 0: steps that were found to repeat the ones before exactly
  Time unlike;  // zero, or by how much a step that was gone through differed from what was expected of it: messages
                // met at a port that do not else
};

class TimedTeam : private TransferSink {
 public:
  TimedTeam(const Platform& platform, TeamShape shape, const CollectiveSettings& settings,
            const NvshmemSettings& transports, bool fold);
  ~TimedTeam() override;
  // All PEs start at once and make `calls` calls, one after the other. Once per team.
  Timing run(Collective collective, Algorithm algorithm, uint64_t count, uint64_t element_bytes, int calls, int root,
             const std::function<void()>& tick = {});

 private:
  class Group;
  class GroupEndpoint;
  struct Transit;
  void issued(Transfer&) override;
  void delivered(Transfer&) override;
  void returned(Transfer&) override;
  Transit& fresh_transit();
  uint64_t ways(int first, int count);
  uint64_t way_to(int distance);
  uint64_t look_of(PeId from, PeId to) const;  // equal for alike ways
  bool repeats(size_t loop, uint64_t known_until, uint64_t period) const;
  Group& stand_in(PeId pe, int block) {
    size_t blocks = static_cast<size_t>(shape_.blocks), pes = groups_.size() / blocks;
    return *groups_[static_cast<size_t>(pe.value) % pes * blocks + static_cast<size_t>(block)];
  }

  const Platform& platform_;
  const TeamShape shape_;
  const CollectiveSettings settings_;
  const bool fold_;
  const Scratch scratch_;
  EventQueue queue_;
  Router router_;
  emu::StackPool stacks_;
  std::vector<std::unique_ptr<Group>> groups_;  // by PE, then by block
  struct Meeting {                              // of the blocks of a PE
    int arrived = 0;
    Time latest;
    std::vector<Group*> waiting;
  };
  std::vector<Meeting> meetings_;
  std::vector<std::vector<PeId>> nodes_, columns_;
  std::vector<PeId> everybody_;
  std::optional<Fabric> fabric_;
  std::vector<uint64_t> way_to_;  // by distance; 0: not asked yet
  std::map<std::vector<uint8_t>, uint64_t> ways_;
  StepMemory steps_;
  std::map<uint64_t, StepLoop> loops_;  // by number
  std::vector<std::unique_ptr<Transit>> transits_;
  std::vector<Transit*> idle_;
  Timing timing_;
};

}  // namespace shmemu::predict
