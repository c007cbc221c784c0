// What releases of NVSHMEM refuse, on some path or everywhere, and shmemu does all the same. The table is limits.def;
// docs/api.md prints it. Such a call is a finding, plat.unsupported, once for each place in the source, unless a later
// release can do it. Under `run --as RELEASE` it ends as that release ends it.
#pragma once
#include <cstdint>
#include <string>

#include "base/ids.hpp"

namespace shmemu::emu {

enum class Limit : uint8_t {
#define LIMIT(name, ...) name,
#include "emu/api/limits.def"
#undef LIMIT
};

// The program makes `call` at `site`, on a path that `why` describes. Returns true if the release that is asked for
// lets the call return without doing anything; does not return if it ends the run.
bool unsupported(Limit limit, const char* call, const std::string& why, uint64_t site);
// The same if the running PE has no load/store access to `target`.
bool unsupported_over_network(Limit limit, const char* call, PeId target, uint64_t site);

}  // namespace shmemu::emu
