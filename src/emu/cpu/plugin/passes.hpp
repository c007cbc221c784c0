// The LLVM passes of the plugin and the steps they are made of, in the order in which they run.
//
// Each step is one source file of the same name; each takes the module, changes it in place and keeps no state.
#pragma once

#include "llvm/IR/PassManager.h"

namespace shmemu::plugin {

// ---- retarget ----
void mark_kernels(llvm::Module&);                              // retarget.cpp
void lower_inline_ptx(llvm::Module&);                          // ptx.cpp
void lower_nvvm_intrinsics(llvm::Module&);                     // intrinsics.cpp
void clamp_shifts(llvm::Module&);                              // shifts.cpp
void lower_shared_memory(llvm::Module&);                       // shared_memory.cpp
void lower_device_variables(llvm::Module&);                    // device_variables.cpp
void map_math_names(llvm::Module&);                            // math_names.cpp
void rename_symbols(llvm::Module&);                            // symbol_names.cpp
void count_work(llvm::Module&, llvm::ModuleAnalysisManager&);  // count_work.cpp

// ---- host ----
void share_managed_variables(llvm::Module&);  // device_variables.cpp
void export_shadows(llvm::Module&);           // device_variables.cpp

// ---- lower, host ----
void insert_polls(llvm::Module&, bool host);     // polls.cpp
void check_peer_accesses(llvm::Module&);         // peer_accesses.cpp
void order_accesses(llvm::Module&);              // ordered_access.cpp
void report_touches(llvm::Module&, bool host);   // touches.cpp
void provide_bfloat_conversions(llvm::Module&);  // bfloat_support.cpp
void build_kernel_table(llvm::Module&);          // kernel_table.cpp (uses may_wait, thread_loop, context_loads)

struct RetargetPass : llvm::PassInfoMixin<RetargetPass> {
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Module&, llvm::ModuleAnalysisManager&);
};

struct LowerPass : llvm::PassInfoMixin<LowerPass> {
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Module&, llvm::ModuleAnalysisManager&);
};

struct HostVariablesPass : llvm::PassInfoMixin<HostVariablesPass> {
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Module&, llvm::ModuleAnalysisManager&);
};

struct HostPollsPass : llvm::PassInfoMixin<HostPollsPass> {
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Module&, llvm::ModuleAnalysisManager&);
};

}  // namespace shmemu::plugin
