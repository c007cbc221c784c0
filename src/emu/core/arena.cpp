#include "emu/core/arena.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/time.hpp"

namespace shmemu::emu {
namespace {

constexpr uint64_t kCommitStep = 2 << 20;

}  // namespace

Arena::Arena(uint64_t base, uint64_t stride, int slots)
    : base_(base), stride_(stride), slots_(static_cast<size_t>(slots), Slot(stride)) {
  void* wanted = reinterpret_cast<void*>(base);
  void* got = mmap(wanted, stride * static_cast<uint64_t>(slots), PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got != wanted)
    throw UserError(ExitCode::program_failed,
                    fmt::format("cannot reserve {} of address space at {:#x}: {}; another World of this process may hold "
                                "it, or an address space limit (ulimit -v) is set",
                                bytes_to_text(stride * static_cast<uint64_t>(slots)), base, std::strerror(errno)));
}

Arena::~Arena() { munmap(reinterpret_cast<void*>(base_), stride_ * slots_.size()); }

std::byte* Arena::allocate(int slot, uint64_t bytes, uint64_t alignment, const char* what, uint64_t site) {
  Slot& s = slots_[static_cast<size_t>(slot)];
  auto offset = s.allocator.allocate(bytes, alignment);
  if (!offset) return nullptr;
  uint64_t end = *offset + std::max(FirstFit::rounded(bytes), FirstFit::kAlignment);
  if (end > s.committed) {
    uint64_t upto = std::min((end + kCommitStep - 1) / kCommitStep * kCommitStep, stride_);
    if (mprotect(reinterpret_cast<void*>(this->base(slot) + s.committed), upto - s.committed, PROT_READ | PROT_WRITE)) {
      s.allocator.release(*offset, bytes);
      return nullptr;
    }
    s.committed = upto;
  }
  s.live[*offset] = {*offset, bytes, site, s.count++, what};
  s.released.erase(*offset);
  return reinterpret_cast<std::byte*>(this->base(slot) + *offset);
}

bool Arena::release(uint64_t address) {
  if (!contains(address)) return false;
  int slot = slot_of(address);
  Slot& s = slots_[static_cast<size_t>(slot)];
  auto at = s.live.find(address - base(slot));
  if (at == s.live.end()) return false;
  // give whole pages back, so that a run that allocates in a loop stays small
  constexpr uint64_t kPage = 4096;
  uint64_t from = (address + kPage - 1) / kPage * kPage, to = (address + at->second.bytes) / kPage * kPage;
  if (to > from) madvise(reinterpret_cast<void*>(from), to - from, MADV_DONTNEED);
  s.allocator.release(at->first, at->second.bytes);
  s.released[at->first] = at->second;
  s.live.erase(at);
  return true;
}

const Allocation* Arena::find(uint64_t address) const {
  if (!contains(address)) return nullptr;
  const Slot& s = slots_[static_cast<size_t>(slot_of(address))];
  auto at = s.live.upper_bound(address - base(slot_of(address)));
  return at == s.live.begin() ? nullptr : &std::prev(at)->second;
}

const Allocation* Arena::last_released(uint64_t address) const {
  if (!contains(address)) return nullptr;
  uint64_t offset = address - base(slot_of(address));
  const Slot& s = slots_[static_cast<size_t>(slot_of(address))];
  auto at = s.released.upper_bound(offset);
  if (at == s.released.begin()) return nullptr;
  const Allocation& a = std::prev(at)->second;
  return offset < a.offset + std::max<uint64_t>(a.bytes, 1) ? &a : nullptr;
}

bool Arena::valid(uint64_t address, uint64_t bytes) const {
  const Allocation* a = find(address);
  uint64_t offset = a ? address - base(slot_of(address)) : 0;
  return a && offset - a->offset <= a->bytes && bytes <= a->bytes - (offset - a->offset);
}

}  // namespace shmemu::emu
