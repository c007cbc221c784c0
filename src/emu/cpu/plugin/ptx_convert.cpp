// PTX conversions: cvt between all scalar types, the packed f16x2 / bf16x2 forms, cvta and isspacep.
//
// Float to integer saturates and turns NaN into 0, as on the GPU. Rounding of float results is to nearest.
#include "llvm/IR/Intrinsics.h"
#include "ptx_unit.hpp"
#include "runtime_calls.hpp"
#include "shared_memory.hpp"

using namespace llvm;

namespace shmemu::plugin {
namespace {

Intrinsic::ID integral_rounding(const PtxInstruction& i) {
  if (i.has("rni")) return Intrinsic::roundeven;
  if (i.has("rmi")) return Intrinsic::floor;
  if (i.has("rpi")) return Intrinsic::ceil;
  if (i.has("rzi")) return Intrinsic::trunc;
  return Intrinsic::not_intrinsic;
}

Value* resize_float(IRBuilder<>& b, Value* value, Type* type) {
  Type* from = value->getType();
  if (from == type) return value;
  if (from->isBFloatTy() && type->isHalfTy()) value = b.CreateFPExt(value, b.getFloatTy());
  if (from->isHalfTy() && type->isBFloatTy()) value = b.CreateFPExt(value, b.getFloatTy());
  return value->getType()->getScalarSizeInBits() > type->getScalarSizeInBits() ? b.CreateFPTrunc(value, type)
                                                                               : b.CreateFPExt(value, type);
}

Value* float_to_float(IRBuilder<>& b, const PtxInstruction& i, Value* value, const PtxType& to) {
  if (const auto rounding = integral_rounding(i); rounding != Intrinsic::not_intrinsic)
    value = b.CreateUnaryIntrinsic(rounding, value);
  value = resize_float(b, value, to.ir(b.getContext()));
  if (!i.has("sat") && !i.has("relu")) return value;
  Type* type = value->getType();
  value = b.CreateBinaryIntrinsic(Intrinsic::maxnum, value, ConstantFP::get(type, 0.0));
  return i.has("sat") ? b.CreateBinaryIntrinsic(Intrinsic::minnum, value, ConstantFP::get(type, 1.0)) : value;
}

Value* float_to_integer(IRBuilder<>& b, const PtxInstruction& i, Value* value, const PtxType& to) {
  if (const auto rounding = integral_rounding(i); rounding != Intrinsic::not_intrinsic)
    value = b.CreateUnaryIntrinsic(rounding, value);
  const auto id = to.is_signed() ? Intrinsic::fptosi_sat : Intrinsic::fptoui_sat;
  return b.CreateIntrinsic(id, {to.integer(b.getContext()), value->getType()}, {value});
}

Value* integer_to_integer(IRBuilder<>& b, const PtxInstruction& i, Value* value, const PtxType& from,
                          const PtxType& to) {
  Type* wide = b.getInt128Ty();
  Value* exact = from.is_signed() ? b.CreateSExt(value, wide) : b.CreateZExt(value, wide);
  if (i.has("sat")) {
    const APInt low = to.is_signed() ? APInt::getSignedMinValue(to.bits).sext(128) : APInt(128, 0);
    const APInt high = (to.is_signed() ? APInt::getSignedMaxValue(to.bits) : APInt::getMaxValue(to.bits)).zext(128);
    exact = b.CreateBinaryIntrinsic(Intrinsic::smax, exact, ConstantInt::get(wide, low));
    exact = b.CreateBinaryIntrinsic(Intrinsic::smin, exact, ConstantInt::get(wide, high));
  }
  return b.CreateTrunc(exact, to.integer(b.getContext()));
}

/// cvt.rn.f16x2.f32 d, high, low
bool convert_packed(PtxUnit& unit, const PtxInstruction& i, const PtxType& to, const PtxType& from) {
  if (!to.packed || from.packed || i.operands.size() < 3) return false;
  IRBuilder<>& b = unit.builder();
  Value* high = unit.read(i.operands[1], from);
  Value* low = unit.read(i.operands[2], from);
  if (!high || !low) return false;
  const PtxType element{to.kind, 16};
  Value* pair = PoisonValue::get(to.ir(unit.context()));
  pair = b.CreateInsertElement(pair, float_to_float(b, i, low, element), uint64_t{0});
  pair = b.CreateInsertElement(pair, float_to_float(b, i, high, element), uint64_t{1});
  return unit.write(i.operands[0], pair);
}

bool convert(PtxUnit& unit, const PtxInstruction& i) {
  if (i.modifiers.size() < 2 || i.operands.size() < 2) return false;
  const std::optional<PtxType> from = last_type(i), to = PtxType::parse(i.modifiers[i.modifiers.size() - 2]);
  if (!from || !to) return false;
  if (to->packed || from->packed) return convert_packed(unit, i, *to, *from);
  Value* value = unit.read(i.operands[1], *from);
  if (!value) return false;
  IRBuilder<>& b = unit.builder();
  Value* result;
  if (from->is_float())
    result = to->is_float() ? float_to_float(b, i, value, *to) : float_to_integer(b, i, value, *to);
  else if (to->is_float())
    result = from->is_signed() ? b.CreateSIToFP(value, to->ir(unit.context()))
                               : b.CreateUIToFP(value, to->ir(unit.context()));
  else
    result = integer_to_integer(b, i, value, *from, *to);
  return unit.write(i.operands[0], result, to->is_signed());
}

/// cvta.space d, a (to generic) and cvta.to.space d, a. Only shared addresses have a form of their own.
bool convert_address(PtxUnit& unit, const PtxInstruction& i) {
  const std::optional<PtxType> type = last_type(i);
  Value* value = type && i.operands.size() > 1 ? unit.read(i.operands[1], *type) : nullptr;
  if (!value) return false;
  IRBuilder<>& b = unit.builder();
  if (i.has_prefix("shared"))
    value = i.has("to") ? shared_address_to_offset(b, b.CreateIntToPtr(value, b.getPtrTy()))
                        : shared_offset_to_address(b, value);
  return unit.write(i.operands[0], value);
}

/// isspacep.space p, a: shared is what lies in the block's shared memory, everything else counts as global.
bool is_in_space(PtxUnit& unit, const PtxInstruction& i) {
  IRBuilder<>& b = unit.builder();
  Value* value = i.operands.size() > 1 ? unit.read(i.operands[1], PtxType{'b', 64}) : nullptr;
  if (!value || (!i.has_prefix("shared") && !i.has("global"))) return false;
  Type* word = b.getInt64Ty();
  Value* first = b.CreatePtrToInt(call_runtime(b, "__shmemu_get_shared"), word);
  Value* dynamic = b.CreatePtrToInt(call_runtime(b, "__shmemu_get_dynamic_shared"), word);
  Value* end = b.CreateAdd(dynamic, b.CreateZExt(call_runtime(b, "__shmemu_dynamic_shared_bytes"), word));
  Value* shared = b.CreateAnd(b.CreateICmpUGE(value, first), b.CreateICmpULT(value, end));
  return unit.write(i.operands[0], i.has("global") ? b.CreateNot(shared) : shared);
}

/// mapa: a cluster has one block, so every address maps to itself. getctarank is 0.
bool map_address(PtxUnit& unit, const PtxInstruction& i) {
  const std::optional<PtxType> type = last_type(i);
  return type && i.operands.size() > 1 && unit.write(i.operands[0], unit.read(i.operands[1], *type));
}

bool zero(PtxUnit& unit, const PtxInstruction& i) {
  return !i.operands.empty() && unit.write(i.operands[0], unit.builder().getInt64(0));
}

}  // namespace

ArrayRef<PtxOpcode> ptx_convert_opcodes() {
  static constexpr PtxOpcode table[] = {
      {"cvt", convert},      {"cvta", convert_address}, {"isspacep", is_in_space},
      {"mapa", map_address}, {"getctarank", zero},      {"createpolicy", zero},
  };
  return table;
}

}  // namespace shmemu::plugin
