// Identities that must not mix: a PE is not a team, a GPU is not a node. Values.
#pragma once
#include <compare>
#include <cstdint>

namespace shmemu {

template <class Tag>
struct Id {
  int32_t value = 0;
  constexpr auto operator<=>(const Id&) const = default;
};

using PeId = Id<struct PeTag>;
using TeamId = Id<struct TeamTag>;
using GpuId = Id<struct GpuTag>;

}  // namespace shmemu
