// Addresses in shared memory, for the steps that meet them: PTX operands, the kernel table, module registration.
#pragma once

#include "llvm/IR/IRBuilder.h"

namespace shmemu::plugin {

constexpr const char* shared_section = "shmemu_shared";

/// A __shared__ variable after stage "retarget".
bool is_in_shared_section(const llvm::GlobalVariable&);

/// Linker-made bound of the section, a weak hidden symbol (NULL in a program without __shared__).
llvm::Constant* shared_section_bound(llvm::Module&, bool end);

/// 32-bit shared addresses as PTX and __cvta_generic_to_shared use them <-> pointers.
llvm::Value* shared_address_to_offset(llvm::IRBuilderBase&, llvm::Value* pointer);
llvm::Value* shared_offset_to_address(llvm::IRBuilderBase&, llvm::Value* offset);

}  // namespace shmemu::plugin
