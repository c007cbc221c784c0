// Context getters -> loads from the context of the running thread.
#pragma once

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/IRBuilder.h"

namespace shmemu::plugin {

struct ContextField;

/// Loads one field, given the shmemu_thread_context.
llvm::Value* load_context_field(llvm::IRBuilderBase&, llvm::Value* context, const ContextField&);

/// The variable `__shmemu_thread`: pointer to the context of the running thread.
llvm::Value* load_running_thread(llvm::IRBuilderBase&);

/// Replaces every getter call in the function by the value that `known` holds for it, or by one load at the function's
/// entry. (A value is the same for the whole life of a thread, so one load is enough.)
void lower_context_getters(llvm::Function&, const llvm::StringMap<llvm::Value*>& known = {});

}  // namespace shmemu::plugin
