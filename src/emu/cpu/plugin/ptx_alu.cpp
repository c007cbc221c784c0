// PTX arithmetic, logic, comparison and bit opcodes on registers.
//
// Approximate forms (ex2.approx …) are computed exactly; rounding modes other than to-nearest are not modelled.
#include <functional>

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Intrinsics.h"
#include "ptx_unit.hpp"

using namespace llvm;

namespace shmemu::plugin {
namespace {

using Builder = IRBuilder<>;

/// Reads operands 1 … n as `type`; empty when one is missing or unreadable.
SmallVector<Value*, 4> read_sources(PtxUnit& unit, const PtxInstruction& i, const PtxType& type, unsigned count) {
  SmallVector<Value*, 4> values;
  for (unsigned k = 1; k <= count; ++k) {
    Value* value = i.operands.size() > k ? unit.read(i.operands[k], type) : nullptr;
    if (!value) return {};
    values.push_back(value);
  }
  return values;
}

bool write(PtxUnit& unit, const PtxInstruction& i, Value* value, const PtxType& type) {
  return unit.write(i.operands[0], value, type.is_signed());
}

PtxType widened(PtxType type) {
  type.bits *= 2;
  return type;
}

Value* saturate(Builder& b, Value* value) {
  Type* type = value->getType();
  Value* above_zero = b.CreateBinaryIntrinsic(Intrinsic::maxnum, value, ConstantFP::get(type, 0.0));
  return b.CreateBinaryIntrinsic(Intrinsic::minnum, above_zero, ConstantFP::get(type, 1.0));
}

// ---- add, sub, mul, div … ----

Value* minimum(Builder& b, const PtxType& type, Value* x, Value* y) {
  const auto id = type.is_float() ? Intrinsic::minnum : type.is_signed() ? Intrinsic::smin : Intrinsic::umin;
  return b.CreateBinaryIntrinsic(id, x, y);
}

Value* maximum(Builder& b, const PtxType& type, Value* x, Value* y) {
  const auto id = type.is_float() ? Intrinsic::maxnum : type.is_signed() ? Intrinsic::smax : Intrinsic::umax;
  return b.CreateBinaryIntrinsic(id, x, y);
}

Value* compute(Builder& b, StringRef op, const PtxType& type, Value* x, Value* y) {
  const bool is_float = type.is_float();
  if (op == "add") return is_float ? b.CreateFAdd(x, y) : b.CreateAdd(x, y);
  if (op == "sub") return is_float ? b.CreateFSub(x, y) : b.CreateSub(x, y);
  if (op == "div") return is_float ? b.CreateFDiv(x, y) : type.is_signed() ? b.CreateSDiv(x, y) : b.CreateUDiv(x, y);
  if (op == "rem") return type.is_signed() ? b.CreateSRem(x, y) : b.CreateURem(x, y);
  if (op == "min") return minimum(b, type, x, y);
  if (op == "max") return maximum(b, type, x, y);
  if (op == "and") return b.CreateAnd(x, y);
  if (op == "or") return b.CreateOr(x, y);
  if (op == "xor") return b.CreateXor(x, y);
  return nullptr;
}

bool binary(PtxUnit& unit, const PtxInstruction& i) {
  const std::optional<PtxType> type = last_type(i);
  if (!type || i.has("cc")) return false;
  const auto sources = read_sources(unit, i, *type, 2);
  if (sources.empty()) return false;
  if (i.has("sat") && !type->is_float()) {
    const auto id = i.opcode == "add" ? Intrinsic::sadd_sat : Intrinsic::ssub_sat;
    return write(unit, i, unit.builder().CreateBinaryIntrinsic(id, sources[0], sources[1]), *type);
  }
  Value* result = compute(unit.builder(), i.opcode, *type, sources[0], sources[1]);
  if (result && i.has("sat")) result = saturate(unit.builder(), result);
  return result && write(unit, i, result, *type);
}

/// Low half, high half or the whole product of two integers.
Value* multiply(PtxUnit& unit, const PtxInstruction& i, const PtxType& type, Value* x, Value* y) {
  Builder& b = unit.builder();
  if (!i.has("hi") && !i.has("wide")) return b.CreateMul(x, y);
  Type* wide = widened(type).integer(unit.context());
  auto extend = [&](Value* v) { return type.is_signed() ? b.CreateSExt(v, wide) : b.CreateZExt(v, wide); };
  Value* product = b.CreateMul(extend(x), extend(y));
  return i.has("wide") ? product : b.CreateTrunc(b.CreateLShr(product, type.bits), x->getType());
}

bool mul(PtxUnit& unit, const PtxInstruction& i) {
  const std::optional<PtxType> type = last_type(i);
  if (!type) return false;
  const auto sources = read_sources(unit, i, *type, 2);
  if (sources.empty()) return false;
  if (!type->is_float()) return write(unit, i, multiply(unit, i, *type, sources[0], sources[1]), *type);
  Value* product = unit.builder().CreateFMul(sources[0], sources[1]);
  return write(unit, i, i.has("sat") ? saturate(unit.builder(), product) : product, *type);
}

bool mad(PtxUnit& unit, const PtxInstruction& i) {
  const std::optional<PtxType> type = last_type(i);
  if (!type || i.operands.size() < 4 || i.has("cc")) return false;
  const auto sources = read_sources(unit, i, *type, 2);
  Value* addend = unit.read(i.operands[3], i.has("wide") ? widened(*type) : *type);
  if (sources.empty() || !addend) return false;
  Builder& b = unit.builder();
  if (type->is_float()) {
    Value* result = b.CreateIntrinsic(Intrinsic::fma, {addend->getType()}, {sources[0], sources[1], addend});
    if (i.has("relu")) result = maximum(b, *type, result, Constant::getNullValue(result->getType()));
    return write(unit, i, i.has("sat") ? saturate(b, result) : result, *type);
  }
  return write(unit, i, b.CreateAdd(multiply(unit, i, *type, sources[0], sources[1]), addend), *type);
}

/// mul24 / mad24: the low 24 bits of the factors.
bool mul24(PtxUnit& unit, const PtxInstruction& i) {
  const std::optional<PtxType> type = last_type(i);
  const bool adds = i.opcode == "mad24";
  if (!type || i.has("hi")) return false;
  const auto sources = read_sources(unit, i, *type, adds ? 3 : 2);
  if (sources.empty()) return false;
  Builder& b = unit.builder();
  auto low = [&](Value* v) {
    Value* shifted = b.CreateShl(v, 8);
    return type->is_signed() ? b.CreateAShr(shifted, 8) : b.CreateLShr(shifted, 8);
  };
  Value* product = b.CreateMul(low(sources[0]), low(sources[1]));
  return write(unit, i, adds ? b.CreateAdd(product, sources[2]) : product, *type);
}

bool sad(PtxUnit& unit, const PtxInstruction& i) {
  const std::optional<PtxType> type = last_type(i);
  if (!type) return false;
  const auto sources = read_sources(unit, i, *type, 3);
  if (sources.empty()) return false;
  Builder& b = unit.builder();
  Value* difference = b.CreateSub(maximum(b, *type, sources[0], sources[1]), minimum(b, *type, sources[0], sources[1]));
  return write(unit, i, b.CreateAdd(difference, sources[2]), *type);
}

// ---- one operand ----

Value* compute(Builder& b, StringRef op, const PtxType& type, Value* x) {
  Type* t = x->getType();
  if (op == "neg") return type.is_float() ? b.CreateFNeg(x) : b.CreateNeg(x);
  if (op == "abs")
    return type.is_float() ? b.CreateUnaryIntrinsic(Intrinsic::fabs, x)
                           : b.CreateBinaryIntrinsic(Intrinsic::abs, x, b.getFalse());
  if (op == "not") return b.CreateNot(x);
  if (op == "cnot") return b.CreateZExt(b.CreateICmpEQ(x, Constant::getNullValue(t)), t);
  if (op == "brev") return b.CreateUnaryIntrinsic(Intrinsic::bitreverse, x);
  if (op == "popc") return b.CreateUnaryIntrinsic(Intrinsic::ctpop, x);
  if (op == "clz") return b.CreateBinaryIntrinsic(Intrinsic::ctlz, x, b.getFalse());
  if (op == "sqrt") return b.CreateUnaryIntrinsic(Intrinsic::sqrt, x);
  if (op == "rcp") return b.CreateFDiv(ConstantFP::get(t, 1.0), x);
  if (op == "rsqrt") return b.CreateFDiv(ConstantFP::get(t, 1.0), b.CreateUnaryIntrinsic(Intrinsic::sqrt, x));
  if (op == "ex2") return b.CreateUnaryIntrinsic(Intrinsic::exp2, x);
  if (op == "lg2") return b.CreateUnaryIntrinsic(Intrinsic::log2, x);
  if (op == "sin") return b.CreateUnaryIntrinsic(Intrinsic::sin, x);
  if (op == "cos") return b.CreateUnaryIntrinsic(Intrinsic::cos, x);
  if (op == "tanh") {  // 1 - 2 / (2^(2 x log2 e) + 1)
    Value* power = b.CreateUnaryIntrinsic(Intrinsic::exp2, b.CreateFMul(x, ConstantFP::get(t, 2.885390081777927)));
    Value* one = ConstantFP::get(t, 1.0);
    return b.CreateFSub(one, b.CreateFDiv(ConstantFP::get(t, 2.0), b.CreateFAdd(power, one)));
  }
  return nullptr;
}

bool unary(PtxUnit& unit, const PtxInstruction& i) {
  const std::optional<PtxType> type = last_type(i);
  if (!type) return false;
  const auto sources = read_sources(unit, i, *type, 1);
  if (sources.empty()) return false;
  Value* result = compute(unit.builder(), i.opcode, *type, sources[0]);
  return result && write(unit, i, result, *type);
}

/// Highest bit that differs from the sign; ~0 when there is none.
bool bfind(PtxUnit& unit, const PtxInstruction& i) {
  const std::optional<PtxType> type = last_type(i);
  if (!type) return false;
  const auto sources = read_sources(unit, i, *type, 1);
  if (sources.empty()) return false;
  Builder& b = unit.builder();
  Value* x = sources[0];
  if (type->is_signed()) x = b.CreateXor(x, b.CreateAShr(x, type->bits - 1));
  Value* zeros = b.CreateBinaryIntrinsic(Intrinsic::ctlz, x, b.getFalse());
  Value* bit = i.has("shiftamt") ? zeros : b.CreateSub(ConstantInt::get(x->getType(), type->bits - 1), zeros);
  Value* none = b.CreateICmpEQ(x, Constant::getNullValue(x->getType()));
  Value* result = b.CreateSelect(none, b.getInt32(~0u), b.CreateTrunc(bit, b.getInt32Ty()));
  return unit.write(i.operands[0], result);
}

// ---- comparison and choice ----

std::optional<CmpInst::Predicate> comparison(StringRef name, const PtxType& type) {
  if (type.is_float())
    return StringSwitch<std::optional<CmpInst::Predicate>>(name)
        .Case("eq", CmpInst::FCMP_OEQ)
        .Case("ne", CmpInst::FCMP_ONE)
        .Case("lt", CmpInst::FCMP_OLT)
        .Case("le", CmpInst::FCMP_OLE)
        .Case("gt", CmpInst::FCMP_OGT)
        .Case("ge", CmpInst::FCMP_OGE)
        .Case("equ", CmpInst::FCMP_UEQ)
        .Case("neu", CmpInst::FCMP_UNE)
        .Case("ltu", CmpInst::FCMP_ULT)
        .Case("leu", CmpInst::FCMP_ULE)
        .Case("gtu", CmpInst::FCMP_UGT)
        .Case("geu", CmpInst::FCMP_UGE)
        .Case("num", CmpInst::FCMP_ORD)
        .Case("nan", CmpInst::FCMP_UNO)
        .Default(std::nullopt);
  const bool s = type.is_signed();
  return StringSwitch<std::optional<CmpInst::Predicate>>(name)
      .Case("eq", CmpInst::ICMP_EQ)
      .Case("ne", CmpInst::ICMP_NE)
      .Case("lt", s ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT)
      .Case("le", s ? CmpInst::ICMP_SLE : CmpInst::ICMP_ULE)
      .Case("gt", s ? CmpInst::ICMP_SGT : CmpInst::ICMP_UGT)
      .Case("ge", s ? CmpInst::ICMP_SGE : CmpInst::ICMP_UGE)
      .Case("lo", CmpInst::ICMP_ULT)
      .Case("ls", CmpInst::ICMP_ULE)
      .Case("hi", CmpInst::ICMP_UGT)
      .Case("hs", CmpInst::ICMP_UGE)
      .Default(std::nullopt);
}

/// The comparison of setp and set, combined with the predicate c of "setp.lt.and.… p|q, a, b, c".
Value* compare(PtxUnit& unit, const PtxInstruction& i, const PtxType& type, Value** complement) {
  const std::optional<CmpInst::Predicate> relation =
      i.modifiers.empty() ? std::nullopt : comparison(i.modifiers.front(), type);
  const auto sources = read_sources(unit, i, type, 2);
  if (!relation || sources.empty()) return nullptr;
  Builder& b = unit.builder();
  Value* truth = b.CreateCmp(*relation, sources[0], sources[1]);
  *complement = b.CreateNot(truth);
  if (i.operands.size() < 4) return truth;
  Value* other = unit.read_predicate(i.operands[3]);
  const StringRef op = i.one_of({"and", "or", "xor"});
  if (!other || op.empty()) return nullptr;
  *complement = compute(b, op, PtxType{}, *complement, other);
  return compute(b, op, PtxType{}, truth, other);
}

bool setp(PtxUnit& unit, const PtxInstruction& i) {
  const std::optional<PtxType> type = last_type(i);
  Value* complement = nullptr;
  Value* truth = type && !type->packed ? compare(unit, i, *type, &complement) : nullptr;
  if (!truth) return false;
  auto [target, second] = StringRef(i.operands[0]).split('|');
  return unit.write(target, truth) && (second.empty() || unit.write(second, complement));
}

/// set.cmp.dtype.stype: all ones or 1.0 when true.
bool set(PtxUnit& unit, const PtxInstruction& i) {
  const std::optional<PtxType> type = last_type(i);
  if (!type || i.modifiers.size() < 3) return false;
  const std::optional<PtxType> result = PtxType::parse(i.modifiers[i.modifiers.size() - 2]);
  Value* complement = nullptr;
  Value* truth = result ? compare(unit, i, *type, &complement) : nullptr;
  if (!truth) return false;
  Type* target = result->ir(unit.context());
  Builder& b = unit.builder();
  return unit.write(i.operands[0], result->is_float() ? b.CreateUIToFP(truth, target) : b.CreateSExt(truth, target));
}

bool selp(PtxUnit& unit, const PtxInstruction& i) {
  const std::optional<PtxType> type = last_type(i);
  if (!type || i.operands.size() < 4) return false;
  const auto sources = read_sources(unit, i, *type, 2);
  Value* condition = unit.read_predicate(i.operands[3]);
  if (sources.empty() || !condition) return false;
  return write(unit, i, unit.builder().CreateSelect(condition, sources[0], sources[1]), *type);
}

// ---- bits ----

/// Shift amounts beyond the width give 0 (or the sign), as in PTX.
bool shift(PtxUnit& unit, const PtxInstruction& i) {
  const std::optional<PtxType> type = last_type(i);
  if (!type || i.operands.size() < 3) return false;
  Value* x = unit.read(i.operands[1], *type);
  Value* amount = unit.read(i.operands[2], PtxType{'u', 32});
  if (!x || !amount) return false;
  Builder& b = unit.builder();
  const bool arithmetic = i.opcode == "shr" && type->is_signed();
  Value* limit = b.getInt32(type->bits - 1);
  Value* clamped = b.CreateZExtOrTrunc(b.CreateBinaryIntrinsic(Intrinsic::umin, amount, limit), x->getType());
  Value* shifted = i.opcode == "shl" ? b.CreateShl(x, clamped)
                   : arithmetic      ? b.CreateAShr(x, clamped)
                                     : b.CreateLShr(x, clamped);
  if (!arithmetic)
    shifted = b.CreateSelect(b.CreateICmpUGT(amount, limit), Constant::getNullValue(x->getType()), shifted);
  return write(unit, i, shifted, *type);
}

/// shf.l / shf.r: funnel shift of {b, a}.
bool funnel(PtxUnit& unit, const PtxInstruction& i) {
  const auto sources = read_sources(unit, i, PtxType{'b', 32}, 3);
  if (sources.empty()) return false;
  Builder& b = unit.builder();
  Value* amount = sources[2];
  if (i.has("clamp")) {
    Value* full = i.has("l") ? sources[0] : sources[1];
    Value* beyond = b.CreateICmpUGE(amount, b.getInt32(32));
    Value* shifted = b.CreateIntrinsic(i.has("l") ? Intrinsic::fshl : Intrinsic::fshr, {b.getInt32Ty()},
                                       {sources[1], sources[0], amount});
    return unit.write(i.operands[0], b.CreateSelect(beyond, full, shifted));
  }
  const auto id = i.has("l") ? Intrinsic::fshl : Intrinsic::fshr;
  return unit.write(i.operands[0], b.CreateIntrinsic(id, {b.getInt32Ty()}, {sources[1], sources[0], amount}));
}

/// lop3.b32 d, a, b, c, table
bool lop3(PtxUnit& unit, const PtxInstruction& i) {
  const auto sources = read_sources(unit, i, PtxType{'b', 32}, 4);
  if (sources.empty()) return false;
  auto* table = dyn_cast<ConstantInt>(sources[3]);
  if (!table) return false;
  Builder& b = unit.builder();
  Value* result = b.getInt32(0);
  for (unsigned row = 0; row < 8; ++row) {
    if (!(table->getZExtValue() >> row & 1)) continue;
    Value* term = row & 4 ? sources[0] : b.CreateNot(sources[0]);
    term = b.CreateAnd(term, row & 2 ? sources[1] : b.CreateNot(sources[1]));
    term = b.CreateAnd(term, row & 1 ? sources[2] : b.CreateNot(sources[2]));
    result = b.CreateOr(result, term);
  }
  return unit.write(i.operands[0], result);
}

/// prmt.b32 d, a, b, c (default mode): each nibble of c chooses a byte of {b, a}; bit 3 replicates its sign.
bool prmt(PtxUnit& unit, const PtxInstruction& i) {
  const auto sources = read_sources(unit, i, PtxType{'b', 32}, 3);
  if (sources.empty() || i.modifiers.size() > 1) return false;
  Builder& b = unit.builder();
  Type* i64 = b.getInt64Ty();
  Value* bytes = b.CreateOr(b.CreateZExt(sources[0], i64), b.CreateShl(b.CreateZExt(sources[1], i64), 32));
  Value* result = b.getInt32(0);
  for (unsigned k = 0; k < 4; ++k) {
    Value* selector = b.CreateAnd(b.CreateLShr(sources[2], 4 * k), b.getInt32(15));
    Value* position = b.CreateShl(b.CreateAnd(selector, b.getInt32(7)), 3);
    Value* byte = b.CreateTrunc(b.CreateLShr(bytes, b.CreateZExt(position, i64)), b.getInt8Ty());
    Value* sign = b.CreateAShr(byte, 7);
    Value* chosen = b.CreateSelect(b.CreateICmpUGT(selector, b.getInt32(7)), sign, byte);
    result = b.CreateOr(result, b.CreateShl(b.CreateZExt(chosen, b.getInt32Ty()), 8 * k));
  }
  return unit.write(i.operands[0], result);
}

/// bfe d, a, position, length
bool bfe(PtxUnit& unit, const PtxInstruction& i) {
  const std::optional<PtxType> type = last_type(i);
  if (!type || i.operands.size() < 4) return false;
  Value* x = unit.read(i.operands[1], *type);
  Value* position = unit.read(i.operands[2], PtxType{'u', 32});
  Value* length = unit.read(i.operands[3], PtxType{'u', 32});
  if (!x || !position || !length) return false;
  Builder& b = unit.builder();
  // In 128 bits no amount overflows: move the field to the top, then back down.
  Type* wide = b.getInt128Ty();
  auto limited = [&](Value* v) {
    Value* low = b.CreateAnd(v, b.getInt32(255));
    return b.CreateZExt(b.CreateBinaryIntrinsic(Intrinsic::umin, low, b.getInt32(type->bits)), wide);
  };
  const bool s = type->is_signed();
  Value* shifted = s ? b.CreateAShr(b.CreateSExt(x, wide), limited(position))
                     : b.CreateLShr(b.CreateZExt(x, wide), limited(position));
  Value* unused = b.CreateSub(ConstantInt::get(wide, 127), limited(length));
  Value* top = b.CreateShl(b.CreateShl(shifted, unused), 1);
  Value* field = s ? b.CreateAShr(b.CreateAShr(top, unused), 1) : b.CreateLShr(b.CreateLShr(top, unused), 1);
  return write(unit, i, b.CreateTrunc(field, x->getType()), *type);
}

/// bfi d, field, into, position, length
bool bfi(PtxUnit& unit, const PtxInstruction& i) {
  const std::optional<PtxType> type = last_type(i);
  if (!type || i.operands.size() < 5) return false;
  const auto sources = read_sources(unit, i, *type, 2);
  Value* position = unit.read(i.operands[3], PtxType{'u', 32});
  Value* length = unit.read(i.operands[4], PtxType{'u', 32});
  if (sources.empty() || !position || !length) return false;
  Builder& b = unit.builder();
  Type* wide = b.getInt128Ty();
  auto limited = [&](Value* v) {
    Value* low = b.CreateAnd(v, b.getInt32(255));
    return b.CreateZExt(b.CreateBinaryIntrinsic(Intrinsic::umin, low, b.getInt32(type->bits)), wide);
  };
  Value* ones = b.CreateSub(b.CreateShl(ConstantInt::get(wide, 1), limited(length)), ConstantInt::get(wide, 1));
  Value* mask = b.CreateShl(ones, limited(position));
  Value* field = b.CreateShl(b.CreateZExt(sources[0], wide), limited(position));
  Value* result = b.CreateOr(b.CreateAnd(field, mask), b.CreateAnd(b.CreateZExt(sources[1], wide), b.CreateNot(mask)));
  return write(unit, i, b.CreateTrunc(result, sources[0]->getType()), *type);
}

bool copysign(PtxUnit& unit, const PtxInstruction& i) {  // copysign d, sign, magnitude
  const std::optional<PtxType> type = last_type(i);
  if (!type) return false;
  const auto sources = read_sources(unit, i, *type, 2);
  if (sources.empty()) return false;
  return write(unit, i, unit.builder().CreateBinaryIntrinsic(Intrinsic::copysign, sources[1], sources[0]), *type);
}

/// mov, also packing "mov.b64 d, {lo, hi}" and unpacking "mov.b64 {lo, hi}, d".
bool mov(PtxUnit& unit, const PtxInstruction& i) {
  const std::optional<PtxType> type = last_type(i);
  if (!type || i.operands.size() < 2) return false;
  Builder& b = unit.builder();
  const std::vector<std::string> targets = vector_elements(i.operands[0]), sources = vector_elements(i.operands[1]);
  if (targets.size() == 1 && sources.size() == 1) return unit.write(targets[0], unit.read(sources[0], *type));
  const PtxType whole{'b', type->bits}, part{'b', type->bits / unsigned(std::max(targets.size(), sources.size()))};
  Type* integer = whole.integer(unit.context());
  if (targets.size() == 1) {
    Value* packed = ConstantInt::get(integer, 0);
    for (auto [k, source] : enumerate(sources)) {
      Value* value = unit.read(source, part);
      if (!value) return false;
      packed = b.CreateOr(packed, b.CreateShl(b.CreateZExt(value, integer), k * part.bits));
    }
    return unit.write(targets[0], packed);
  }
  Value* value = unit.read(i.operands[1], whole);
  for (auto [k, target] : enumerate(targets))
    if (!value || !unit.write(target, b.CreateTrunc(b.CreateLShr(value, k * part.bits), part.integer(unit.context()))))
      return false;
  return true;
}

}  // namespace

ArrayRef<PtxOpcode> ptx_alu_opcodes() {
  static constexpr PtxOpcode table[] = {
      {"mov", mov},           {"add", binary},  {"sub", binary},  {"div", binary}, {"rem", binary}, {"min", binary},
      {"max", binary},        {"and", binary},  {"or", binary},   {"xor", binary}, {"mul", mul},    {"mad", mad},
      {"fma", mad},           {"mul24", mul24}, {"mad24", mul24}, {"sad", sad},    {"neg", unary},  {"abs", unary},
      {"not", unary},         {"cnot", unary},  {"brev", unary},  {"popc", unary}, {"clz", unary},  {"sqrt", unary},
      {"rcp", unary},         {"rsqrt", unary}, {"ex2", unary},   {"lg2", unary},  {"sin", unary},  {"cos", unary},
      {"tanh", unary},        {"bfind", bfind}, {"setp", setp},   {"set", set},    {"selp", selp},  {"shl", shift},
      {"shr", shift},         {"shf", funnel},  {"lop3", lop3},   {"prmt", prmt},  {"bfe", bfe},    {"bfi", bfi},
      {"copysign", copysign},
  };
  return table;
}

}  // namespace shmemu::plugin
