// Queue pairs that a program names (NVSHMEM 3.5). Without a transport that has them, every handle is the default one,
// and quiet and fence cover all operations of the block.
#include <cstdlib>

#include "emu/api/checks.hpp"
#include "emu/api/thread_group.hpp"
#include "shmemu/nvshmem/types_constants.h"

using namespace shmemu;
using namespace shmemu::emu;

namespace {

constexpr int kDefaultQp = 1;  // NVSHMEMX_QP_DEFAULT

// By all threads of the group; its first one completes what the block has issued.
void complete(OpKind kind, int pe, int scope, const char* call, uint64_t site) {
  checked_pe(pe, call, site);
  ThreadGroup group(scope);
  group.sync();
  if (group.index == 0) {
    Op op;
    op.kind = kind;
    op.function = Op::kNvshmemFence;
    op.site = site;
    stop(op);
  }
  group.sync();
}

}  // namespace

extern "C" {

int nvshmemx_qp_create(int count, int** out) {
  shmem_pe("nvshmemx_qp_create", SHMEMU_SITE());
  if (count < 1 || !out) return NVSHMEMX_ERROR_INVALID_VALUE;
  *out = static_cast<int*>(std::malloc(static_cast<size_t>(count) * sizeof(int)));
  if (!*out) return NVSHMEMX_ERROR_OUT_OF_MEMORY;
  for (int i = 0; i < count; ++i) (*out)[i] = kDefaultQp;
  return NVSHMEMX_SUCCESS;
}

void nvshmemx_qp_quiet(int pe, int*, int) {
  complete(OpKind::quiet, pe, SHMEMU_THREAD, "nvshmemx_qp_quiet", SHMEMU_SITE());
}
void nvshmemx_qp_quiet_warp(int pe, int*, int) {
  complete(OpKind::quiet, pe, SHMEMU_WARP, "nvshmemx_qp_quiet_warp", SHMEMU_SITE());
}
void nvshmemx_qp_quiet_block(int pe, int*, int) {
  complete(OpKind::quiet, pe, SHMEMU_BLOCK, "nvshmemx_qp_quiet_block", SHMEMU_SITE());
}
void nvshmemx_qp_fence(int pe, int*, int) {
  complete(OpKind::fence, pe, SHMEMU_THREAD, "nvshmemx_qp_fence", SHMEMU_SITE());
}
void nvshmemx_qp_fence_warp(int pe, int*, int) {
  complete(OpKind::fence, pe, SHMEMU_WARP, "nvshmemx_qp_fence_warp", SHMEMU_SITE());
}
void nvshmemx_qp_fence_block(int pe, int*, int) {
  complete(OpKind::fence, pe, SHMEMU_BLOCK, "nvshmemx_qp_fence_block", SHMEMU_SITE());
}

}  // extern "C"
