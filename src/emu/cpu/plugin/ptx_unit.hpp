// One asm statement while it is being translated: operands, virtual registers, labels, and where IR is written.
//
// Opcode handlers (ptx_alu, ptx_convert, ptx_memory, ptx_sync, ptx_async) see PTX operands through this class and never
// touch the asm call itself. In straight-line code a register is an SSA value; with guards or labels it is a stack slot
// that LLVM promotes later.
#pragma once

#include <map>
#include <optional>

#include "llvm/IR/IRBuilder.h"
#include "ptx_parse.hpp"

namespace shmemu::plugin {

/// A PTX type suffix: b8 … b128, u, s, f16, bf16, f16x2, bf16x2, f32, f64, pred.
struct PtxType {
  char kind = 'b';  // b untyped, u unsigned, s signed, f float, h brain float, p predicate
  unsigned bits = 32;
  bool packed = false;  // two 16-bit halves

  static std::optional<PtxType> parse(llvm::StringRef suffix);
  llvm::Type* ir(llvm::LLVMContext&) const;
  llvm::Type* integer(llvm::LLVMContext&) const;
  unsigned bytes() const { return bits / 8; }
  bool is_signed() const { return kind == 's'; }
  bool is_float() const { return kind == 'f' || kind == 'h'; }
};

class PtxUnit {
 public:
  /// `outputs`: types of $0 … ; `inputs`: values of the operands behind them.
  PtxUnit(llvm::Instruction* at, llvm::ArrayRef<llvm::Type*> outputs, llvm::ArrayRef<llvm::Value*> inputs,
          bool is_volatile);

  /// Output `index` starts with this value ("+r" operands).
  void set_initial(unsigned index, llvm::Value* value);
  /// Translates all instructions in front of `at`. Unknown ones warn and become a run-time call.
  void translate(const PtxProgram&);
  llvm::Value* result(unsigned index);

  // ---- for opcode handlers ----
  llvm::IRBuilder<>& builder() { return builder_; }
  llvm::LLVMContext& context() { return builder_.getContext(); }
  /// The asm statement was volatile: loads must be repeated each time.
  bool is_volatile() const { return is_volatile_; }
  /// Bits of an operand (register, immediate, special register) as the type's IR type; nullptr if it is none.
  llvm::Value* read(llvm::StringRef operand, const PtxType& type);
  /// Predicate operand, "!p" negates.
  llvm::Value* read_predicate(llvm::StringRef operand);
  /// Writes a register; narrower integers are extended as the type says. "_" swallows.
  bool write(llvm::StringRef operand, llvm::Value* value, bool is_signed = false);
  /// "[x]", "[x+4]" as a pointer. A 32-bit or `.shared` address counts from the block's shared memory.
  llvm::Value* address(llvm::StringRef operand, const PtxInstruction&);
  /// Block of a label, created on first mention.
  llvm::BasicBlock* label(llvm::StringRef name);
  /// Ends the current block with a jump, conditional when `condition` is given; goes on in a new block.
  void branch(llvm::BasicBlock* target, llvm::Value* condition = nullptr);
  void call(llvm::StringRef runtime_function, llvm::ArrayRef<llvm::Value*> arguments = {});

 private:
  struct Slot {
    llvm::Type* type = nullptr;
    llvm::Value* value = nullptr;        // straight-line code
    llvm::AllocaInst* memory = nullptr;  // otherwise
  };
  Slot* find_slot(llvm::StringRef name);
  llvm::Value* load(Slot&);
  void store(Slot&, llvm::Value*);
  llvm::Value* read_raw(llvm::StringRef operand, const PtxType& type);
  void translate_one(const PtxInstruction&);

  llvm::Instruction* at_;
  llvm::IRBuilder<> builder_;
  unsigned output_count_;
  llvm::SmallVector<llvm::Value*, 8> inputs_;
  bool is_volatile_;
  bool straight_ = true;
  std::map<std::string, Slot, std::less<>> slots_;
  std::map<std::string, llvm::BasicBlock*, std::less<>> labels_;
};

/// false: the handler does not know this form of the opcode.
using PtxHandler = bool (*)(PtxUnit&, const PtxInstruction&);
struct PtxOpcode {
  const char* name;
  PtxHandler handler;
};
llvm::ArrayRef<PtxOpcode> ptx_alu_opcodes();
llvm::ArrayRef<PtxOpcode> ptx_convert_opcodes();
llvm::ArrayRef<PtxOpcode> ptx_memory_opcodes();
llvm::ArrayRef<PtxOpcode> ptx_sync_opcodes();
llvm::ArrayRef<PtxOpcode> ptx_async_opcodes();

/// Value of "%tid.x" & co., nullptr if there is no such register (ptx_sync.cpp).
llvm::Value* read_special_register(llvm::IRBuilderBase&, llvm::StringRef name);

/// The last modifier that is a type.
std::optional<PtxType> last_type(const PtxInstruction&);
/// Reinterprets or resizes a value; integers are extended as `is_signed` says, floats keep their bits.
llvm::Value* to_bits_of(llvm::IRBuilderBase&, llvm::Value*, llvm::Type*, bool is_signed = false);

}  // namespace shmemu::plugin
