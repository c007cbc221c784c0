#include "instruction_cost.hpp"

#include <algorithm>

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "runtime_calls.hpp"

using namespace llvm;

namespace shmemu::plugin {
namespace {

// Cycles: published micro-benchmarks of Volta to Hopper agree on 4 for dependent arithmetic, about 33 for a hit in L1
// and 23-30 for shared memory. Slots: the instructions that nvcc emits for the operation. Division: compute_probe
// `divide` (64-bit quotient and remainder: 372 cycles alone, 168 slots with the loop around them).
constexpr InstructionCost nothing{0, 0};
constexpr InstructionCost simple{4, 4};
constexpr InstructionCost wide_simple{8, 6};  // 64-bit integers are pairs of 32-bit registers
constexpr InstructionCost multiply{4, 5}, wide_multiply{16, 12};
constexpr InstructionCost divide{80, 80}, wide_divide{300, 180}, divide_by_constant{12, 15};
constexpr InstructionCost float_divide{36, 40}, double_divide{120, 150};
constexpr InstructionCost double_simple{8, 8};
constexpr InstructionCost special{16, 23};       // one per four cycles and scheduler: exp2, log2, sin, rsqrt
constexpr InstructionCost library_call{80, 80};  // guess: a function of the CUDA math library
constexpr unsigned l1_cycles = 33, shared_cycles = 25;

unsigned elements_of(const Type* type) {
  auto* vector = dyn_cast<FixedVectorType>(type);
  return vector ? vector->getNumElements() : 1;
}

InstructionCost times(InstructionCost cost, unsigned n) { return {cost.quarter_slots * n, cost.cycles + (n - 1)}; }

bool is_wide(const Type* type) { return type->getScalarSizeInBits() > 32; }

/// The load-store unit takes a warp's 4 B per lane in one cycle, the time of four slots.
unsigned memory_slots(uint64_t bytes) { return static_cast<unsigned>(16 * std::max<uint64_t>(1, (bytes + 3) / 4)); }

InstructionCost arithmetic_cost(const BinaryOperator& operation) {
  const Type* type = operation.getType();
  const bool constant = isa<Constant>(operation.getOperand(1));
  switch (operation.getOpcode()) {
    case Instruction::Mul:
      return is_wide(type) ? wide_multiply : multiply;
    case Instruction::UDiv:
    case Instruction::SDiv:
    case Instruction::URem:
    case Instruction::SRem:
      return constant ? divide_by_constant : is_wide(type) ? wide_divide : divide;
    case Instruction::FDiv:
    case Instruction::FRem:
      return type->getScalarType()->isDoubleTy() ? double_divide : float_divide;
    default:
      if (type->getScalarType()->isDoubleTy()) return double_simple;
      return type->isIntOrIntVectorTy() && is_wide(type) ? wide_simple : simple;
  }
}

InstructionCost intrinsic_cost(const IntrinsicInst& call) {
  switch (call.getIntrinsicID()) {
    case Intrinsic::dbg_declare:
    case Intrinsic::dbg_value:
    case Intrinsic::lifetime_start:
    case Intrinsic::lifetime_end:
    case Intrinsic::assume:
    case Intrinsic::expect:
      return nothing;
    case Intrinsic::sqrt:
    case Intrinsic::exp:
    case Intrinsic::exp2:
    case Intrinsic::log:
    case Intrinsic::log2:
    case Intrinsic::sin:
    case Intrinsic::cos:
    case Intrinsic::pow:
      return special;
    case Intrinsic::memcpy:
    case Intrinsic::memmove:
    case Intrinsic::memset: {
      auto* length = dyn_cast<ConstantInt>(call.getArgOperand(2));
      const uint64_t bytes = length ? length->getZExtValue() : 64;
      const bool copies = call.getIntrinsicID() != Intrinsic::memset;
      return {memory_slots(bytes) * (copies ? 2 : 1), copies ? l1_cycles : 1};
    }
    default:
      return call.getType()->isVoidTy()                                        ? nothing
             : call.getType()->isIntOrIntVectorTy() && is_wide(call.getType()) ? wide_simple
                                                                               : simple;
  }
}

InstructionCost call_cost(const CallBase& call) {
  const Function* callee = call.getCalledFunction();
  if (!callee) return simple;
  const StringRef name = callee->getName();
  if (find_context_field(name)) return nothing;  // special registers, read once
  if (!callee->isDeclaration() || name.starts_with("__shmemu_") || name.starts_with("nvshmem")) return simple;
  return library_call;
}

}  // namespace

Space space_of(const Value* pointer) {
  const Value* object = getUnderlyingObject(pointer, /*MaxLookup=*/0);
  if (isa<AllocaInst>(object)) return Space::local;
  if (auto* argument = dyn_cast<Argument>(object); argument && argument->hasByValAttr()) return Space::constant;
  if (auto* variable = dyn_cast<GlobalVariable>(object)) {
    if (variable->isConstant()) return Space::constant;
    if (variable->hasSection()) return Space::shared;
  }
  if (auto* call = dyn_cast<CallBase>(object); call && call->getCalledFunction()) {
    const StringRef name = call->getCalledFunction()->getName();
    if (name == "__shmemu_get_shared" || name == "__shmemu_get_dynamic_shared") return Space::shared;
  }
  return Space::global;
}

namespace {

/// nvcc contracts a product that is only added into one fused multiply-add.
bool is_fused(const Instruction& i) {
  if (i.getOpcode() != Instruction::FMul || !i.hasAllowContract() || !i.hasOneUse()) return false;
  auto* user = dyn_cast<Instruction>(i.user_back());
  return user && (user->getOpcode() == Instruction::FAdd || user->getOpcode() == Instruction::FSub) &&
         user->hasAllowContract();
}

}  // namespace

bool is_subroutine(const Instruction& i) {
  auto* operation = dyn_cast<BinaryOperator>(&i);
  return operation && operation->isIntDivRem() && !isa<Constant>(operation->getOperand(1)) && is_wide(i.getType());
}

InstructionCost cost_of(const Instruction& i) {
  const DataLayout& layout = i.getModule()->getDataLayout();
  if (is_fused(i)) return nothing;
  if (auto* operation = dyn_cast<BinaryOperator>(&i))
    return times(arithmetic_cost(*operation), elements_of(i.getType()));
  if (auto* intrinsic = dyn_cast<IntrinsicInst>(&i)) return times(intrinsic_cost(*intrinsic), elements_of(i.getType()));
  if (auto* call = dyn_cast<CallBase>(&i)) return call_cost(*call);
  if (auto* load = dyn_cast<LoadInst>(&i)) {
    if (load->isVolatile() || load->isAtomic()) return {16, 0};  // what it waits for is the poll's and the fence's
    const uint64_t bytes = layout.getTypeStoreSize(load->getType());
    switch (space_of(load->getPointerOperand())) {
      case Space::local:
        return simple;
      case Space::constant:
        return simple;
      case Space::shared:
        return {memory_slots(bytes), shared_cycles};
      case Space::global:
        return {memory_slots(bytes), l1_cycles};
    }
  }
  if (auto* store = dyn_cast<StoreInst>(&i)) {
    const Space space = space_of(store->getPointerOperand());
    if (space == Space::local) return simple;
    return {memory_slots(layout.getTypeStoreSize(store->getValueOperand()->getType())), 1};
  }
  if (isa<AtomicRMWInst>(i) || isa<AtomicCmpXchgInst>(i)) return {16, 4};
  if (auto* address = dyn_cast<GetElementPtrInst>(&i)) return address->hasAllConstantIndices() ? nothing : multiply;
  if (auto* branch = dyn_cast<BranchInst>(&i))
    return branch->isConditional() && !isa<Constant>(branch->getCondition()) ? InstructionCost{4, branch_cycles}
                                                                             : nothing;
  if (isa<SwitchInst>(i)) return {16, 2 * branch_cycles};
  if (auto* cast = dyn_cast<CastInst>(&i)) {
    if (cast->isIntegerCast() || isa<BitCastInst>(cast) || isa<AddrSpaceCastInst>(cast) || isa<PtrToIntInst>(cast) ||
        isa<IntToPtrInst>(cast))
      return nothing;
    return times({16, 6}, elements_of(i.getType()));  // between integers and floats: a quarter of the rate
  }
  if (isa<CmpInst>(i) || isa<SelectInst>(i))
    return i.getOperand(0)->getType()->isIntegerTy() && is_wide(i.getOperand(0)->getType()) ? wide_simple : simple;
  return nothing;
}

}  // namespace shmemu::plugin
