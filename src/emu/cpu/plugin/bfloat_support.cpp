// x86-64 code for bfloat arithmetic calls __truncsfbf2 and __truncdfbf2, which the C libraries of our platforms lack.
//
// A module that computes with bfloat gets its own copies: round to nearest even on the bits. NaN stays NaN.
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "passes.hpp"

using namespace llvm;

namespace shmemu::plugin {
namespace {

bool computes_with_bfloat(const Module& module) {
  const auto is_bfloat = [](const Value* value) { return value->getType()->getScalarType()->isBFloatTy(); };
  for (const Function& function : module)
    for (const Instruction& i : instructions(function))
      if (is_bfloat(&i) || any_of(i.operands(), is_bfloat)) return true;
  return false;
}

Value* rounded_bits(IRBuilder<>& b, Value* real) {
  Value* bits = b.CreateBitCast(real, b.getInt32Ty());
  Value* odd = b.CreateAnd(b.CreateLShr(bits, 16), 1);
  Value* rounded = b.CreateLShr(b.CreateAdd(bits, b.CreateAdd(odd, b.getInt32(0x7fff))), 16);
  Value* quiet = b.CreateOr(b.CreateLShr(bits, 16), b.getInt32(0x40));
  return b.CreateSelect(b.CreateFCmpUNO(real, real), quiet, rounded);
}

void define_conversion(Module& module, StringRef name, Type* from) {
  LLVMContext& context = module.getContext();
  if (module.getFunction(name)) return;
  auto* type = FunctionType::get(Type::getBFloatTy(context), {from}, false);
  Function* function = Function::Create(type, GlobalValue::WeakODRLinkage, name, module);
  function->setVisibility(GlobalValue::HiddenVisibility);
  function->setDSOLocal(true);
  IRBuilder<> b(BasicBlock::Create(context, "", function));
  Value* real = function->getArg(0);
  if (from->isDoubleTy()) real = b.CreateFPTrunc(real, b.getFloatTy());
  b.CreateRet(b.CreateBitCast(b.CreateTrunc(rounded_bits(b, real), b.getInt16Ty()), b.getBFloatTy()));
  appendToCompilerUsed(module, {function});  // the calls appear only in code generation
}

}  // namespace

void provide_bfloat_conversions(Module& module) {
  if (!computes_with_bfloat(module)) return;
  define_conversion(module, "__truncsfbf2", Type::getFloatTy(module.getContext()));
  define_conversion(module, "__truncdfbf2", Type::getDoubleTy(module.getContext()));
}

}  // namespace shmemu::plugin
