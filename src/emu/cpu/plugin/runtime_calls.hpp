// The runtime functions of include/shmemu/abi.h as the plugin sees them: declaring, calling, and what they may do.
//
// Context getters are names private to the plugin: stage "retarget" emits calls of them (memory(none), so that LLVM
// folds and hoists them freely) and stage "lower" replaces every one by a load from the thread or block context.
#pragma once

#include "llvm/IR/IRBuilder.h"

namespace shmemu::plugin {

/// Calls a function of abi.h or a context getter, declaring it on first use. Integer arguments are converted.
llvm::CallInst* call_runtime(llvm::IRBuilderBase&, llvm::StringRef name, llvm::ArrayRef<llvm::Value*> arguments = {});

/// A thread that calls this function can stop there and let others run.
bool may_stop(llvm::StringRef function);

/// A runtime function that leaves memory as it is (barriers, warp operations, fences, sleeping, the clock).
bool only_synchronises(const llvm::Function*);

/// The function reads virtual time.
bool reads_clock(llvm::StringRef function);

/// Where a context getter finds its value (offsets of abi.h section 1).
struct ContextField {
  const char* getter;
  bool in_block;  // in shmemu_block_context, else in shmemu_thread_context
  unsigned offset;
  bool is_pointer;  // else uint32_t
};
llvm::ArrayRef<ContextField> context_fields();
const ContextField* find_context_field(llvm::StringRef getter);
constexpr unsigned block_pointer_offset = 16;

/// Warns on stderr, with the source place of `at` when it has one.
void warn(const llvm::Instruction* at, const llvm::Twine& message);
/// "file" and line of an instruction; empty and 0 when unknown.
std::pair<std::string, unsigned> source_place(const llvm::Instruction*);

}  // namespace shmemu::plugin
