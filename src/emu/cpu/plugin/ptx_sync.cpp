// PTX opcodes of threads among themselves: barriers, votes, shuffles, matches, reductions, sleeping, stopping; and
// the special registers.
#include "llvm/ADT/StringSwitch.h"
#include "ptx_unit.hpp"
#include "runtime_calls.hpp"

using namespace llvm;

namespace shmemu::plugin {
namespace {

constexpr PtxType word{'b', 32};

// ---- barriers ----

/// bar.sync id[, n]; bar.arrive id, n; bar.red… d, id[, n], p; the same as barrier… and with .cta / .aligned.
bool barrier(PtxUnit& unit, const PtxInstruction& i) {
  IRBuilder<>& b = unit.builder();
  if (i.has("warp")) {
    Value* mask = i.operands.empty() ? nullptr : unit.read(i.operands[0], word);
    if (mask) unit.call("__shmemu_syncwarp", {mask});
    return mask;
  }
  if (i.has("cluster")) {  // a cluster is one block here
    if (i.has("wait")) unit.call("__shmemu_bar_sync", {b.getInt32(0), b.getInt32(0)});
    return i.has("wait") || i.has("arrive");
  }
  if (i.has("red")) {
    const StringRef kind = i.one_of({"popc", "and", "or"});
    if (kind.empty() || i.operands.size() < 3 || i.operands[1] != "0") return false;
    Value* predicate = unit.read_predicate(i.operands.back());
    if (!predicate) return false;
    const int op = kind == "popc" ? 0 : kind == "and" ? 1 : 2;
    Value* result = call_runtime(b, "__shmemu_bar_red", {b.getInt32(op), b.CreateZExt(predicate, b.getInt32Ty())});
    if (op != 0) result = b.CreateICmpNE(result, b.getInt32(0));
    return unit.write(i.operands[0], result);
  }
  if (i.operands.empty()) return false;
  Value* id = unit.read(i.operands[0], word);
  Value* count = i.operands.size() > 1 ? unit.read(i.operands[1], word) : b.getInt32(0);
  if (!id || !count) return false;
  unit.call(i.has("arrive") ? "__shmemu_bar_arrive" : "__shmemu_bar_sync", {id, count});
  return true;
}

// ---- warp operations ----

std::pair<std::string, std::string> split_pair(StringRef operand) {
  auto [value, predicate] = operand.split('|');
  return {value.trim().str(), predicate.trim().str()};
}

Value* ballot(IRBuilder<>& b, Value* mask, Value* predicate) {
  return call_runtime(b, "__shmemu_ballot", {mask, b.CreateZExt(predicate, b.getInt32Ty())});
}

bool vote(PtxUnit& unit, const PtxInstruction& i) {
  IRBuilder<>& b = unit.builder();
  if (i.operands.size() < 2) return false;
  Value* predicate = unit.read_predicate(i.operands[1]);
  Value* mask = i.operands.size() > 2 ? unit.read(i.operands[2], word) : call_runtime(b, "__shmemu_activemask");
  if (!predicate || !mask) return false;
  auto none = [&](Value* p) { return b.CreateICmpEQ(ballot(b, mask, p), b.getInt32(0)); };
  if (i.has("ballot")) return unit.write(i.operands[0], ballot(b, mask, predicate));
  if (i.has("any")) return unit.write(i.operands[0], b.CreateNot(none(predicate)));
  if (i.has("all")) return unit.write(i.operands[0], none(b.CreateNot(predicate)));
  if (i.has("uni")) return unit.write(i.operands[0], b.CreateOr(none(predicate), none(b.CreateNot(predicate))));
  return false;
}

/// Whether the source lane exists, as PTX defines it from lane, b and the packed clamp/segment operand c.
Value* shuffle_in_range(IRBuilder<>& b, StringRef mode, Value* argument, Value* clamp) {
  Value* lane = call_runtime(b, "__shmemu_get_lane");
  Value* limit = b.CreateAnd(clamp, b.getInt32(31));
  Value* segment = b.CreateAnd(b.CreateLShr(clamp, b.getInt32(8)), b.getInt32(31));
  Value* first = b.CreateAnd(lane, segment);
  Value* last = b.CreateOr(first, b.CreateAnd(limit, b.CreateNot(segment)));
  if (mode == "up") return b.CreateICmpSGE(b.CreateSub(lane, argument), last);
  Value* source = mode == "down"   ? b.CreateAdd(lane, argument)
                  : mode == "bfly" ? b.CreateXor(lane, argument)
                                   : b.CreateOr(first, b.CreateAnd(argument, b.CreateNot(segment)));
  return b.CreateICmpULE(source, last);
}

bool shuffle(PtxUnit& unit, const PtxInstruction& i) {
  IRBuilder<>& b = unit.builder();
  const StringRef mode = i.one_of({"idx", "up", "down", "bfly"});
  if (mode.empty() || i.operands.size() < 4) return false;
  auto [target, predicate] = split_pair(i.operands[0]);
  Value* value = unit.read(i.operands[1], word);
  Value* argument = unit.read(i.operands[2], word);
  Value* clamp = unit.read(i.operands[3], word);
  Value* mask = i.operands.size() > 4 ? unit.read(i.operands[4], word) : b.getInt32(~0u);
  if (!value || !argument || !clamp || !mask) return false;
  const int code = StringSwitch<int>(mode).Case("idx", 0).Case("up", 1).Case("down", 2).Default(3);
  Value* width = b.CreateSub(b.getInt32(32), b.CreateAnd(b.CreateLShr(clamp, b.getInt32(8)), b.getInt32(31)));
  Value* result = call_runtime(b, "__shmemu_shfl", {mask, value, b.getInt32(code), argument, width});
  if (!predicate.empty() && !unit.write(predicate, shuffle_in_range(b, mode, argument, clamp))) return false;
  return unit.write(target, b.CreateTrunc(result, b.getInt32Ty()));
}

bool match(PtxUnit& unit, const PtxInstruction& i) {
  IRBuilder<>& b = unit.builder();
  const std::optional<PtxType> type = last_type(i);
  if (!type || i.operands.size() < 3) return false;
  Value* value = unit.read(i.operands[1], *type);
  Value* mask = unit.read(i.operands[2], word);
  if (!value || !mask) return false;
  if (i.has("any")) return unit.write(i.operands[0], call_runtime(b, "__shmemu_match_any", {mask, value}));
  auto [target, predicate] = split_pair(i.operands[0]);
  BasicBlock& entry = b.GetInsertBlock()->getParent()->getEntryBlock();
  Value* equal = IRBuilder<>(&entry, entry.getFirstInsertionPt()).CreateAlloca(b.getInt32Ty(), nullptr, "match");
  Value* lanes = call_runtime(b, "__shmemu_match_all", {mask, value, equal});
  Value* all = b.CreateICmpNE(b.CreateLoad(b.getInt32Ty(), equal), b.getInt32(0));
  return unit.write(target, lanes) && (predicate.empty() || unit.write(predicate, all));
}

bool redux(PtxUnit& unit, const PtxInstruction& i) {
  IRBuilder<>& b = unit.builder();
  const StringRef name = i.one_of({"add", "min", "max", "and", "or", "xor"});
  const std::optional<PtxType> type = last_type(i);
  if (name.empty() || !type || type->is_float() || i.operands.size() < 3) return false;
  Value* value = unit.read(i.operands[1], word);
  Value* mask = unit.read(i.operands[2], word);
  if (!value || !mask) return false;
  // numbers of shmemu_reduce_op and shmemu_type
  const int op =
      StringSwitch<int>(name).Case("add", 0).Case("min", 2).Case("max", 3).Case("and", 4).Case("or", 5).Default(6);
  const int element = type->is_signed() ? 4 : 5;
  Value* result = call_runtime(b, "__shmemu_reduce", {mask, value, b.getInt32(op), b.getInt32(element)});
  return unit.write(i.operands[0], result);
}

bool activemask(PtxUnit& unit, const PtxInstruction& i) {
  return !i.operands.empty() && unit.write(i.operands[0], call_runtime(unit.builder(), "__shmemu_activemask"));
}

/// elect.sync d|p, mask: the lowest lane of the mask is the leader.
bool elect(PtxUnit& unit, const PtxInstruction& i) {
  IRBuilder<>& b = unit.builder();
  if (i.operands.size() < 2) return false;
  auto [target, predicate] = split_pair(i.operands[0]);
  Value* mask = unit.read(i.operands[1], word);
  if (!mask) return false;
  Value* leader = b.CreateBinaryIntrinsic(Intrinsic::cttz, mask, b.getFalse());
  Value* elected = b.CreateICmpEQ(leader, call_runtime(b, "__shmemu_get_lane"));
  return unit.write(target, leader) && (predicate.empty() || unit.write(predicate, elected));
}

// ---- control ----

bool sleep(PtxUnit& unit, const PtxInstruction& i) {
  Value* time = i.operands.empty() ? nullptr : unit.read(i.operands[0], word);
  if (time) unit.call("__shmemu_nanosleep", {time});
  return time;
}

bool trap(PtxUnit& unit, const PtxInstruction&) {
  unit.call("__shmemu_trap");
  return true;
}

bool exit(PtxUnit& unit, const PtxInstruction&) {
  unit.call("__shmemu_thread_exit");
  return true;
}

bool jump(PtxUnit& unit, const PtxInstruction& i) {
  if (i.operands.empty()) return false;
  unit.branch(unit.label(i.operands[0]));
  return true;
}

bool nothing(PtxUnit&, const PtxInstruction&) { return true; }

// ---- special registers ----

/// Lanes below, above … the running one.
Value* lane_mask(IRBuilderBase& b, StringRef relation) {
  Value* own = b.CreateShl(b.getInt32(1), call_runtime(b, "__shmemu_get_lane"));
  Value* below = b.CreateSub(own, b.getInt32(1));
  if (relation == "eq") return own;
  if (relation == "lt") return below;
  if (relation == "le") return b.CreateOr(own, below);
  if (relation == "ge") return b.CreateNot(below);
  if (relation == "gt") return b.CreateNot(b.CreateOr(own, below));
  return nullptr;
}

}  // namespace

Value* read_special_register(IRBuilderBase& b, StringRef name) {
  name.consume_front("%");
  for (const char* family : {"tid", "ntid", "ctaid", "nctaid"}) {
    StringRef axis = name;
    if (!axis.consume_front(family) || !axis.consume_front(".")) continue;
    if (axis == "w") return b.getInt32(0);
    if (axis == "x" || axis == "y" || axis == "z")
      return call_runtime(b, ("__shmemu_get_" + Twine(family) + "_" + axis).str());
  }
  if (name.consume_front("lanemask_")) return lane_mask(b, name);
  if (name.consume_front("clusterid.")) return read_special_register(b, ("ctaid." + name).str());
  if (name.consume_front("nclusterid.")) return read_special_register(b, ("nctaid." + name).str());
  if (name.starts_with("cluster_n")) return b.getInt32(1);
  if (name.starts_with("cluster_cta")) return b.getInt32(0);
  if (name == "is_explicit_cluster") return b.getFalse();
  if (name == "laneid") return call_runtime(b, "__shmemu_get_lane");
  if (name == "warpsize") return b.getInt32(32);
  if (name == "nwarpid") return b.getInt32(64);
  if (name == "clock64") return call_runtime(b, "__shmemu_clock");
  if (name == "clock") return b.CreateTrunc(call_runtime(b, "__shmemu_clock"), b.getInt32Ty());
  if (name == "clock_hi") return b.CreateTrunc(b.CreateLShr(call_runtime(b, "__shmemu_clock"), 32), b.getInt32Ty());
  if (name == "globaltimer") return call_runtime(b, "__shmemu_globaltimer");
  if (name == "globaltimer_lo") return b.CreateTrunc(call_runtime(b, "__shmemu_globaltimer"), b.getInt32Ty());
  if (name == "globaltimer_hi")
    return b.CreateTrunc(b.CreateLShr(call_runtime(b, "__shmemu_globaltimer"), 32), b.getInt32Ty());
  if (name == "dynamic_smem_size" || name == "total_smem_size") return call_runtime(b, "__shmemu_dynamic_shared_bytes");
  if (name == "smid" || name == "nsmid" || name == "warpid" || name == "gridid")
    return call_runtime(b, ("__shmemu_" + name).str());
  if (name.starts_with("envreg") || name.starts_with("pm")) return b.getInt32(0);
  return nullptr;
}

ArrayRef<PtxOpcode> ptx_sync_opcodes() {
  static constexpr PtxOpcode table[] = {
      {"bar", barrier},
      {"barrier", barrier},
      {"vote", vote},
      {"shfl", shuffle},
      {"match", match},
      {"redux", redux},
      {"activemask", activemask},
      {"elect", elect},
      {"nanosleep", sleep},
      {"trap", trap},
      {"brkpt", nothing},
      {"exit", exit},
      {"bra", jump},
      {"setmaxnreg", nothing},
      {"griddepcontrol", nothing},
      {"pmevent", nothing},
  };
  return table;
}

}  // namespace shmemu::plugin
