// What the NVSHMEM environment variables say about transports (names and defaults of NVSHMEM 3.3.9). A value, read once
// per run.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

namespace shmemu {

struct NvshmemSettings {
  // NVSHMEM_REMOTE_TRANSPORT: who carries what cannot be loaded and stored. All but none hand requests to a CPU thread.
  enum class Remote { none, ibrc, ibdevx, ucx, libfabric };
  Remote remote = Remote::ibrc;
  bool ibgda = false;         // NVSHMEM_IB_ENABLE_IBGDA: GPU threads drive the adapter instead
  bool disable_p2p = false;   // NVSHMEM_DISABLE_P2P
  bool disable_nvls = false;  // NVSHMEM_DISABLE_NVLS: no multicast
  int max_teams = 32;         // NVSHMEM_MAX_TEAMS, with the predefined ones
  enum class MapBy { cta, sm, warp };
  MapBy map_by = MapBy::cta;  // NVSHMEM_IBGDA_RC_MAP_BY
  int queues_per_pe = 2;      // NVSHMEM_IBGDA_NUM_RC_PER_PE
  int queue_depth = 1024;     // NVSHMEM_QP_DEPTH, in 64 B building blocks
};

// `lookup` is getenv or a test's table. UserError(usage) for values that NVSHMEM does not know.
NvshmemSettings read_settings(const std::function<const char*(const char*)>& lookup);
std::string name_of(NvshmemSettings::Remote remote);
std::string name_of(NvshmemSettings::MapBy map_by);

}  // namespace shmemu
