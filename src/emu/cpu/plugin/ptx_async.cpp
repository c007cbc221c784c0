// Asynchronous copies (cp.async, 1-D bulk copies) and mbarrier objects.
//
// Copies happen at once, so their groups have nothing to wait for. An mbarrier is the program's own 64-bit word:
//     bits 0-19 expected arrivals, 20-39 pending arrivals, 40-61 pending bytes (signed), 62 phase parity
// All fibres share one OS thread, so a plain read-modify-write of the word is atomic. Waiting is a volatile load in a
// loop of the program, which the poll step recognises.
#include "ptx_unit.hpp"
#include "runtime_calls.hpp"

using namespace llvm;

namespace shmemu::plugin {
namespace {

constexpr unsigned pending_shift = 20, bytes_shift = 40, parity_shift = 62;
constexpr uint64_t count_mask = 0xfffff, bytes_mask = 0x3fffff;

class Mbarrier {
 public:
  Mbarrier(IRBuilder<>& builder, Value* pointer) : b(builder), pointer_(pointer) {}

  Value* load() { return b.CreateAlignedLoad(b.getInt64Ty(), pointer_, Align(8), /*isVolatile=*/true); }

  void store(Value* word) {
    b.CreateAlignedStore(word, pointer_, Align(8), /*isVolatile=*/true);
    call_runtime(b, "__shmemu_wrote", {pointer_, b.getInt32(8), b.getInt32(1)});
  }

  void init(Value* count) {
    Value* expected = b.CreateAnd(b.CreateZExt(count, b.getInt64Ty()), count_mask);
    store(b.CreateOr(expected, b.CreateShl(expected, pending_shift)));
  }

  /// Removes arrivals, adds bytes still to come (negative: arrived); a completed phase flips the parity.
  Value* update(Value* arrivals, Value* bytes, bool drop) {
    Value* old = load();
    Value* expected = b.CreateAnd(old, count_mask);
    if (drop) expected = b.CreateSub(expected, arrivals);
    Value* pending = b.CreateSub(b.CreateAnd(b.CreateLShr(old, pending_shift), count_mask), arrivals);
    Value* transfers = b.CreateAnd(b.CreateAdd(b.CreateLShr(old, bytes_shift), bytes), bytes_mask);
    Value* parity = b.CreateLShr(old, parity_shift);
    Value* complete = b.CreateICmpEQ(b.CreateOr(pending, transfers), b.getInt64(0));
    pending = b.CreateSelect(complete, expected, pending);
    parity = b.CreateXor(parity, b.CreateZExt(complete, b.getInt64Ty()));
    Value* word =
        b.CreateOr(b.CreateAnd(expected, count_mask), b.CreateShl(b.CreateAnd(pending, count_mask), pending_shift));
    word = b.CreateOr(word, b.CreateShl(transfers, bytes_shift));
    store(b.CreateOr(word, b.CreateShl(parity, parity_shift)));
    return old;
  }

  Value* parity(Value* word) { return b.CreateAnd(b.CreateLShr(word, parity_shift), 1); }

 private:
  IRBuilder<>& b;
  Value* pointer_;
};

Value* read_64(PtxUnit& unit, StringRef operand) {
  Value* value = unit.read(operand, PtxType{'u', 32});
  return value ? unit.builder().CreateZExt(value, unit.builder().getInt64Ty()) : nullptr;
}

/// mbarrier.arrive[.expect_tx][_drop] [state,] [addr][, n]
bool arrive(PtxUnit& unit, const PtxInstruction& i) {
  const bool has_state = !i.operands.empty() && i.operands[0][0] != '[';
  const unsigned k = has_state;
  if (i.operands.size() <= k) return false;
  Value* pointer = unit.address(i.operands[k], i);
  Value* number = i.operands.size() > k + 1 ? read_64(unit, i.operands[k + 1]) : unit.builder().getInt64(1);
  if (!pointer || !number) return false;
  IRBuilder<>& b = unit.builder();
  const bool expects = i.has("expect_tx");
  Value* state = Mbarrier(b, pointer)
                     .update(expects ? b.getInt64(1) : number, expects ? number : b.getInt64(0), i.has("arrive_drop"));
  return !has_state || unit.write(i.operands[0], state);
}

/// mbarrier.test_wait / try_wait[.parity] p, [addr], state-or-parity[, time]
bool test_wait(PtxUnit& unit, const PtxInstruction& i) {
  if (i.operands.size() < 3) return false;
  Value* pointer = unit.address(i.operands[1], i);
  if (!pointer) return false;
  IRBuilder<>& b = unit.builder();
  Mbarrier barrier(b, pointer);
  Value* waited = i.has("parity") ? read_64(unit, i.operands[2]) : unit.read(i.operands[2], PtxType{'b', 64});
  if (!waited) return false;
  waited = i.has("parity") ? b.CreateAnd(waited, 1) : barrier.parity(waited);
  return unit.write(i.operands[0], b.CreateICmpNE(barrier.parity(barrier.load()), waited));
}

bool mbarrier(PtxUnit& unit, const PtxInstruction& i) {
  if (i.modifiers.empty() || i.operands.empty()) return false;
  const StringRef action = i.modifiers[0];
  if (action == "arrive" || action == "arrive_drop") return arrive(unit, i);
  if (action == "test_wait" || action == "try_wait") return test_wait(unit, i);
  if (action == "inval") return true;
  IRBuilder<>& b = unit.builder();
  if (action == "pending_count") {
    Value* state = i.operands.size() > 1 ? unit.read(i.operands[1], PtxType{'b', 64}) : nullptr;
    return state && unit.write(i.operands[0], b.CreateAnd(b.CreateLShr(state, pending_shift), count_mask));
  }
  Value* pointer = unit.address(i.operands[0], i);
  Value* number = i.operands.size() > 1 ? read_64(unit, i.operands[1]) : nullptr;
  if (!pointer || !number) return false;
  Mbarrier barrier(b, pointer);
  if (action == "init") barrier.init(b.CreateTrunc(number, b.getInt32Ty()));
  if (action == "expect_tx") barrier.update(b.getInt64(0), number, false);
  if (action == "complete_tx") barrier.update(b.getInt64(0), b.CreateNeg(number), false);
  return action == "init" || action == "expect_tx" || action == "complete_tx";
}

// ---- copies ----

/// cp.async.ca/.cg [dst], [src], size[, src-size]: bytes beyond src-size are zeros.
bool copy_small(PtxUnit& unit, const PtxInstruction& i) {
  if (i.operands.size() < 3) return false;
  IRBuilder<>& b = unit.builder();
  Value* target = unit.address(i.operands[0], i);
  PtxInstruction plain = i;
  plain.modifiers.clear();  // the source is a generic or global address
  Value* source = unit.address(i.operands[1], plain);
  Value* size = read_64(unit, i.operands[2]);
  if (!target || !source || !size) return false;
  Value* copied = size;
  if (i.operands.size() > 3 && !i.has("L2::cache_hint")) {
    copied = read_64(unit, i.operands[3]);
    if (!copied) return false;
    copied = b.CreateBinaryIntrinsic(Intrinsic::umin, copied, size);
    b.CreateMemSet(target, b.getInt8(0), size, MaybeAlign());
  }
  b.CreateMemCpy(target, MaybeAlign(), source, MaybeAlign(), copied);
  return true;
}

/// cp.async.bulk.dst.src… [dst], [src], size[, [mbarrier]]
bool copy_bulk(PtxUnit& unit, const PtxInstruction& i) {
  if (i.has("commit_group") || i.has("wait_group")) return true;
  if (i.has("prefetch")) return true;
  if (i.has("tensor") || i.operands.size() < 3 || i.modifiers.size() < 4) return false;
  IRBuilder<>& b = unit.builder();
  PtxInstruction to_space = i, from_space = i;
  to_space.modifiers = {i.modifiers[2]};
  from_space.modifiers = {i.modifiers[3]};
  Value* target = unit.address(i.operands[0], to_space);
  Value* source = unit.address(i.operands[1], from_space);
  Value* size = read_64(unit, i.operands[2]);
  if (!target || !source || !size) return false;
  b.CreateMemCpy(target, MaybeAlign(), source, MaybeAlign(), size);
  if (!i.has_prefix("mbarrier")) return true;
  PtxInstruction barrier_space = i;
  barrier_space.modifiers = {"shared"};
  Value* barrier = i.operands.size() > 3 ? unit.address(i.operands[3], barrier_space) : nullptr;
  if (!barrier) return false;
  Mbarrier(b, barrier).update(b.getInt64(0), b.CreateNeg(size), false);
  return true;
}

bool copy(PtxUnit& unit, const PtxInstruction& i) {
  if (!i.has("async")) return false;
  if (i.has("bulk")) return copy_bulk(unit, i);
  if (i.has("commit_group") || i.has("wait_group") || i.has("wait_all")) return true;
  if (!i.has("mbarrier")) return copy_small(unit, i);
  // cp.async.mbarrier.arrive: the copies are done, so it is an arrival; without .noinc it also raised the count.
  if (!i.has("noinc")) return true;
  PtxInstruction arrival = i;
  return arrive(unit, arrival);
}

}  // namespace

ArrayRef<PtxOpcode> ptx_async_opcodes() {
  static constexpr PtxOpcode table[] = {{"mbarrier", mbarrier}, {"cp", copy}};
  return table;
}

}  // namespace shmemu::plugin
