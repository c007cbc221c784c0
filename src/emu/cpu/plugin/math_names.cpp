// Device math: the __nv_* names that clang's CUDA math headers call.
//
// One that LLVM has as an intrinsic becomes it (so it folds and vectorises), one that equals a libm function becomes
// that, one that is a single IR operation becomes it. The others stay __nv_* and come from the runtime.
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "passes.hpp"
#include "symbol_names.hpp"

using namespace llvm;

namespace shmemu::plugin {
namespace {

using Builder = IRBuilder<>;
using Arguments = SmallVectorImpl<Value*>;
using Emit = Value* (*)(Builder&, Arguments&);

template <Intrinsic::ID id>
Value* unary(Builder& b, Arguments& a) {
  return b.CreateUnaryIntrinsic(id, a[0]);
}
template <Intrinsic::ID id>
Value* binary(Builder& b, Arguments& a) {
  return b.CreateBinaryIntrinsic(id, a[0], a[1]);
}
template <Intrinsic::ID id>  // ctlz, abs: the second operand says "zero / minimum is defined"
Value* unary_defined(Builder& b, Arguments& a) {
  return b.CreateBinaryIntrinsic(id, a[0], b.getFalse());
}
Value* fused(Builder& b, Arguments& a) {
  return b.CreateIntrinsic(Intrinsic::fma, {a[0]->getType()}, {a[0], a[1], a[2]});
}
Value* add(Builder& b, Arguments& a) { return b.CreateFAdd(a[0], a[1]); }
Value* subtract(Builder& b, Arguments& a) { return b.CreateFSub(a[0], a[1]); }
Value* multiply(Builder& b, Arguments& a) { return b.CreateFMul(a[0], a[1]); }
Value* divide(Builder& b, Arguments& a) { return b.CreateFDiv(a[0], a[1]); }
Value* reciprocal(Builder& b, Arguments& a) { return b.CreateFDiv(ConstantFP::get(a[0]->getType(), 1.0), a[0]); }
Value* reciprocal_root(Builder& b, Arguments& a) {
  return b.CreateFDiv(ConstantFP::get(a[0]->getType(), 1.0), b.CreateUnaryIntrinsic(Intrinsic::sqrt, a[0]));
}
Value* same_bits(Builder& b, Arguments& a) {
  Type* from = a[0]->getType();
  const bool wide = from->getPrimitiveSizeInBits() == 64;
  Type* to = from->isFloatingPointTy() ? b.getIntNTy(wide ? 64 : 32) : wide ? b.getDoubleTy() : b.getFloatTy();
  return b.CreateBitCast(a[0], to);
}
Value* find_first_set(Builder& b, Arguments& a) {  // ffs: 1-based, 0 for 0
  Type* type = a[0]->getType();
  Value* position =
      b.CreateAdd(b.CreateBinaryIntrinsic(Intrinsic::cttz, a[0], b.getFalse()), ConstantInt::get(type, 1));
  return b.CreateSelect(b.CreateICmpEQ(a[0], Constant::getNullValue(type)), Constant::getNullValue(type), position);
}
template <bool is_signed>
Value* multiply_high(Builder& b, Arguments& a) {
  const unsigned bits = a[0]->getType()->getIntegerBitWidth();
  Type* wide = b.getIntNTy(2 * bits);
  auto extend = [&](Value* v) { return is_signed ? b.CreateSExt(v, wide) : b.CreateZExt(v, wide); };
  return b.CreateTrunc(b.CreateLShr(b.CreateMul(extend(a[0]), extend(a[1])), bits), a[0]->getType());
}
Value* saturate(Builder& b, Arguments& a) {
  Value* positive = b.CreateBinaryIntrinsic(Intrinsic::maxnum, a[0], ConstantFP::get(a[0]->getType(), 0.0));
  return b.CreateBinaryIntrinsic(Intrinsic::minnum, positive, ConstantFP::get(a[0]->getType(), 1.0));
}
template <Instruction::CastOps op, unsigned bits>  // bits: of the result; 32 and 64 are float and double for FP casts
Value* cast_to(Builder& b, Arguments& a) {
  const bool to_float = op == Instruction::SIToFP || op == Instruction::UIToFP || op == Instruction::FPTrunc;
  return b.CreateCast(op, a[0], !to_float ? b.getIntNTy(bits) : bits == 64 ? b.getDoubleTy() : b.getFloatTy());
}

/// Without the "__nv_"; a float variant "…f" is listed when it exists.
const StringMap<Emit>& operations() {
  static const StringMap<Emit> table = {
      {"sqrt", unary<Intrinsic::sqrt>},
      {"sqrtf", unary<Intrinsic::sqrt>},
      {"fabs", unary<Intrinsic::fabs>},
      {"fabsf", unary<Intrinsic::fabs>},
      {"floor", unary<Intrinsic::floor>},
      {"floorf", unary<Intrinsic::floor>},
      {"ceil", unary<Intrinsic::ceil>},
      {"ceilf", unary<Intrinsic::ceil>},
      {"trunc", unary<Intrinsic::trunc>},
      {"truncf", unary<Intrinsic::trunc>},
      {"rint", unary<Intrinsic::rint>},
      {"rintf", unary<Intrinsic::rint>},
      {"nearbyint", unary<Intrinsic::nearbyint>},
      {"nearbyintf", unary<Intrinsic::nearbyint>},
      {"round", unary<Intrinsic::round>},
      {"roundf", unary<Intrinsic::round>},
      {"fmin", binary<Intrinsic::minnum>},
      {"fminf", binary<Intrinsic::minnum>},
      {"fmax", binary<Intrinsic::maxnum>},
      {"fmaxf", binary<Intrinsic::maxnum>},
      {"copysign", binary<Intrinsic::copysign>},
      {"copysignf", binary<Intrinsic::copysign>},
      {"fma", fused},
      {"fmaf", fused},
      {"fma_rn", fused},
      {"fmaf_rn", fused},
      {"dadd_rn", add},
      {"fadd_rn", add},
      {"dsub_rn", subtract},
      {"fsub_rn", subtract},
      {"dmul_rn", multiply},
      {"fmul_rn", multiply},
      {"ddiv_rn", divide},
      {"fdiv_rn", divide},
      {"fast_fdividef", divide},
      {"drcp_rn", reciprocal},
      {"frcp_rn", reciprocal},
      {"dsqrt_rn", unary<Intrinsic::sqrt>},
      {"fsqrt_rn", unary<Intrinsic::sqrt>},
      {"rsqrt", reciprocal_root},
      {"rsqrtf", reciprocal_root},
      {"frsqrt_rn", reciprocal_root},
      {"saturatef", saturate},
      {"popc", unary<Intrinsic::ctpop>},
      {"popcll", unary<Intrinsic::ctpop>},
      {"clz", unary_defined<Intrinsic::ctlz>},
      {"clzll", unary_defined<Intrinsic::ctlz>},
      {"brev", unary<Intrinsic::bitreverse>},
      {"brevll", unary<Intrinsic::bitreverse>},
      {"ffs", find_first_set},
      {"ffsll", find_first_set},
      {"abs", unary_defined<Intrinsic::abs>},
      {"llabs", unary_defined<Intrinsic::abs>},
      {"min", binary<Intrinsic::smin>},
      {"llmin", binary<Intrinsic::smin>},
      {"umin", binary<Intrinsic::umin>},
      {"ullmin", binary<Intrinsic::umin>},
      {"max", binary<Intrinsic::smax>},
      {"llmax", binary<Intrinsic::smax>},
      {"umax", binary<Intrinsic::umax>},
      {"ullmax", binary<Intrinsic::umax>},
      {"mulhi", multiply_high<true>},
      {"umulhi", multiply_high<false>},
      {"mul64hi", multiply_high<true>},
      {"umul64hi", multiply_high<false>},
      {"float_as_int", same_bits},
      {"float_as_uint", same_bits},
      {"int_as_float", same_bits},
      {"uint_as_float", same_bits},
      {"double_as_longlong", same_bits},
      {"longlong_as_double", same_bits},
      {"int2float_rn", cast_to<Instruction::SIToFP, 32>},
      {"uint2float_rn", cast_to<Instruction::UIToFP, 32>},
      {"int2double_rn", cast_to<Instruction::SIToFP, 64>},
      {"uint2double_rn", cast_to<Instruction::UIToFP, 64>},
      {"ll2float_rn", cast_to<Instruction::SIToFP, 32>},
      {"ull2float_rn", cast_to<Instruction::UIToFP, 32>},
      {"ll2double_rn", cast_to<Instruction::SIToFP, 64>},
      {"ull2double_rn", cast_to<Instruction::UIToFP, 64>},
      {"double2float_rn", cast_to<Instruction::FPTrunc, 32>},
  };
  return table;
}

/// The libm function behind a name without "__nv_", or "".
std::string libm_name(StringRef name) {
  if (StringRef fast = name; fast.consume_front("fast_")) name = fast;
  return is_libc_name(name) ? name.str() : "";
}

void replace_calls(Function& function, Emit emit) {
  for (User* user : make_early_inc_range(function.users())) {
    auto* call = dyn_cast<CallInst>(user);
    if (!call || call->getCalledFunction() != &function) continue;
    Builder b(call);
    SmallVector<Value*, 4> arguments(call->args());
    Value* result = emit(b, arguments);
    if (result->getType() != call->getType()) result = b.CreateZExtOrTrunc(result, call->getType());
    call->replaceAllUsesWith(result);
    call->eraseFromParent();
  }
}

}  // namespace

void map_math_names(Module& module) {
  for (Function& function : make_early_inc_range(module)) {
    StringRef name = function.getName();
    if (!function.isDeclaration() || !name.consume_front("__nv_")) continue;
    if (auto found = operations().find(name); found != operations().end()) {
      replace_calls(function, found->second);
    } else if (const std::string libm = libm_name(name); !libm.empty()) {
      Function* known = module.getFunction(libm);
      if (known && known->isDeclaration()) function.replaceAllUsesWith(known);
      if (!known) function.setName(libm);
    }
    if (function.use_empty()) function.eraseFromParent();
  }
}

}  // namespace shmemu::plugin
