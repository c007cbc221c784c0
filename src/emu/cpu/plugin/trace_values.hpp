// Where a value comes from and where it goes, also in unoptimised code where every variable is a stack slot.
#pragma once

#include "llvm/IR/Instructions.h"

namespace shmemu::plugin {

/// The variable behind a load or store when it is a plain local variable that nobody has the address of.
llvm::AllocaInst* local_slot(const llvm::Value* pointer);

/// The pointer leads to the counters of count_work.cpp, which no program sees.
bool is_work_counter(const llvm::Value* pointer);

/// Follows casts and loads of local variables that are written once; gives the value itself otherwise.
llvm::Value* strip_slots(llvm::Value*);

/// Strips casts, constant offsets and slots from a pointer: the object and the byte distance.
std::pair<llvm::Value*, int64_t> base_and_offset(llvm::Value* pointer, const llvm::DataLayout&);

/// The pointer certainly leads to this thread's own stack or to the block's shared memory.
bool is_private_memory(llvm::Value* pointer);

/// No effect of the program depends on the instruction's result.
bool is_result_unused(llvm::Instruction*);

/// Size of what a load, store or atomic accesses, and its address; {nullptr, 0} for other instructions.
struct MemoryAccess {
  llvm::Value* pointer = nullptr;
  uint32_t bytes = 0;
};
MemoryAccess access_of(const llvm::Instruction&);

}  // namespace shmemu::plugin
