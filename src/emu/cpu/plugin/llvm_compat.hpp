// Every difference between LLVM versions that the plugin meets, in one place.
//
// Written for LLVM 19; the branches for later versions follow the same shapes (kernels became a calling convention,
// pass callbacks grew an argument). Nothing else in this folder looks at LLVM_VERSION_MAJOR.
#pragma once

#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#if LLVM_VERSION_MAJOR >= 22
#include "llvm/Plugins/PassPlugin.h"
#else
#include "llvm/Passes/PassPlugin.h"
#endif

namespace shmemu::plugin {

/// Value of one `nvvm.annotations` entry of a function, or 0.
inline unsigned annotation(const llvm::Function& function, llvm::StringRef key) {
  const llvm::NamedMDNode* annotations = function.getParent()->getNamedMetadata("nvvm.annotations");
  if (!annotations) return 0;
  for (const llvm::MDNode* node : annotations->operands()) {
    if (node->getNumOperands() < 3 || !node->getOperand(0)) continue;
    auto* value = llvm::mdconst::dyn_extract_or_null<llvm::GlobalValue>(node->getOperand(0));
    if (value != &function) continue;
    for (unsigned i = 1; i + 1 < node->getNumOperands(); i += 2) {
      auto* name = llvm::dyn_cast<llvm::MDString>(node->getOperand(i));
      auto* number = llvm::mdconst::dyn_extract_or_null<llvm::ConstantInt>(node->getOperand(i + 1));
      if (name && number && name->getString() == key) return static_cast<unsigned>(number->getZExtValue());
    }
  }
  return 0;
}

inline bool is_kernel(const llvm::Function& function) {
  return annotation(function, "kernel") == 1 || function.getCallingConv() == llvm::CallingConv::PTX_Kernel;
}

/// Threads per block promised by __launch_bounds__, 0 = no promise.
inline unsigned launch_bound(const llvm::Function& function) {
  unsigned total = 0;
  for (const char* axis : {"maxntidx", "maxntidy", "maxntidz"})
    if (unsigned n = annotation(function, axis)) total = total ? total * n : n;
  if (llvm::Attribute text = function.getFnAttribute("nvvm.maxntid"); !total && text.isStringAttribute()) {
    total = 1;
    llvm::SmallVector<llvm::StringRef, 3> parts;
    text.getValueAsString().split(parts, ',');
    for (llvm::StringRef part : parts) {
      unsigned n = 1;
      if (!part.trim().getAsInteger(10, n)) total *= n;
    }
  }
  return total;
}

/// The module passes `pass` runs first in whatever pipeline clang builds (also at -O0).
template <class Pass>
void run_first(llvm::PassBuilder& builder) {
#if LLVM_VERSION_MAJOR >= 22
  builder.registerPipelineStartEPCallback([](llvm::ModulePassManager& m, llvm::OptimizationLevel, auto...) {
#else
  builder.registerPipelineStartEPCallback([](llvm::ModulePassManager& m, llvm::OptimizationLevel) {
#endif
    m.addPass(Pass());
  });
}

template <class Pass>
void run_last(llvm::PassBuilder& builder) {
#if LLVM_VERSION_MAJOR >= 20
  builder.registerOptimizerLastEPCallback(
      [](llvm::ModulePassManager& m, llvm::OptimizationLevel, llvm::ThinOrFullLTOPhase) { m.addPass(Pass()); });
#else
  builder.registerOptimizerLastEPCallback(
      [](llvm::ModulePassManager& m, llvm::OptimizationLevel) { m.addPass(Pass()); });
#endif
}

}  // namespace shmemu::plugin
