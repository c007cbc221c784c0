#include "emu/core/environment.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace shmemu::emu {
namespace {

// NVSHMEM 3.3.9, src/include/host/env/env_defs.h and the headers of its transports; without the prefix, sorted.
constexpr std::string_view kKnown[] = {"ASSERT_ATOMICS_SYNC",
                                       "BARRIER_DISSEM_KVAL",
                                       "BARRIER_TG_DISSEM_KVAL",
                                       "BCAST_ALGO",
                                       "BCAST_TREE_KVAL",
                                       "BOOTSTRAP",
                                       "BOOTSTRAP_MPI_PLUGIN",
                                       "BOOTSTRAP_PMI",
                                       "BOOTSTRAP_PMI2_PLUGIN",
                                       "BOOTSTRAP_PMIX_PLUGIN",
                                       "BOOTSTRAP_PMI_PLUGIN",
                                       "BOOTSTRAP_SHMEM_PLUGIN",
                                       "BOOTSTRAP_UID_PLUGIN",
                                       "BOOTSTRAP_UID_SESSION_ID",
                                       "BOOTSTRAP_UID_SOCK_FAMILY",
                                       "BOOTSTRAP_UID_SOCK_IFNAME",
                                       "BYPASS_ACCESSIBILITY_CHECK",
                                       "BYPASS_FLUSH",
                                       "CUDA_PATH",
                                       "CUMEM_GRANULARITY",
                                       "CUMEM_HANDLE_TYPE",
                                       "DEBUG",
                                       "DEBUG_ATTACH_DELAY",
                                       "DEBUG_FILE",
                                       "DEBUG_SUBSYS",
                                       "DISABLE_CUDA_VMM",
                                       "DISABLE_GDRCOPY",
                                       "DISABLE_IB_NATIVE_ATOMICS",
                                       "DISABLE_LOCAL_ONLY_PROXY",
                                       "DISABLE_MNNVL",
                                       "DISABLE_NCCL",
                                       "DISABLE_NVLS",
                                       "DISABLE_NVLS_SHARING",
                                       "DISABLE_P2P",
                                       "ENABLE_ERROR_CHECKS",
                                       "ENABLE_NIC_PE_MAPPING",
                                       "FCOLLECT_ALGO",
                                       "FCOLLECT_LL128_THRESHOLD",
                                       "FCOLLECT_LL_THRESHOLD",
                                       "FCOLLECT_NTHREADS",
                                       "FCOLLECT_NVLS_THRESHOLD",
                                       "G_BUF_SIZE",
                                       "G_COALESCING_BUF_SIZE",
                                       "HCA_LIST",
                                       "HCA_PE_MAPPING",
                                       "HEAP_KIND",
                                       "IBGDA_DCI_MAP_BY",
                                       "IBGDA_ENABLE_MULTI_PORT",
                                       "IBGDA_FORCE_NIC_BUF_MEMTYPE",
                                       "IBGDA_NIC_HANDLER",
                                       "IBGDA_NUM_DCI",
                                       "IBGDA_NUM_DCT",
                                       "IBGDA_NUM_FETCH_SLOTS_PER_DCI",
                                       "IBGDA_NUM_FETCH_SLOTS_PER_RC",
                                       "IBGDA_NUM_RC_PER_PE",
                                       "IBGDA_NUM_REQUESTS_IN_BATCH",
                                       "IBGDA_NUM_SHARED_DCI",
                                       "IBGDA_RC_MAP_BY",
                                       "IB_DISABLE_DMABUF",
                                       "IB_ENABLE_IBGDA",
                                       "IB_GID_INDEX",
                                       "IB_NUM_RC_PER_DEVICE",
                                       "IB_SL",
                                       "IB_TRAFFIC_CLASS",
                                       "IGNORE_CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",
                                       "INFO",
                                       "LIBFABRIC_PROVIDER",
                                       "MAX_CTAS",
                                       "MAX_MEMORY_PER_GPU",
                                       "MAX_TEAMS",
                                       "NVTX",
                                       "PROXY_REQUEST_BATCH_MAX",
                                       "QP_DEPTH",
                                       "REDMAXLOC_ALGO",
                                       "REDUCESCATTER_ALGO",
                                       "REDUCESCATTER_NTHREADS",
                                       "REDUCESCATTER_NVLS_THRESHOLD",
                                       "REDUCE_ALGO",
                                       "REDUCE_NTHREADS",
                                       "REDUCE_NVLS_THRESHOLD",
                                       "REDUCE_RECEXCH_KVAL",
                                       "REDUCE_SCRATCH_SIZE",
                                       "REMOTE_TRANSPORT",
                                       "SRQ_DEPTH",
                                       "SYMMETRIC_SIZE",
                                       "VERSION"};

}  // namespace

std::vector<std::string> unknown_variables(const char* const* environment) {
  constexpr std::string_view kPrefix = "NVSHMEM_";
  std::vector<std::string> out;
  for (; *environment; ++environment) {
    std::string_view entry = *environment, name = entry.substr(0, entry.find('='));
    if (!name.starts_with(kPrefix) ||
        std::binary_search(std::begin(kKnown), std::end(kKnown), name.substr(kPrefix.size())))
      continue;
    out.push_back(fmt::format("NVSHMEM does not know the variable {}; only the program may look at it", name));
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace shmemu::emu
