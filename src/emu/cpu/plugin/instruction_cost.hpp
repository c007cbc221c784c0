// What instructions of device code cost on the modelled GPU: issue slots of their warp and cycles until the result is
// there. These are properties of NVIDIA GPUs since Volta, not of one model; what differs between models (clock, issue
// rate, memory latency and bandwidth) is in platforms/gpus.
#pragma once

#include "llvm/IR/InstrTypes.h"

namespace shmemu::plugin {

/// Slots are quarters of a warp instruction, so that the bookkeeping of an unrolled loop can be shared.
struct InstructionCost {
  unsigned quarter_slots = 0;
  unsigned cycles = 0;
};

/// Without the memory beyond L1 of a load.
InstructionCost cost_of(const llvm::Instruction&);

/// A division that nvcc calls as a function: nothing overlaps with it.
bool is_subroutine(const llvm::Instruction&);

/// Cycles of a taken or untaken conditional branch.
constexpr unsigned branch_cycles = 6;

enum class Space { local, constant, shared, global };
/// Where a pointer leads.
Space space_of(const llvm::Value* pointer);

}  // namespace shmemu::plugin
