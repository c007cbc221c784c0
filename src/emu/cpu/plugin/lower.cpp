// Stage "lower": optimised device code -> code that the runtime can start, interrupt at waits and observe.
//
// The optimiser ran with code in which nothing waits; it left attributes ("reads only its arguments", "always returns")
// that stop being true here, so they go first and the second optimisation infers them anew.
#include <cstdlib>

#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "passes.hpp"

using namespace llvm;

namespace shmemu::plugin {
namespace {

void forget_inferred_attributes(Module& module) {
  AttributeMask stale;
  for (auto kind :
       {Attribute::Memory, Attribute::NoSync, Attribute::WillReturn, Attribute::NoFree, Attribute::NoRecurse})
    stale.addAttribute(kind);
  for (Function& function : module) {
    if (function.isDeclaration()) continue;
    function.removeFnAttrs(stale);
    for (Instruction& i : instructions(function)) {
      auto* call = dyn_cast<CallBase>(&i);
      if (!call || (call->getCalledFunction() && call->getCalledFunction()->isDeclaration())) continue;
      for (auto kind : {Attribute::Memory, Attribute::NoSync, Attribute::WillReturn, Attribute::NoFree})
        call->removeFnAttr(kind);
    }
  }
}

}  // namespace

PreservedAnalyses LowerPass::run(Module& module, ModuleAnalysisManager&) {
  forget_inferred_attributes(module);
  insert_polls(module, /*host=*/false);
  check_peer_accesses(module);
  if (std::getenv("SHMEMU_CHECK")) report_touches(module, /*host=*/false);
  order_accesses(module);
  build_kernel_table(module);
  provide_bfloat_conversions(module);
  return PreservedAnalyses::none();
}

}  // namespace shmemu::plugin
