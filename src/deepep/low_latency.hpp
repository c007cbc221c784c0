// DeepEP V1 low-latency dispatch and combine, message by message: blocks cast their tokens, each selection is one RDMA
// write on its expert's queue pair or one NVLink copy, a doorbell every fourth, a count per expert behind the data,
// pollers on the other side. Two buffers take turns, so a rank may run one operation ahead of another. Protocol:
// docs/design/deepep.md. One object per run; one thread.
#pragma once
#include <memory>
#include <vector>

#include "deepep/results.hpp"
#include "deepep/routing.hpp"
#include "deepep/sizes.hpp"
#include "deepep/spans.hpp"
#include "deepep/wire.hpp"

namespace shmemu::deepep {

class LowLatency : public WireSink {
 public:
  LowLatency(const Platform& platform, const Costs& costs, const Setup& setup, const Routing& routing);
  // Pairs of dispatch and combine; all ranks wait for each other before a pair, as the script's all-reduce makes them.
  Results run(Spans* spans);

 private:
  // One operation of one rank.
  struct Phase {
    Time start, issued, flags_seen, end, receive_at, hook;
    bool active = false, sends_known = false;
    std::vector<uint16_t> left;   // dispatch: selections of an expert not yet issued
    std::vector<uint16_t> slots;  // dispatch: messages of an expert so far
    std::vector<Time> last;       // dispatch: last of them issued; combine: by group
    std::vector<Time> block_end;  // dispatch; max() while the block works
    Time last_announced;
    int announced = 0, flags = 0, received = 0;
    std::vector<std::pair<int32_t, int32_t>>
        waiting;  // counts (source, local expert) seen before the sends were through
  };
  struct Rank {
    int op = -1;  // operations begun so far, less one
    Phase phases[2];
    Server memory;
    Random random{0};
  };
  bool is_dispatch(int op) const { return op % 2 == 0; }
  Phase& phase(int rank, int op) { return ranks_[static_cast<size_t>(rank)].phases[op % 2]; }
  bool by_adapter(int a, int b) const;
  int selections(int rank, int expert) const {
    return counts_[static_cast<size_t>(rank) * static_cast<size_t>(setup_.experts) + static_cast<size_t>(expert)];
  }
  Time step(int n) const { return costs_.ll.step * n; }
  int64_t rounds(uint64_t bytes) const {
    return static_cast<int64_t>((bytes + costs_.ll.copy_trip - 1) / costs_.ll.copy_trip);
  }
  uint64_t tag(int op, int local) const { return static_cast<uint64_t>(op) << 32 | static_cast<uint32_t>(local); }

  void begin_pair();
  void begin(int rank);
  void begin_dispatch(int rank, int op);
  void send_token(int rank, int op, int block, int token);
  Time over_nvlink(int from, int to, uint64_t bytes);
  void block_done(int rank, int op, int block, Time at);
  void announce(int rank, int op, int expert);
  void sends_done(int rank, int op, Time at);
  void begin_combine(int rank, int op);
  void send_group(int rank, int op, int local, int owner, int first);
  void group_done(int rank, int op, int local, int owner, Time last);
  void flag(int from, int to, int op, int local);
  void receive_pair(int rank, int op, int from, int local);
  void maybe_reduce(int rank, int op);
  void finish(int rank, int op, Time at);
  void arrived(int from, int to, uint64_t tag) override;
  OpResult result(const std::string& name, int parity) const;
  // Of an operation with a hook: its two kernels.
  OpResult half(const OpResult& whole, bool receive) const;

  const Platform& platform_;
  const Costs& costs_;
  const Setup& setup_;
  const Routing& routing_;
  EventQueue events_;
  NvLink links_;
  std::unique_ptr<Wire> wire_;
  std::vector<uint16_t> counts_;  // [source rank][expert]
  std::vector<Rank> ranks_;
  std::vector<std::vector<RankTimes>> samples_;  // [op][rank]
  int finished_ = 0;                             // ranks that are through with the pair
  Time pair_start_, pair_end_;
  Random starts_;
  int per_node_, ops_, groups_, warps_, blocks_;
  uint64_t dispatch_bytes_, combine_bytes_;
  Spans* spans_ = nullptr;
};

}  // namespace shmemu::deepep
