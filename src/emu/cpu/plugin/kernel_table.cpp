// The kernel and variable tables of a translation unit, and the constructor that registers them (abi.h section 2).
#include "context_loads.hpp"
#include "debug_frames.hpp"
#include "kernel_entry.hpp"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "may_wait.hpp"
#include "passes.hpp"
#include "runtime_calls.hpp"
#include "shared_memory.hpp"
#include "symbol_names.hpp"

using namespace llvm;

namespace shmemu::plugin {
namespace {

/// Before the program's own constructors and clang's registration of host stubs.
constexpr int constructor_priority = 101;

using SharedVariables = SmallPtrSet<const GlobalVariable*, 8>;

/// __shared__ variables whose address each function takes.
DenseMap<const Function*, SharedVariables> shared_by_function(const Module& module) {
  DenseMap<const Function*, SharedVariables> result;
  for (const GlobalVariable& variable : module.globals()) {
    if (!is_in_shared_section(variable)) continue;
    SmallVector<const User*, 16> work(variable.users());
    SmallPtrSet<const User*, 16> seen;
    while (!work.empty()) {
      const User* user = work.pop_back_val();
      if (!seen.insert(user).second) continue;
      if (auto* i = dyn_cast<Instruction>(user))
        result[i->getFunction()].insert(&variable);
      else
        append_range(work, user->users());
    }
  }
  return result;
}

/// Everything a kernel can reach; a function whose address is taken can be reached by any indirect call.
uint64_t reachable_shared_bytes(const Function& kernel, const DenseMap<const Function*, SharedVariables>& shared) {
  const Module& module = *kernel.getParent();
  SmallPtrSet<const Function*, 32> seen;
  SmallVector<const Function*, 16> work{&kernel};
  SharedVariables used;
  while (!work.empty()) {
    const Function* function = work.pop_back_val();
    if (!seen.insert(function).second) continue;
    if (auto found = shared.find(function); found != shared.end())
      used.insert(found->second.begin(), found->second.end());
    for (const Instruction& i : instructions(function)) {
      auto* call = dyn_cast<CallBase>(&i);
      if (!call || call->isInlineAsm()) continue;
      if (const Function* callee = call->getCalledFunction()) {
        work.push_back(callee);
        continue;
      }
      for (const Function& candidate : module)
        if (candidate.hasAddressTaken()) work.push_back(&candidate);
    }
  }
  uint64_t bytes = 0;
  for (const GlobalVariable& variable : module.globals())  // module order: the sum does not depend on set order
    if (used.contains(&variable))
      bytes = alignTo(bytes, variable.getAlign().valueOrOne()) +
              module.getDataLayout().getTypeAllocSize(variable.getValueType());
  return bytes;
}

/// Builds constant tables for one module.
class TableWriter {
 public:
  explicit TableWriter(Module& module) : module_(module), builder_(module.getContext()) {}

  Constant* text(StringRef s) { return builder_.CreateGlobalString(s, "shmemu.text", 0, &module_); }
  Constant* pointer(Constant* value) { return value ? value : ConstantPointerNull::get(builder_.getPtrTy()); }
  Constant* word(uint64_t value) { return builder_.getInt32(value); }
  Constant* long_word(uint64_t value) { return builder_.getInt64(value); }
  Constant* record(ArrayRef<Constant*> fields) { return ConstantStruct::getAnon(fields); }

  /// A constant array, NULL when empty.
  Constant* array(ArrayRef<Constant*> elements, const char* name) {
    if (elements.empty()) return pointer(nullptr);
    auto* type = ArrayType::get(elements[0]->getType(), elements.size());
    Constant* value = ConstantArray::get(type, elements);
    auto* table = new GlobalVariable(module_, type, /*isConstant=*/true, GlobalValue::InternalLinkage, value, name);
    table->setAlignment(Align(8));
    return table;
  }

  GlobalVariable* variable(Constant* value, const char* name) {
    return new GlobalVariable(module_, value->getType(), true, GlobalValue::InternalLinkage, value, name);
  }

 private:
  Module& module_;
  IRBuilder<> builder_;
};

/// void entry(void **args): one thread of `body`, which is the kernel or its checked version.
Function* make_entry(Function& kernel, Function& body) {
  LLVMContext& context = kernel.getContext();
  auto* type = FunctionType::get(Type::getVoidTy(context), {PointerType::get(context, 0)}, false);
  Function* entry = make_generated_function(kernel, type, "__shmemu_entry." + body.getName());
  IRBuilder<> builder(BasicBlock::Create(context, "", entry));
  builder.SetCurrentDebugLocation(add_debug_frame(*entry, kernel));
  CallInst* call = builder.CreateCall(&body, load_kernel_arguments(builder, kernel, entry->getArg(0)));
  mark_byval_arguments(*call, kernel);
  builder.CreateRetVoid();
  return entry;
}

uint64_t launch_bound_of(const Function& kernel) {
  uint64_t bound = 0;
  kernel.getFnAttribute(bound_attribute).getValueAsString().getAsInteger(10, bound);
  return bound;
}

Constant* kernel_record(TableWriter& writer, Function& kernel, Function* block, bool may_wait, uint64_t shared_bytes) {
  SmallVector<Constant*, 8> sizes;
  for (const Argument& parameter : kernel.args()) sizes.push_back(writer.word(parameter_bytes(parameter)));
  Function* checked = kernel.getParent()->getFunction((kernel.getName() + checked_suffix).str());
  return writer.record({writer.text(kernel.getFnAttribute(kernel_attribute).getValueAsString()),
                        make_entry(kernel, kernel), make_entry(kernel, *checked), writer.pointer(block),
                        writer.word(sizes.size()), writer.word(may_wait), writer.array(sizes, "shmemu.parameters"),
                        writer.word(shared_bytes), writer.word(launch_bound_of(kernel))});
}

SmallVector<Constant*, 16> variable_records(Module& module, TableWriter& writer) {
  SmallVector<Constant*, 16> records;
  NamedMDNode* list = module.getNamedMetadata(variables_metadata);
  if (!list) return records;
  for (const MDNode* entry : list->operands()) {
    auto* variable = mdconst::dyn_extract_or_null<GlobalVariable>(entry->getOperand(0));
    if (!variable) continue;
    const uint64_t bytes = module.getDataLayout().getTypeAllocSize(variable->getValueType());
    records.push_back(writer.record(
        {writer.text(cast<MDString>(entry->getOperand(1))->getString()), variable, writer.long_word(bytes)}));
  }
  module.eraseNamedMetadata(list);
  return records;
}

void register_at_load(Module& module, GlobalVariable* table) {
  LLVMContext& context = module.getContext();
  Function* constructor = Function::Create(FunctionType::get(Type::getVoidTy(context), false),
                                           GlobalValue::InternalLinkage, "__shmemu_constructor", module);
  IRBuilder<> builder(BasicBlock::Create(context, "", constructor));
  call_runtime(builder, "__shmemu_register_2", {table});
  builder.CreateRetVoid();
  appendToGlobalCtors(module, constructor, constructor_priority);
}

}  // namespace

Function* make_generated_function(const Function& kernel, FunctionType* type, const Twine& name) {
  auto* made = Function::Create(type, GlobalValue::InternalLinkage, name, const_cast<Module*>(kernel.getParent()));
  for (const char* attribute : {"target-cpu", "frame-pointer", "disable-tail-calls"})
    if (kernel.hasFnAttribute(attribute)) made->addFnAttr(kernel.getFnAttribute(attribute));
  made->setUWTableKind(UWTableKind::Default);
  return made;
}

SmallVector<Value*, 16> load_kernel_arguments(IRBuilderBase& builder, const Function& kernel, Value* args) {
  SmallVector<Value*, 16> values;
  const Align guaranteed(16);  // what the runtime gives every argument
  for (const Argument& parameter : kernel.args()) {
    Value* place = builder.CreateLoad(
        builder.getPtrTy(), builder.CreateConstInBoundsGEP1_64(builder.getPtrTy(), args, parameter.getArgNo()));
    if (!parameter.hasByValAttr()) {
      const Align natural = kernel.getParent()->getDataLayout().getABITypeAlign(parameter.getType());
      values.push_back(
          builder.CreateAlignedLoad(parameter.getType(), place, std::min(natural, guaranteed), parameter.getName()));
      continue;
    }
    if (const Align align = parameter.getParamAlign().valueOrOne(); align > guaranteed) {
      AllocaInst* copy = builder.CreateAlloca(parameter.getParamByValType());
      copy->setAlignment(align);
      builder.CreateMemCpy(copy, align, place, guaranteed, parameter_bytes(parameter));
      place = copy;
    }
    values.push_back(place);
  }
  return values;
}

uint64_t parameter_bytes(const Argument& parameter) {
  Type* type = parameter.hasByValAttr() ? parameter.getParamByValType() : parameter.getType();
  return parameter.getParent()->getParent()->getDataLayout().getTypeAllocSize(type);
}

void mark_byval_arguments(CallInst& call, const Function& kernel) {
  LLVMContext& context = call.getContext();
  for (const Argument& parameter : kernel.args()) {
    if (!parameter.hasByValAttr()) continue;
    call.addParamAttr(parameter.getArgNo(), Attribute::getWithByValType(context, parameter.getParamByValType()));
    if (MaybeAlign align = parameter.getParamAlign())
      call.addParamAttr(parameter.getArgNo(), Attribute::getWithAlignment(context, *align));
  }
}

void build_kernel_table(Module& module) {
  CallFacts facts(module, /*host=*/false);
  const auto shared = shared_by_function(module);
  SmallVector<Function*, 16> kernels, ordinary;
  for (Function& function : module) {
    if (function.isDeclaration()) continue;
    ordinary.push_back(&function);
    if (function.hasFnAttribute(kernel_attribute)) kernels.push_back(&function);
  }
  DenseMap<Function*, Function*> blocks;
  for (Function* kernel : kernels)
    if (!facts.of(*kernel).may_wait) blocks[kernel] = make_thread_loop(*kernel, facts);
  for (Function* function : ordinary) lower_context_getters(*function);

  TableWriter writer(module);
  SmallVector<Constant*, 16> records;
  for (Function* kernel : kernels)
    records.push_back(kernel_record(writer, *kernel, blocks.lookup(kernel), facts.of(*kernel).may_wait,
                                    reachable_shared_bytes(*kernel, shared)));
  const SmallVector<Constant*, 16> variables = variable_records(module, writer);
  Constant* table = writer.record({writer.text(unit_name()), writer.array(records, "shmemu.kernels"),
                                   writer.long_word(records.size()), writer.array(variables, "shmemu.variables"),
                                   writer.long_word(variables.size()), shared_section_bound(module, /*end=*/false),
                                   shared_section_bound(module, /*end=*/true)});
  register_at_load(module, writer.variable(table, "shmemu.module"));
}

}  // namespace shmemu::plugin
