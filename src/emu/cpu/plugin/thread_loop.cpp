// The thread loop of kernels whose threads never wait: one call runs a block.
//
//     for (yz = 0; yz < ntid.y * ntid.z; ++yz)
//       for (x = 0; x < ntid.x; ++x) kernel_thread(arguments, x, yz % ntid.y, yz / ntid.y, everything else of the
//       context)
//
// Whatever is the same for all threads is loaded before the loop and passed in as a value: loads inside would keep the
// vectoriser from its work. The context is written per thread only if the kernel calls something that reads it.
#include "context_loads.hpp"
#include "debug_frames.hpp"
#include "kernel_entry.hpp"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "may_wait.hpp"
#include "runtime_calls.hpp"
#include "symbol_names.hpp"

using namespace llvm;

namespace shmemu::plugin {
namespace {

/// Fields that differ between the threads of a block, in the order in which the clone takes them.
constexpr const char* varying[] = {"__shmemu_get_tid_x", "__shmemu_get_tid_y", "__shmemu_get_tid_z",
                                   "__shmemu_get_lane", "__shmemu_get_work"};

SmallVector<const ContextField*, 12> uniform_fields() {
  SmallVector<const ContextField*, 12> fields;
  for (const ContextField& field : context_fields())
    if (!is_contained(varying, StringRef(field.getter))) fields.push_back(&field);
  return fields;
}

Type* field_type(const ContextField& field, LLVMContext& context) {
  return field.is_pointer ? static_cast<Type*>(PointerType::get(context, 0)) : Type::getInt32Ty(context);
}

/// The kernel as a function of its parameters and of all context fields.
Function* clone_as_function_of_context(Function& kernel) {
  LLVMContext& context = kernel.getContext();
  SmallVector<Type*, 32> types(kernel.getFunctionType()->params());
  for (const char* getter : varying) types.push_back(field_type(*find_context_field(getter), context));
  for (const ContextField* field : uniform_fields()) types.push_back(field_type(*field, context));
  Function* clone = Function::Create(FunctionType::get(Type::getVoidTy(context), types, false),
                                     GlobalValue::InternalLinkage, kernel.getName() + ".thread", kernel.getParent());
  ValueToValueMapTy values;
  Argument* next = clone->arg_begin();
  for (Argument& parameter : kernel.args()) {
    next->setName(parameter.getName());
    values[&parameter] = next++;
  }
  SmallVector<ReturnInst*, 4> returns;
  CloneFunctionInto(clone, &kernel, values, CloneFunctionChangeType::LocalChangesOnly, returns);
  clone->setLinkage(GlobalValue::InternalLinkage);
  clone->setVisibility(GlobalValue::DefaultVisibility);
  clone->setComdat(nullptr);
  StringMap<Value*> known;
  for (const char* getter : varying) known[getter] = next++;
  for (const ContextField* field : uniform_fields()) known[field->getter] = next++;
  lower_context_getters(*clone, known);
  for (const char* attribute : {kernel_attribute, bound_attribute}) clone->removeFnAttr(attribute);
  for (auto attribute : {Attribute::NoInline, Attribute::OptimizeNone, Attribute::Convergent})
    clone->removeFnAttr(attribute);
  for (Instruction& i : instructions(*clone))
    if (auto* call = dyn_cast<CallInst>(&i)) call->removeFnAttr(Attribute::Convergent);
  clone->addFnAttr(Attribute::AlwaysInline);
  return clone;
}

bool calls_read_context(const Function& body, const CallFacts& facts) {
  return any_of(instructions(body), [&](const Instruction& i) {
    auto* call = dyn_cast<CallBase>(&i);
    return call && facts.of(*call).uses_context;
  });
}

void store_context_field(IRBuilder<>& builder, Value* context, StringRef getter, Value* value) {
  const ContextField& field = *find_context_field(getter);
  builder.CreateStore(value, builder.CreateConstInBoundsGEP1_32(builder.getInt8Ty(), context, field.offset));
}

}  // namespace

Function* make_thread_loop(Function& kernel, CallFacts& facts) {
  LLVMContext& context = kernel.getContext();
  auto* pointer = PointerType::get(context, 0);
  Function* body = clone_as_function_of_context(kernel);
  const bool publishes = calls_read_context(*body, facts);
  Function* block =
      make_generated_function(kernel, FunctionType::get(Type::getVoidTy(context), {pointer, pointer}, false),
                              "__shmemu_block." + kernel.getName());
  block->setDoesNotThrow();
  const DebugLoc place = add_debug_frame(*block, kernel);
  Value *args = block->getArg(0), *thread = block->getArg(1);

  BasicBlock* before = BasicBlock::Create(context, "before", block);
  BasicBlock* rows = BasicBlock::Create(context, "rows", block);
  BasicBlock* row = BasicBlock::Create(context, "row", block);
  BasicBlock* row_end = BasicBlock::Create(context, "row_end", block);
  BasicBlock* after = BasicBlock::Create(context, "after", block);

  IRBuilder<> b(before);
  b.SetCurrentDebugLocation(place);
  SmallVector<Value*, 32> arguments(load_kernel_arguments(b, kernel, args));
  auto load = [&](StringRef getter) { return load_context_field(b, thread, *find_context_field(getter)); };
  SmallVector<Value*, 12> uniform;
  for (const ContextField* field : uniform_fields()) uniform.push_back(load(field->getter));
  Value *nx = load("__shmemu_get_ntid_x"), *ny = load("__shmemu_get_ntid_y"), *nz = load("__shmemu_get_ntid_z");
  Value* counters = load("__shmemu_get_work");  // three words for each thread
  Value* row_count = b.CreateMul(ny, nz, "rows");
  b.CreateBr(rows);

  b.SetInsertPoint(rows);
  PHINode* yz = b.CreatePHI(b.getInt32Ty(), 2, "yz");
  yz->addIncoming(b.getInt32(0), before);
  Value *y = b.CreateURem(yz, ny, "y"), *z = b.CreateUDiv(yz, ny, "z");
  Value* first = b.CreateMul(yz, nx, "first");
  b.CreateBr(row);

  b.SetInsertPoint(row);
  PHINode* x = b.CreatePHI(b.getInt32Ty(), 2, "x");
  x->addIncoming(b.getInt32(0), rows);
  Value* number = b.CreateAdd(first, x, "number");
  const std::array<Value*, std::size(varying)> own = {
      x, y, z, b.CreateAnd(number, 31, "lane"),
      b.CreateInBoundsGEP(ArrayType::get(b.getInt64Ty(), 3), counters, b.CreateZExt(number, b.getInt64Ty()), "work")};
  if (publishes)
    for (auto [getter, value] : zip(varying, own)) store_context_field(b, thread, getter, value);
  append_range(arguments, own);
  append_range(arguments, uniform);
  CallInst* call = b.CreateCall(body, arguments);
  mark_byval_arguments(*call, kernel);
  Value* next_x = b.CreateNUWAdd(x, b.getInt32(1));
  x->addIncoming(next_x, row);
  b.CreateCondBr(b.CreateICmpULT(next_x, nx), row, row_end);

  b.SetInsertPoint(row_end);
  Value* next_yz = b.CreateNUWAdd(yz, b.getInt32(1));
  yz->addIncoming(next_yz, row_end);
  b.CreateCondBr(b.CreateICmpULT(next_yz, row_count), rows, after);

  b.SetInsertPoint(after);
  b.CreateRetVoid();
  return block;
}

}  // namespace shmemu::plugin
