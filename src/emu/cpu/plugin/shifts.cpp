// Shifts by as many bits as the word has, or more: GPUs clamp the count (PTX ISA 8.5, shl and shr), x86-64 takes it modulo.
//
// C++ leaves such shifts undefined, yet programs that were only ever run on GPUs rely on the result, 0 or the sign.
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "passes.hpp"

using namespace llvm;

namespace shmemu::plugin {
namespace {

void clamp(BinaryOperator& shift) {
  Value *word = shift.getOperand(0), *count = shift.getOperand(1);
  Type* type = shift.getType();
  IRBuilder<> b(&shift);
  Constant* last = ConstantInt::get(type, type->getScalarSizeInBits() - 1);
  Value* fits = b.CreateICmpULE(count, last);
  Value* clamped = b.CreateSelect(fits, count, last);
  Value* shifted = b.CreateBinOp(shift.getOpcode(), word, clamped);
  if (shift.getOpcode() != Instruction::AShr) shifted = b.CreateSelect(fits, shifted, Constant::getNullValue(type));
  shift.replaceAllUsesWith(shifted);
  shift.eraseFromParent();
}

}  // namespace

void clamp_shifts(Module& module) {
  SmallVector<BinaryOperator*, 32> shifts;
  for (Function& function : module)
    for (Instruction& i : instructions(function))
      if (i.isShift() && !isa<Constant>(i.getOperand(1))) shifts.push_back(cast<BinaryOperator>(&i));
  for (BinaryOperator* shift : shifts) clamp(*shift);
}

}  // namespace shmemu::plugin
