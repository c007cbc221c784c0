// Pieces shared by the two ways of starting a kernel: entry(args) for one thread and block(args, context) for all
// threads of a block. `args` points to pointers to the arguments, as cudaLaunchKernel gets them.
#pragma once

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace shmemu::plugin {

/// An empty internal function for generated code, compiled like `kernel`.
llvm::Function* make_generated_function(const llvm::Function& kernel, llvm::FunctionType*, const llvm::Twine& name);

/// Loads every parameter of the kernel from `args`. By-value structs stay pointers, correctly aligned.
llvm::SmallVector<llvm::Value*, 16> load_kernel_arguments(llvm::IRBuilderBase&, const llvm::Function& kernel,
                                                          llvm::Value* args);

/// Size in bytes that a parameter has for the caller.
uint64_t parameter_bytes(const llvm::Argument&);

/// Puts the kernel's byval attributes on a call of it.
void mark_byval_arguments(llvm::CallInst&, const llvm::Function& kernel);

/// void block(void **args, shmemu_thread_context *): a loop over the threads of a block around an inlined clone of the
/// kernel, which the loop vectoriser can see. Only for kernels in which no thread can stop.
llvm::Function* make_thread_loop(llvm::Function& kernel, class CallFacts&);

}  // namespace shmemu::plugin
