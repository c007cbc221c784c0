// Inline PTX: every asm call of the module becomes IR, nothing reaches an assembler.
//
// The parser (ptx_parse) splits the text, PtxUnit translates it with the opcode tables of ptx_*.cpp; here the asm
// call's constraint string is matched with its arguments and results.
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "passes.hpp"
#include "ptx_lower.hpp"
#include "ptx_unit.hpp"
#include "runtime_calls.hpp"

using namespace llvm;

namespace shmemu::plugin {
namespace {

struct Operands {
  SmallVector<Type*, 4> outputs;
  SmallVector<Value*, 8> inputs;                        // in operand order behind the outputs
  SmallVector<std::pair<unsigned, Value*>, 4> initial;  // output index, value it starts with
  bool indirect = false;                                // "=*m": not known in PTX
};

Operands match_operands(const CallInst& call, const InlineAsm& text) {
  Operands operands;
  auto* results = dyn_cast<StructType>(call.getType());
  unsigned argument = 0;
  for (const InlineAsm::ConstraintInfo& constraint : text.ParseConstraints()) {
    if (constraint.isIndirect) operands.indirect = true;
    if (constraint.Type == InlineAsm::isOutput) {
      const unsigned index = operands.outputs.size();
      operands.outputs.push_back(results ? results->getElementType(index) : call.getType());
    } else if (constraint.Type == InlineAsm::isInput) {
      Value* value = call.getArgOperand(argument++);
      operands.inputs.push_back(value);
      unsigned tied;
      if (!constraint.Codes.empty() && !StringRef(constraint.Codes[0]).getAsInteger(10, tied))
        operands.initial.push_back({tied, value});
    }
  }
  return operands;
}

void lower_asm(CallInst* call) {
  const auto* text = cast<InlineAsm>(call->getCalledOperand());
  const Operands operands = match_operands(*call, *text);
  const std::optional<PtxProgram> program = operands.indirect ? std::nullopt : parse_ptx(text->getAsmString());
  if (program && program->code.empty() && text->hasSideEffects()) {  // asm volatile("" ::: "memory")
    auto* type = FunctionType::get(Type::getVoidTy(call->getContext()), false);
    IRBuilder<>(call).CreateCall(InlineAsm::get(type, "", "~{memory}", /*hasSideEffects=*/true));
  }
  SmallVector<Value*, 4> results = translate_ptx(call, program, text->getAsmString(), operands.outputs, operands.inputs,
                                                 operands.initial, text->hasSideEffects());
  if (isa<StructType>(call->getType())) {
    IRBuilder<> builder(call);
    Value* all = PoisonValue::get(call->getType());
    for (auto [index, value] : enumerate(results)) all = builder.CreateInsertValue(all, value, index);
    call->replaceAllUsesWith(all);
  } else if (!results.empty()) {
    call->replaceAllUsesWith(results[0]);
  }
  call->eraseFromParent();
}

}  // namespace

SmallVector<Value*, 4> translate_ptx(Instruction* at, const std::optional<PtxProgram>& program, StringRef text,
                                     ArrayRef<Type*> outputs, ArrayRef<Value*> inputs,
                                     ArrayRef<std::pair<unsigned, Value*>> initial, bool is_volatile) {
  PtxUnit unit(at, outputs, inputs, is_volatile);
  for (auto [index, value] : initial) unit.set_initial(index, value);
  PtxProgram unreadable;
  if (!program) {
    PtxInstruction whole;
    whole.opcode = whole.text = text.str();
    unreadable.code.push_back(whole);
  }
  unit.translate(program ? *program : unreadable);
  SmallVector<Value*, 4> results;
  for (unsigned i = 0; i < outputs.size(); ++i) results.push_back(unit.result(i));
  return results;
}

void lower_inline_ptx(Module& module) {
  SmallVector<CallInst*, 32> calls;
  for (Function& function : module)
    for (Instruction& i : instructions(function))
      if (auto* call = dyn_cast<CallInst>(&i); call && call->isInlineAsm()) calls.push_back(call);
  for (CallInst* call : calls) lower_asm(call);
}

}  // namespace shmemu::plugin
