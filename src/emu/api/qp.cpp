// Queue pairs that a program names (NVSHMEM 3.5). With IBGDA a handle is a queue pair to every PE, beside those of the
// library, and quiet and fence of some handles cover the operations on them. Elsewhere every handle is the default one,
// and quiet and fence cover all operations of the block (that release does the same, with a warning).
#include <climits>
#include <cstdlib>

#include "emu/api/checks.hpp"
#include "emu/api/collectives.hpp"
#include "emu/api/limits.hpp"
#include "emu/api/thread_group.hpp"
#include "shmemu/nvshmem/types_constants.h"

using namespace shmemu;
using namespace shmemu::emu;

namespace {

constexpr int kDefaultQp = 1;  // NVSHMEMX_QP_DEFAULT; NVSHMEMX_QP_ANY and _ALL are INT_MAX

void complete_one(OpKind kind, PeId target, uint32_t qp, uint64_t site) {
  Op op;
  op.kind = kind;
  op.function = Op::kNvshmemFence;
  op.target = target;
  op.qp = qp;
  op.site = site;
  stop(op);
}

// By all threads of the group; its first one completes what went to `pe` on these queue pairs.
void complete(OpKind kind, int pe, const int* qps, int count, int scope, const char* call, uint64_t site) {
  PeId target = checked_pe(pe, call, site);
  unsupported(Limit::queue_pairs, call, "", site);
  ThreadGroup group(scope);
  group.sync();
  if (group.index == 0) {
    bool all = count < 1;
    for (int i = 0; i < count; ++i) all |= checked_qp(qps[i], call, site) == 0;
    if (all || !g_current.world->router.has_queues()) count = 0, complete_one(kind, target, 0, site);
    for (int i = 0; i < count; ++i) complete_one(kind, target, checked_qp(qps[i], call, site), site);
  }
  group.sync();
}

}  // namespace

namespace shmemu::emu {

uint32_t checked_qp(int handle, const char* call, uint64_t site) {
  if (handle == 0) return 0;
  unsupported(Limit::queue_pairs, call, "", site);
  if (handle == kDefaultQp || handle == INT_MAX) return 0;
  uint32_t made = g_current.pe->shmem.queue_pairs, qp = static_cast<uint32_t>(handle);
  if (handle < 0 || qp < Op::kFirstQp || qp >= Op::kFirstQp + made)
    program_error(site, "{}: queue pair {} does not exist; nvshmemx_qp_create has made {} on this PE", call, handle,
                  made);
  return qp;
}

}  // namespace shmemu::emu

extern "C" {

int nvshmemx_qp_create(int count, int** out) {
  uint64_t site = SHMEMU_SITE();
  Pe& pe = shmem_pe("nvshmemx_qp_create", site);
  unsupported(Limit::queue_pairs, "nvshmemx_qp_create", "", site);
  if (count < 1 || !out) return NVSHMEMX_ERROR_INVALID_VALUE;
  *out = static_cast<int*>(std::malloc(static_cast<size_t>(count) * sizeof(int)));
  if (!*out) return NVSHMEMX_ERROR_OUT_OF_MEMORY;
  bool there_are = pe.world.router.has_queues() && pe.world.router.network_job();
  for (int i = 0; i < count; ++i)
    (*out)[i] = there_are ? static_cast<int>(Op::kFirstQp + pe.shmem.queue_pairs++) : kDefaultQp;
  host_barrier(site, 0, "nvshmemx_qp_create");  // the other end of each must be there
  return NVSHMEMX_SUCCESS;
}

void nvshmemx_qp_quiet(int pe, int* qps, int count) {
  complete(OpKind::quiet, pe, qps, count, SHMEMU_THREAD, "nvshmemx_qp_quiet", SHMEMU_SITE());
}
void nvshmemx_qp_quiet_warp(int pe, int* qps, int count) {
  complete(OpKind::quiet, pe, qps, count, SHMEMU_WARP, "nvshmemx_qp_quiet_warp", SHMEMU_SITE());
}
void nvshmemx_qp_quiet_block(int pe, int* qps, int count) {
  complete(OpKind::quiet, pe, qps, count, SHMEMU_BLOCK, "nvshmemx_qp_quiet_block", SHMEMU_SITE());
}
void nvshmemx_qp_fence(int pe, int* qps, int count) {
  complete(OpKind::fence, pe, qps, count, SHMEMU_THREAD, "nvshmemx_qp_fence", SHMEMU_SITE());
}
void nvshmemx_qp_fence_warp(int pe, int* qps, int count) {
  complete(OpKind::fence, pe, qps, count, SHMEMU_WARP, "nvshmemx_qp_fence_warp", SHMEMU_SITE());
}
void nvshmemx_qp_fence_block(int pe, int* qps, int count) {
  complete(OpKind::fence, pe, qps, count, SHMEMU_BLOCK, "nvshmemx_qp_fence_block", SHMEMU_SITE());
}

}  // extern "C"
