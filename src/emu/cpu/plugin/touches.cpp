// `shmemu cc --check`: plain accesses to the symmetric heaps are reported to the runtime's checker before they happen.
//
// Runs on optimised code: an access that is left is one that the GPU would make as well. Accesses outside the heaps
// cost a comparison. Host code is treated alike: OpenSHMEM programs work on their heap there. Volatile stores and
// atomics are reported by order_accesses already; accesses to a peer's heap by peer_accesses, whose native branch is
// what is left for this pass.
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "passes.hpp"
#include "runtime_calls.hpp"
#include "shmemu/heap_range.h"
#include "trace_values.hpp"

using namespace llvm;

namespace shmemu::plugin {
namespace {

constexpr uint32_t touch_write = 1, touch_volatile = 2;  // shmemu_touch of abi.h

struct Touch {
  Instruction* at;
  Value* pointer;
  Value* bytes;  // 64 bits
  uint32_t flags;
};

void touches_of(Instruction& i, std::vector<Touch>& out) {
  auto* long_type = Type::getInt64Ty(i.getContext());
  auto add = [&](Value* pointer, Value* bytes, uint32_t flags) {
    if (!is_private_memory(pointer) && !is_work_counter(pointer)) out.push_back({&i, pointer, bytes, flags});
  };
  if (auto* load = dyn_cast<LoadInst>(&i)) {
    const bool watched = load->isVolatile() || load->isAtomic();
    add(load->getPointerOperand(), ConstantInt::get(long_type, access_of(i).bytes), watched ? touch_volatile : 0);
  } else if (auto* store = dyn_cast<StoreInst>(&i)) {
    if (!store->isVolatile() && !store->isAtomic())
      add(store->getPointerOperand(), ConstantInt::get(long_type, access_of(i).bytes), touch_write);
  } else if (auto* transfer = dyn_cast<MemTransferInst>(&i)) {
    add(transfer->getRawSource(), transfer->getLength(), 0);
    add(transfer->getRawDest(), transfer->getLength(), touch_write);
  } else if (auto* set = dyn_cast<MemSetInst>(&i)) {
    add(set->getRawDest(), set->getLength(), touch_write);
  }
}

}  // namespace

void report_touches(Module& module, bool host) {
  std::vector<Touch> touches;
  for (Function& function : module)
    if (!function.hasAvailableExternallyLinkage())
      for (Instruction& i : instructions(function)) touches_of(i, touches);
  for (const Touch& touch : touches) {
    IRBuilder<> builder(touch.at);
    // the host has no thread context to ask for the bounds of this run
    Value* begin =
        host ? builder.getInt64(SHMEMU_HEAPS_BEGIN)
             : builder.CreatePtrToInt(call_runtime(builder, "__shmemu_get_heaps_begin"), builder.getInt64Ty());
    Value* bytes =
        host ? builder.getInt64(SHMEMU_HEAPS_SPAN)
             : builder.CreatePtrToInt(call_runtime(builder, "__shmemu_get_heaps_bytes"), builder.getInt64Ty());
    Value* distance = builder.CreateSub(builder.CreatePtrToInt(touch.pointer, builder.getInt64Ty()), begin);
    Instruction* then = SplitBlockAndInsertIfThen(builder.CreateICmpULT(distance, bytes), touch.at->getIterator(), false);
    IRBuilder<> slow(then);
    slow.SetCurrentDebugLocation(touch.at->getDebugLoc());
    call_runtime(slow, "__shmemu_touch", {touch.pointer, touch.bytes, slow.getInt32(touch.flags)});
  }
}

}  // namespace shmemu::plugin
