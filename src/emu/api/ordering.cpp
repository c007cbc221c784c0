// fence and quiet. On the device they order and complete what the calling block has issued, on the host what the whole
// PE has (NVSHMEM 3.3.9, memory ordering chapter).
#include "emu/api/checks.hpp"

using namespace shmemu;
using namespace shmemu::emu;

extern "C" {

void nvshmem_fence() {
  Op op;
  op.kind = OpKind::fence;
  op.function = Op::kNvshmemFence;
  op.site = SHMEMU_SITE();
  shmem_pe("nvshmem_fence", op.site);
  stop(op);
}

void nvshmem_quiet() {
  Op op;
  op.kind = OpKind::quiet;
  op.site = SHMEMU_SITE();
  shmem_pe("nvshmem_quiet", op.site);
  stop(op);
}

}  // extern "C"
