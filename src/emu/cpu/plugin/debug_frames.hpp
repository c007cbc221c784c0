// Debug information for functions that the plugin makes, so that debuggers and addr2line keep their bearings.
#pragma once

#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/Function.h"

namespace shmemu::plugin {

/// Gives `made` an artificial entry at the kernel's source line; the result is the place for calls in it (empty when
/// the kernel has no debug information).
llvm::DebugLoc add_debug_frame(llvm::Function& made, const llvm::Function& kernel);

}  // namespace shmemu::plugin
