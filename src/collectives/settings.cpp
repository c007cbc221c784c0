#include "collectives/settings.hpp"

#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "collectives/scratch.hpp"

namespace shmemu {
namespace {

// A number with an optional suffix k, m, g or t (NVSHMEM 3.3.9, environment variables).
uint64_t size_of(const std::string& name, const char* text, uint64_t least, uint64_t most) {
  char* end = nullptr;
  double value = std::strtod(text, &end);
  switch (*end | 0x20) {
    case 't':
      value *= 1024;
      [[fallthrough]];
    case 'g':
      value *= 1024;
      [[fallthrough]];
    case 'm':
      value *= 1024;
      [[fallthrough]];
    case 'k':
      value *= 1024;
      ++end;
  }
  if (end == text || *end || !(value >= static_cast<double>(least)) || value > static_cast<double>(most))
    throw UserError(ExitCode::usage, fmt::format("{}: '{}' is no number from {} to {}", name, text, least, most));
  return static_cast<uint64_t>(value);
}

}  // namespace

CollectiveSettings read_collective_settings(const std::function<const char*(const char*)>& variable) {
  CollectiveSettings s;
  auto read = [&](const char* name, auto& out, uint64_t least, uint64_t most) {
    std::string full = std::string("NVSHMEM_") + name;
    if (const char* text = variable(full.c_str()))
      out = static_cast<std::decay_t<decltype(out)>>(size_of(full, text, least, most));
  };
  read("BCAST_ALGO", s.broadcast_algo, 0, 4);
  read("FCOLLECT_ALGO", s.fcollect_algo, 0, 6);
  read("REDUCE_ALGO", s.reduce_algo, 0, 4);
  read("REDUCESCATTER_ALGO", s.reducescatter_algo, 0, 3);
  constexpr uint64_t kMostThreshold = 16 << 20;  // more would fill the heap with the teams' work space
  read("FCOLLECT_LL_THRESHOLD", s.fcollect_ll_threshold, 0, kMostThreshold);
  read("FCOLLECT_LL128_THRESHOLD", s.fcollect_ll128_threshold, 0, kMostThreshold);
  read("REDUCE_NVLS_THRESHOLD", s.reduce_nvls_threshold, 0, UINT64_MAX / 2);
  read("REDUCE_SCRATCH_SIZE", s.reduce_scratch, 4096, 1 << 30);
  read("MAX_CTAS", s.most_blocks, 1, 64);
  read("BARRIER_TG_DISSEM_KVAL", s.barrier_radix, 2, slots::kMostRadix);
  read("REDUCE_RECEXCH_KVAL", s.exchange_radix, 2, slots::kMostRadix);
  read("BCAST_TREE_KVAL", s.broadcast_arity, 1, 1 << 20);
  return s;
}

}  // namespace shmemu
