#include "ptx_unit.hpp"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "runtime_calls.hpp"
#include "shared_memory.hpp"

using namespace llvm;

namespace shmemu::plugin {
namespace {

PtxHandler find_handler(StringRef opcode) {
  for (ArrayRef<PtxOpcode> table :
       {ptx_memory_opcodes(), ptx_sync_opcodes(), ptx_alu_opcodes(), ptx_convert_opcodes(), ptx_async_opcodes()})
    for (const PtxOpcode& entry : table)
      if (opcode == entry.name) return entry.handler;
  return nullptr;
}

bool is_straight_line(const PtxProgram& program) {
  return none_of(program.code, [](const PtxInstruction& i) { return !i.label.empty() || !i.guard.empty(); });
}

/// Immediate operand: integers in C notation, 0f… / 0d… bit patterns, decimal floats.
Constant* parse_immediate(StringRef text, const PtxType& type, LLVMContext& context) {
  if (text == "WARP_SZ") return ConstantInt::get(Type::getInt32Ty(context), 32);
  const StringRef digits = text.substr(2);
  uint64_t pattern;
  if (text.starts_with_insensitive("0f") && digits.size() == 8 && !digits.getAsInteger(16, pattern))
    return ConstantExpr::getBitCast(ConstantInt::get(Type::getInt32Ty(context), pattern), Type::getFloatTy(context));
  if (text.starts_with_insensitive("0d") && digits.size() == 16 && !digits.getAsInteger(16, pattern))
    return ConstantExpr::getBitCast(ConstantInt::get(Type::getInt64Ty(context), pattern), Type::getDoubleTy(context));
  StringRef number = text;
  const bool negative = number.consume_front("-");
  number = number.rtrim("uU");
  uint64_t value;
  if (number.getAsInteger(0, value)) {
    double real;
    if (text.getAsDouble(real) || !type.is_float()) return nullptr;
    return ConstantFP::get(type.ir(context), real);
  }
  if (negative) value = -value;
  if (type.is_float() && !type.packed && type.bits >= 32)
    return ConstantFP::get(type.ir(context), static_cast<double>(static_cast<int64_t>(value)));
  return ConstantInt::get(Type::getInt64Ty(context), value);
}

}  // namespace

std::optional<PtxType> PtxType::parse(StringRef suffix) {
  if (suffix == "pred") return PtxType{'p', 1};
  if (suffix == "f16x2") return PtxType{'f', 32, true};
  if (suffix == "bf16x2") return PtxType{'h', 32, true};
  if (suffix == "bf16") return PtxType{'h', 16};
  unsigned bits;
  if (suffix.size() < 2 || !StringRef("busf").contains(suffix[0]) || suffix.drop_front().getAsInteger(10, bits))
    return std::nullopt;
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64 && bits != 128) return std::nullopt;
  return PtxType{suffix[0], bits};
}

Type* PtxType::integer(LLVMContext& context) const { return Type::getIntNTy(context, bits); }

Type* PtxType::ir(LLVMContext& context) const {
  if (!is_float()) return integer(context);
  Type* half = kind == 'h' ? Type::getBFloatTy(context) : Type::getHalfTy(context);
  if (packed) return FixedVectorType::get(half, 2);
  if (bits == 16) return half;
  return bits == 64 ? Type::getDoubleTy(context) : Type::getFloatTy(context);
}

std::optional<PtxType> last_type(const PtxInstruction& instruction) {
  for (const std::string& modifier : reverse(instruction.modifiers))
    if (std::optional<PtxType> type = PtxType::parse(modifier)) return type;
  return std::nullopt;
}

Value* to_bits_of(IRBuilderBase& builder, Value* value, Type* type, bool is_signed) {
  const DataLayout& layout = builder.GetInsertBlock()->getModule()->getDataLayout();
  if (value->getType() == type) return value;
  auto as_integer = [&](Value* v) -> Value* {
    if (v->getType()->isIntegerTy()) return v;
    Type* integer = builder.getIntNTy(layout.getTypeSizeInBits(v->getType()));
    return v->getType()->isPointerTy() ? builder.CreatePtrToInt(v, integer) : builder.CreateBitCast(v, integer);
  };
  if (type->isPointerTy()) return builder.CreateIntToPtr(as_integer(value), type);
  Type* integer = builder.getIntNTy(layout.getTypeSizeInBits(type));
  Value* bits = as_integer(value);
  bits = is_signed ? builder.CreateSExtOrTrunc(bits, integer) : builder.CreateZExtOrTrunc(bits, integer);
  return builder.CreateBitCast(bits, type);
}

PtxUnit::PtxUnit(Instruction* at, ArrayRef<Type*> outputs, ArrayRef<Value*> inputs, bool is_volatile)
    : at_(at), builder_(at), output_count_(outputs.size()), inputs_(inputs), is_volatile_(is_volatile) {
  for (auto [index, type] : enumerate(outputs)) slots_["$" + std::to_string(index)].type = type;
}

void PtxUnit::set_initial(unsigned index, Value* value) {
  Slot& slot = slots_["$" + std::to_string(index)];
  slot.value = to_bits_of(builder_, value, slot.type);
}

void PtxUnit::translate(const PtxProgram& program) {
  straight_ = is_straight_line(program);
  for (const PtxRegister& declared : program.registers) {
    std::optional<PtxType> type = PtxType::parse(declared.type);
    slots_[declared.name].type = type ? type->ir(context()) : builder_.getInt32Ty();
  }
  if (!straight_) {
    BasicBlock& entry = at_->getFunction()->getEntryBlock();
    IRBuilder<> top(&entry, entry.getFirstInsertionPt());
    for (auto& [name, slot] : slots_) {
      slot.memory = top.CreateAlloca(slot.type, nullptr, "ptx." + StringRef(name).ltrim("$%"));
      if (slot.value) builder_.CreateStore(slot.value, slot.memory);
    }
  }
  for (const PtxInstruction& instruction : program.code) translate_one(instruction);
  for (auto& [name, block] : labels_)
    if (block->empty()) new UnreachableInst(context(), block);  // a jump to a label of another asm statement
}

void PtxUnit::translate_one(const PtxInstruction& instruction) {
  if (!instruction.label.empty()) {
    BasicBlock* target = label(instruction.label);
    branch(target);
    BranchInst::Create(at_->getParent(), target);  // a label's block only leads to the code behind it
    return;
  }
  BasicBlock* after = nullptr;
  if (!instruction.guard.empty()) {
    Value* condition = read_predicate(instruction.guard);
    if (condition && instruction.guard_negated) condition = builder_.CreateNot(condition);
    if (condition && instruction.opcode != "bra") {
      Instruction* then = SplitBlockAndInsertIfThen(condition, at_, /*Unreachable=*/false);
      after = at_->getParent();
      builder_.SetInsertPoint(then);
    } else if (condition && !instruction.operands.empty()) {
      branch(label(instruction.operands[0]), condition);
      return;
    }
  }
  PtxHandler handler = find_handler(instruction.opcode);
  if (!handler || !handler(*this, instruction)) {
    warn(at_, "inline PTX is not emulated and stops the program when it is reached: " + instruction.text);
    auto [file, line] = source_place(at_);
    call("__shmemu_unknown_ptx",
         {builder_.CreateGlobalString(instruction.text), builder_.CreateGlobalString(file), builder_.getInt32(line)});
  }
  if (after) builder_.SetInsertPoint(at_);
}

Value* PtxUnit::result(unsigned index) { return load(slots_["$" + std::to_string(index)]); }

PtxUnit::Slot* PtxUnit::find_slot(StringRef name) {
  auto found = slots_.find(name);
  return found == slots_.end() ? nullptr : &found->second;
}

Value* PtxUnit::load(Slot& slot) {
  if (slot.memory) return builder_.CreateLoad(slot.type, slot.memory);
  return slot.value ? slot.value : Constant::getNullValue(slot.type);
}

void PtxUnit::store(Slot& slot, Value* value) {
  if (slot.memory)
    builder_.CreateStore(value, slot.memory);
  else
    slot.value = value;
}

Value* PtxUnit::read_raw(StringRef operand, const PtxType& type) {
  if (Slot* slot = find_slot(operand)) return load(*slot);
  unsigned index;
  if (operand.starts_with("$") && !operand.drop_front().getAsInteger(10, index))
    return index < output_count_ + inputs_.size() ? inputs_[index - output_count_] : nullptr;
  if (operand.starts_with("%")) return read_special_register(builder_, operand);
  return parse_immediate(operand, type, context());
}

Value* PtxUnit::read(StringRef operand, const PtxType& type) {
  if (type.kind == 'p') return read_predicate(operand);
  Value* value = read_raw(operand.trim(), type);
  if (!value) return nullptr;
  if (value->getType()->isIntegerTy(1)) value = builder_.CreateZExt(value, builder_.getInt32Ty());
  return to_bits_of(builder_, value, type.ir(context()), type.is_signed());
}

Value* PtxUnit::read_predicate(StringRef operand) {
  operand = operand.trim();
  const bool negated = operand.consume_front("!");
  Value* value = read_raw(operand, PtxType{'b', 32});
  if (!value) return nullptr;
  if (!value->getType()->isIntegerTy(1)) value = builder_.CreateICmpNE(value, Constant::getNullValue(value->getType()));
  return negated ? builder_.CreateNot(value) : value;
}

bool PtxUnit::write(StringRef operand, Value* value, bool is_signed) {
  operand = operand.trim();
  if (!value) return false;
  if (operand == "_") return true;
  Slot* slot = find_slot(operand);
  if (!slot) return false;
  store(*slot, to_bits_of(builder_, value, slot->type, is_signed));
  return true;
}

Value* PtxUnit::address(StringRef operand, const PtxInstruction& instruction) {
  if (!operand.consume_front("[") || !operand.consume_back("]")) return nullptr;
  operand = operand.trim();
  int64_t offset = 0;
  if (const size_t sign = operand.find_first_of("+-", 1); sign != StringRef::npos) {
    const bool negative = operand[sign] == '-';
    StringRef number = operand.drop_front(sign + 1).trim();
    if (number.consume_front("-")) return nullptr;
    if (number.getAsInteger(0, offset)) {
      // "[x+$2]": the offset is an immediate operand
      auto* constant = dyn_cast_or_null<ConstantInt>(read_raw(number, PtxType{'b', 64}));
      if (!constant) return nullptr;
      offset = constant->getSExtValue();
    }
    if (negative) offset = -offset;
    operand = operand.take_front(sign).trim();
  }
  Value* base = read_raw(operand, PtxType{'b', 64});
  if (!base) return nullptr;
  Value* pointer;
  if (base->getType()->isPointerTy())
    pointer = base;
  else if (instruction.has_prefix("shared") || base->getType()->getIntegerBitWidth() <= 32)
    pointer = shared_offset_to_address(builder_, base);
  else
    pointer = builder_.CreateIntToPtr(base, builder_.getPtrTy());
  return offset ? builder_.CreatePtrAdd(pointer, builder_.getInt64(offset)) : pointer;
}

BasicBlock* PtxUnit::label(StringRef name) {
  BasicBlock*& block = labels_[name.str()];
  if (!block) block = BasicBlock::Create(context(), "ptx." + name, at_->getFunction());
  return block;
}

void PtxUnit::branch(BasicBlock* target, Value* condition) {
  BasicBlock* before = at_->getParent();
  BasicBlock* after = SplitBlock(before, at_);
  before->getTerminator()->eraseFromParent();
  builder_.SetInsertPoint(before);
  if (condition)
    builder_.CreateCondBr(condition, target, after);
  else
    builder_.CreateBr(target);
  builder_.SetInsertPoint(at_);
}

void PtxUnit::call(StringRef runtime_function, ArrayRef<Value*> arguments) {
  call_runtime(builder_, runtime_function, arguments);
}

}  // namespace shmemu::plugin
