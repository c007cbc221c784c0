// The calling threads of one PE as a member of a team: what the algorithms of src/collectives use in a running kernel,
// with real data. Each thread of the group makes its own.
#pragma once
#include <memory>
#include <vector>

#include "collectives/endpoint.hpp"
#include "emu/api/thread_group.hpp"
#include "emu/core/current.hpp"
#include "emu/core/world.hpp"

namespace shmemu::emu {

// Start of a team's scratch memory on a PE.
uint64_t scratch_of(const World& world, PeId pe, int team);
// As new: for a handle that is used again.
void clear_scratch(World& world, PeId pe, int team);
bool reach_each_other(World& world, const std::vector<PeId>& members);

class TeamEndpoint final : public Endpoint {
 public:
  struct Element {
    int type = 0, op = 0;  // shmemu_type and shmemu_reduce_op of a reduction
  };
  // `scope`: shmemu_scope; a warpgroup counts as a large warp whose first 32 threads move the data.
  TeamEndpoint(int team, Members members, int index, int scope, Element element, uint64_t site)
      : team_(team),
        members_(std::move(members)),
        index_(index),
        group_(scope),
        scope_(scope == SHMEMU_WARPGROUP ? Scope::warp : static_cast<Scope>(scope)),
        element_(element),
        site_(site) {}
  int me() const override { return index_; }
  int size() const override { return static_cast<int>(members_->size()); }
  Scope scope() const override { return scope_; }
  uint32_t threads() const override { return group_.size; }
  bool load_store(int peer) const override;
  bool all_load_store() const override;
  std::unique_ptr<Endpoint> part(Part which) override;
  bool leader() const override { return group_.index == 0; }
  void group_sync() override { group_.sync(); }
  void spend(Overhead what, uint64_t items) override;
  void repeat(const Loop& loop, const std::function<void(uint64_t)>& step) override;
  void put(const Put& put) override { put_by(scope_, put); }
  void put_each(const std::vector<Put>& puts) override;
  void put_signal_each(const std::vector<Put>& puts, int slot) override;
  void signal(const Signal& signal) override;
  void wait(int slot, uint64_t at_least) override;
  void signal_each(const std::vector<Signal>& signals) override;
  void wait_each(const std::vector<SignalWait>& waits) override;
  void multicast(const Multicast& multicast) override;
  void fence() override;
  void quiet() override;
  void store_fence() override;
  char* scratch(Area area) override;
  uint64_t scratch_bytes(Area area) const override;
  uint64_t& state(Tally which, int member) override;
  void copy(void* dest, const void* source, uint64_t bytes) override;
  void combine(void* dest, const void* source, uint64_t count) override;
  void pack(Packing packing, void* dest, const void* source, uint64_t bytes, uint32_t flag) override;
  void receive_each(Packing packing, const std::vector<Receive>& blocks, uint32_t flag) override;

 private:
  Op make(OpKind kind, int peer) const;
  uint64_t word(PeId pe, int slot) const;
  void put_by(Scope scope, const Put& put);
  void wait_for_word(uint64_t address, uint64_t bytes, bool at_least, uint64_t value);
  const int team_;
  const Members members_;
  int index_;
  const ThreadGroup group_;
  const Scope scope_;
  Element element_;
  uint64_t site_;
};

}  // namespace shmemu::emu
