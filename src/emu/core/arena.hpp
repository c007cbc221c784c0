// A reserved address range cut into equal slots, one per PE (symmetric heaps) or GPU (device memory), each with its
// allocator and its list of allocations. Addresses are the same in every run. Memory is committed when touched; pages
// that were never allocated fault. Owner: the World.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "emu/core/first_fit.hpp"

namespace shmemu::emu {

struct Allocation {
  uint64_t offset = 0, bytes = 0;
  uint64_t site = 0;    // call site of the allocation
  uint32_t number = 0;  // counts allocations of the slot
  const char* what = "";
};

class Arena {
 public:
  Arena(uint64_t base, uint64_t stride, int slots);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  uint64_t base(int slot) const { return base_ + static_cast<uint64_t>(slot) * stride_; }
  uint64_t stride() const { return stride_; }
  uint64_t bytes() const { return stride_ * slots_.size(); }
  bool contains(uint64_t address) const { return address >= base_ && address < base_ + stride_ * slots_.size(); }
  int slot_of(uint64_t address) const { return static_cast<int>((address - base_) / stride_); }

  // Null when the slot is full.
  std::byte* allocate(int slot, uint64_t bytes, uint64_t alignment, const char* what, uint64_t site);
  // False if `address` is not the start of a live allocation.
  bool release(uint64_t address);
  // The live allocation that holds `address`, or the nearest one before it (look at its size).
  const Allocation* find(uint64_t address) const;
  const Allocation* last_released(uint64_t address) const;
  // Whether [address, address + bytes) lies in one live allocation.
  bool valid(uint64_t address, uint64_t bytes) const;
  uint64_t used(int slot) const { return slots_[static_cast<size_t>(slot)].allocator.used(); }

 private:
  struct Slot {
    explicit Slot(uint64_t capacity) : allocator(capacity) {}
    FirstFit allocator;
    uint64_t committed = 0;
    uint32_t count = 0;
    std::map<uint64_t, Allocation> live, released;  // by offset
  };
  uint64_t base_, stride_;
  std::vector<Slot> slots_;
};

}  // namespace shmemu::emu
