// Native volatile stores and atomics of device code take their turn in virtual time.
//
// Around each access that others may watch, `__shmemu_order` waits for the turn and `__shmemu_wrote` wakes pollers.
// Accesses to the thread's own stack or to shared memory are private and stay as they are.
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "passes.hpp"
#include "runtime_calls.hpp"
#include "trace_values.hpp"

using namespace llvm;

namespace shmemu::plugin {
namespace {

enum Access : uint32_t { store_access = 0, atomic_access = 1, atomic_result_access = 2 };  // shmemu_access

std::optional<Access> ordered_kind(Instruction& i) {
  if (auto* store = dyn_cast<StoreInst>(&i))
    return store->isVolatile() || store->isAtomic() ? std::optional(store_access) : std::nullopt;
  if (isa<AtomicRMWInst>(i)) return is_result_unused(&i) ? atomic_access : atomic_result_access;
  if (isa<AtomicCmpXchgInst>(i)) return atomic_result_access;
  return std::nullopt;
}

}  // namespace

void order_accesses(Module& module) {
  struct Site {
    Instruction* instruction;
    MemoryAccess access;
    Access kind;
  };
  std::vector<Site> sites;
  for (Function& function : module)
    for (Instruction& i : instructions(function))
      if (std::optional<Access> kind = ordered_kind(i))
        if (const MemoryAccess access = access_of(i); !is_private_memory(access.pointer))
          sites.push_back({&i, access, *kind});
  for (const Site& site : sites) {
    IRBuilder<> builder(site.instruction);
    SmallVector<Value*, 3> arguments{site.access.pointer, builder.getInt32(site.access.bytes),
                                     builder.getInt32(site.kind)};
    call_runtime(builder, "__shmemu_order", arguments);
    builder.SetInsertPoint(site.instruction->getNextNode());
    builder.SetCurrentDebugLocation(site.instruction->getDebugLoc());
    call_runtime(builder, "__shmemu_wrote", arguments);
  }
}

}  // namespace shmemu::plugin
