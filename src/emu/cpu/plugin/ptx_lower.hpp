// PTX text with operands -> IR, for asm statements (ptx.cpp) and for intrinsics that have a PTX spelling
// (intrinsics.cpp).
#pragma once

#include <optional>

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instruction.h"
#include "ptx_parse.hpp"

namespace shmemu::plugin {

/// Emits the program in front of `at`; $0 … are the outputs, the inputs follow. `initial`: values with which outputs
/// start. Without a program the text is reported as unknown. Returns one value per output.
llvm::SmallVector<llvm::Value*, 4> translate_ptx(llvm::Instruction* at, const std::optional<PtxProgram>& program,
                                                 llvm::StringRef text, llvm::ArrayRef<llvm::Type*> outputs,
                                                 llvm::ArrayRef<llvm::Value*> inputs,
                                                 llvm::ArrayRef<std::pair<unsigned, llvm::Value*>> initial,
                                                 bool is_volatile);

}  // namespace shmemu::plugin
