// PTX memory opcodes: ld, st, red, atom, fence, membar.
//
// Orders map to LLVM's; scopes, state spaces and cache hints change nothing on a CPU. Ordered and volatile accesses
// become volatile, so that the poll and order steps recognise them; a weak load in `asm volatile` is volatile as well,
// because the program expects it to be repeated. Vector accesses are one access per element.
#include "llvm/IR/Instructions.h"
#include "ptx_unit.hpp"

using namespace llvm;

namespace shmemu::plugin {
namespace {

AtomicOrdering ordering(const PtxInstruction& i, AtomicOrdering weakest) {
  if (i.has("sc")) return AtomicOrdering::SequentiallyConsistent;
  if (i.has("acq_rel")) return AtomicOrdering::AcquireRelease;
  if (i.has("acquire")) return AtomicOrdering::Acquire;
  if (i.has("release")) return AtomicOrdering::Release;
  return weakest;
}

bool is_ordered(const PtxInstruction& i) {
  return i.has("relaxed") || i.has("acquire") || i.has("release") || i.has("mmio");
}

bool can_be_atomic(const PtxType& type) { return type.bits <= 64; }

unsigned vector_width(const PtxInstruction& i) { return i.has("v2") ? 2 : i.has("v4") ? 4 : i.has("v8") ? 8 : 1; }

Value* element_address(PtxUnit& unit, Value* pointer, unsigned index, const PtxType& type) {
  return index ? unit.builder().CreatePtrAdd(pointer, unit.builder().getInt64(index * type.bytes())) : pointer;
}

bool load(PtxUnit& unit, const PtxInstruction& i) {
  const std::optional<PtxType> type = last_type(i);
  if (!type || i.operands.size() < 2) return false;
  Value* pointer = unit.address(i.operands[1], i);
  const std::vector<std::string> targets = vector_elements(i.operands[0]);
  if (!pointer || targets.size() != vector_width(i)) return false;
  for (unsigned k = 0; k < targets.size(); ++k) {
    LoadInst* value = unit.builder().CreateAlignedLoad(type->integer(unit.context()),
                                                       element_address(unit, pointer, k, *type), Align(type->bytes()));
    value->setVolatile(is_ordered(i) || i.has("volatile") || (unit.is_volatile() && !i.has("nc")));
    if (is_ordered(i) && can_be_atomic(*type)) value->setAtomic(ordering(i, AtomicOrdering::Monotonic));
    if (!unit.write(targets[k], value, type->is_signed())) return false;
  }
  return true;
}

bool store(PtxUnit& unit, const PtxInstruction& i) {
  const std::optional<PtxType> type = last_type(i);
  if (!type || i.operands.size() < 2) return false;
  Value* pointer = unit.address(i.operands[0], i);
  const std::vector<std::string> sources = vector_elements(i.operands[1]);
  if (!pointer || sources.size() != vector_width(i)) return false;
  for (unsigned k = 0; k < sources.size(); ++k) {
    Value* value = unit.read(sources[k], PtxType{'b', type->bits});
    if (!value) return false;
    StoreInst* instruction =
        unit.builder().CreateAlignedStore(value, element_address(unit, pointer, k, *type), Align(type->bytes()));
    instruction->setVolatile(is_ordered(i) || i.has("volatile"));
    if (is_ordered(i) && can_be_atomic(*type)) instruction->setAtomic(ordering(i, AtomicOrdering::Monotonic));
  }
  return true;
}

std::optional<AtomicRMWInst::BinOp> operation(StringRef name, const PtxType& type) {
  const bool is_signed = type.is_signed(), is_float = type.is_float();
  if (name == "add") return is_float ? AtomicRMWInst::FAdd : AtomicRMWInst::Add;
  if (name == "min") return is_float ? AtomicRMWInst::FMin : is_signed ? AtomicRMWInst::Min : AtomicRMWInst::UMin;
  if (name == "max") return is_float ? AtomicRMWInst::FMax : is_signed ? AtomicRMWInst::Max : AtomicRMWInst::UMax;
  if (name == "exch") return AtomicRMWInst::Xchg;
  if (name == "and") return AtomicRMWInst::And;
  if (name == "or") return AtomicRMWInst::Or;
  if (name == "xor") return AtomicRMWInst::Xor;
  if (name == "inc") return AtomicRMWInst::UIncWrap;
  if (name == "dec") return AtomicRMWInst::UDecWrap;
  return std::nullopt;
}

/// atom and red; `operand` is the index of the address.
bool update(PtxUnit& unit, const PtxInstruction& i, unsigned operand, StringRef target) {
  const std::optional<PtxType> type = last_type(i);
  if (!type || i.operands.size() < operand + 2) return false;
  Value* pointer = unit.address(i.operands[operand], i);
  if (!pointer) return false;
  const AtomicOrdering order = ordering(i, AtomicOrdering::Monotonic);
  const Align align(type->bytes());
  if (i.has("cas")) {
    Value* compare = unit.read(i.operands[operand + 1], PtxType{'b', type->bits});
    Value* value =
        i.operands.size() > operand + 2 ? unit.read(i.operands[operand + 2], PtxType{'b', type->bits}) : nullptr;
    if (!compare || !value) return false;
    AtomicCmpXchgInst* exchange = unit.builder().CreateAtomicCmpXchg(
        pointer, compare, value, align, order, AtomicCmpXchgInst::getStrongestFailureOrdering(order));
    exchange->setVolatile(true);
    return unit.write(target, unit.builder().CreateExtractValue(exchange, 0));
  }
  const StringRef name = i.one_of({"add", "exch", "and", "or", "xor", "min", "max", "inc", "dec"});
  const std::optional<AtomicRMWInst::BinOp> op = operation(name, *type);
  const std::vector<std::string> sources = vector_elements(i.operands[operand + 1]);
  const std::vector<std::string> targets =
      target == "_" ? std::vector<std::string>(sources.size(), "_") : vector_elements(target);
  if (!op || sources.size() != vector_width(i) || targets.size() != sources.size()) return false;
  const bool by_bits = *op != AtomicRMWInst::FAdd && *op != AtomicRMWInst::FMin && *op != AtomicRMWInst::FMax;
  const PtxType read_as = by_bits ? PtxType{'b', type->bits} : *type;
  for (unsigned k = 0; k < sources.size(); ++k) {
    Value* value = unit.read(sources[k], read_as);
    if (!value) return false;
    AtomicRMWInst* rmw =
        unit.builder().CreateAtomicRMW(*op, element_address(unit, pointer, k, *type), value, align, order);
    rmw->setVolatile(true);
    if (!unit.write(targets[k], rmw, type->is_signed())) return false;
  }
  return true;
}

bool atom(PtxUnit& unit, const PtxInstruction& i) { return !i.operands.empty() && update(unit, i, 1, i.operands[0]); }

bool red(PtxUnit& unit, const PtxInstruction& i) { return !i.has("async") && update(unit, i, 0, "_"); }

int fence_scope(const PtxInstruction& i) {
  if (i.has("cta")) return 0;
  return i.has("sys") ? 2 : 1;
}

bool fence(PtxUnit& unit, const PtxInstruction& i) {
  if (i.has_prefix("proxy") || i.has("mbarrier_init")) return true;  // one memory path here: nothing to order
  unit.call("__shmemu_fence", {unit.builder().getInt32(fence_scope(i))});
  return true;
}

bool nothing(PtxUnit&, const PtxInstruction&) { return true; }

}  // namespace

ArrayRef<PtxOpcode> ptx_memory_opcodes() {
  static constexpr PtxOpcode table[] = {
      {"ld", load},
      {"ldu", load},
      {"st", store},
      {"atom", atom},
      {"red", red},
      {"fence", fence},
      {"membar", fence},
      {"prefetch", nothing},
      {"prefetchu", nothing},
      {"discard", nothing},
      {"applypriority", nothing},
  };
  return table;
}

}  // namespace shmemu::plugin
