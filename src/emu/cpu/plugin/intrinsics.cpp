// NVVM intrinsics and compiler-known device functions -> IR and runtime calls.
//
// Nearly every llvm.nvvm.* intrinsic is one PTX instruction, so the table gives its PTX spelling and the PTX translator
// does the rest ($0 is the result, the arguments follow; a struct result is $0, $1). Names are matched with their
// type suffixes cut off. Device functions that are not intrinsics (vprintf, malloc, assert) get the runtime's name.
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"
#include "passes.hpp"
#include "ptx_lower.hpp"
#include "runtime_calls.hpp"

using namespace llvm;

namespace shmemu::plugin {
namespace {

struct Spelling {
  const char* intrinsic;  // behind "llvm.nvvm."
  const char* ptx;
};

constexpr Spelling spellings[] = {
    // barriers
    {"barrier0.popc", "{.reg .pred p; setp.ne.u32 p, $1, 0; bar.red.popc.u32 $0, 0, p;}"},
    {"barrier0.and", "{.reg .pred p, q; setp.ne.u32 p, $1, 0; bar.red.and.pred q, 0, p; selp.u32 $0, 1, 0, q;}"},
    {"barrier0.or", "{.reg .pred p, q; setp.ne.u32 p, $1, 0; bar.red.or.pred q, 0, p; selp.u32 $0, 1, 0, q;}"},
    {"barrier0", "bar.sync 0;"},
    {"barrier.n", "bar.sync $0;"},
    {"barrier.sync.cnt", "bar.sync $0, $1;"},
    {"barrier.sync", "bar.sync $0;"},
    {"barrier.cta.sync.aligned.all", "bar.sync $0;"},
    {"barrier.cta.sync.all", "bar.sync $0;"},
    {"barrier.cta.sync.aligned.count", "bar.sync $0, $1;"},
    {"barrier.cta.sync.count", "bar.sync $0, $1;"},
    {"barrier.cta.arrive.aligned.count", "bar.arrive $0, $1;"},
    {"barrier.cta.arrive.count", "bar.arrive $0, $1;"},
    {"barrier.cluster.arrive", "barrier.cluster.arrive;"},
    {"barrier.cluster.wait", "barrier.cluster.wait;"},
    {"barrier", "bar.sync $0, $1;"},
    {"bar.sync", "bar.sync $0;"},
    {"bar.warp.sync", "bar.warp.sync $0;"},
    {"membar.cta", "membar.cta;"},
    {"membar.gl", "membar.gl;"},
    {"membar.sys", "membar.sys;"},
    {"fence.sc.cluster", "fence.sc.cluster;"},
    // warps
    {"vote.all.sync", "vote.sync.all.pred $0, $2, $1;"},
    {"vote.any.sync", "vote.sync.any.pred $0, $2, $1;"},
    {"vote.uni.sync", "vote.sync.uni.pred $0, $2, $1;"},
    {"vote.ballot.sync", "vote.sync.ballot.b32 $0, $2, $1;"},
    {"vote.all", "vote.all.pred $0, $1;"},
    {"vote.any", "vote.any.pred $0, $1;"},
    {"vote.uni", "vote.uni.pred $0, $1;"},
    {"vote.ballot", "vote.ballot.b32 $0, $1;"},
    {"shfl.sync.idx.i32p", "shfl.sync.idx.b32 $0|$1, $3, $4, $5, $2;"},
    {"shfl.sync.up.i32p", "shfl.sync.up.b32 $0|$1, $3, $4, $5, $2;"},
    {"shfl.sync.down.i32p", "shfl.sync.down.b32 $0|$1, $3, $4, $5, $2;"},
    {"shfl.sync.bfly.i32p", "shfl.sync.bfly.b32 $0|$1, $3, $4, $5, $2;"},
    {"shfl.sync.idx.f32p", "shfl.sync.idx.b32 $0|$1, $3, $4, $5, $2;"},
    {"shfl.sync.up.f32p", "shfl.sync.up.b32 $0|$1, $3, $4, $5, $2;"},
    {"shfl.sync.down.f32p", "shfl.sync.down.b32 $0|$1, $3, $4, $5, $2;"},
    {"shfl.sync.bfly.f32p", "shfl.sync.bfly.b32 $0|$1, $3, $4, $5, $2;"},
    {"shfl.sync.idx", "shfl.sync.idx.b32 $0, $2, $3, $4, $1;"},
    {"shfl.sync.up", "shfl.sync.up.b32 $0, $2, $3, $4, $1;"},
    {"shfl.sync.down", "shfl.sync.down.b32 $0, $2, $3, $4, $1;"},
    {"shfl.sync.bfly", "shfl.sync.bfly.b32 $0, $2, $3, $4, $1;"},
    {"shfl.idx", "shfl.sync.idx.b32 $0, $1, $2, $3;"},
    {"shfl.up", "shfl.sync.up.b32 $0, $1, $2, $3;"},
    {"shfl.down", "shfl.sync.down.b32 $0, $1, $2, $3;"},
    {"shfl.bfly", "shfl.sync.bfly.b32 $0, $1, $2, $3;"},
    {"match.any.sync.i32", "match.any.sync.b32 $0, $2, $1;"},
    {"match.any.sync.i64", "match.any.sync.b64 $0, $2, $1;"},
    {"match.all.sync.i32p", "match.all.sync.b32 $0|$1, $3, $2;"},
    {"match.all.sync.i64p", "match.all.sync.b64 $0|$1, $3, $2;"},
    {"redux.sync.add", "redux.sync.add.s32 $0, $1, $2;"},
    {"redux.sync.min", "redux.sync.min.s32 $0, $1, $2;"},
    {"redux.sync.max", "redux.sync.max.s32 $0, $1, $2;"},
    {"redux.sync.umin", "redux.sync.min.u32 $0, $1, $2;"},
    {"redux.sync.umax", "redux.sync.max.u32 $0, $1, $2;"},
    {"redux.sync.and", "redux.sync.and.b32 $0, $1, $2;"},
    {"redux.sync.or", "redux.sync.or.b32 $0, $1, $2;"},
    {"redux.sync.xor", "redux.sync.xor.b32 $0, $1, $2;"},
    {"activemask", "activemask.b32 $0;"},
    {"nanosleep", "nanosleep.u32 $0;"},
    {"exit", "exit;"},
    // memory
    {"atomic.load.inc.32", "atom.inc.u32 $0, [$1], $2;"},
    {"atomic.load.dec.32", "atom.dec.u32 $0, [$1], $2;"},
    {"atomic.inc.gen.i", "atom.inc.u32 $0, [$1], $2;"},
    {"atomic.dec.gen.i", "atom.dec.u32 $0, [$1], $2;"},
    {"ptr.gen.to.shared", "mov.b64 $0, $1;"},
    {"ptr.shared.to.gen", "mov.b64 $0, $1;"},
    {"ptr.gen.to.global", "mov.b64 $0, $1;"},
    {"ptr.global.to.gen", "mov.b64 $0, $1;"},
    {"ptr.gen.to.constant", "mov.b64 $0, $1;"},
    {"ptr.constant.to.gen", "mov.b64 $0, $1;"},
    {"ptr.gen.to.local", "mov.b64 $0, $1;"},
    {"ptr.local.to.gen", "mov.b64 $0, $1;"},
    {"isspacep.shared", "isspacep.shared $0, $1;"},
    {"isspacep.global", "isspacep.global $0, $1;"},
    {"mapa", "mov.b64 $0, $1;"},
    {"getctarank", "mov.u32 $0, 0;"},
    {"is_explicit_cluster", "mov.pred $0, %is_explicit_cluster;"},
    {"cp.async.ca.shared.global.4", "cp.async.ca [$0], [$1], 4;"},
    {"cp.async.ca.shared.global.8", "cp.async.ca [$0], [$1], 8;"},
    {"cp.async.ca.shared.global.16", "cp.async.ca [$0], [$1], 16;"},
    {"cp.async.cg.shared.global.16", "cp.async.cg [$0], [$1], 16;"},
    {"cp.async.commit.group", ""},
    {"cp.async.wait.group", ""},
    {"cp.async.wait.all", ""},
    {"mbarrier.init", "mbarrier.init.b64 [$0], $1;"},
    {"mbarrier.inval", ""},
    {"mbarrier.arrive", "mbarrier.arrive.b64 $0, [$1];"},
    {"mbarrier.arrive.drop", "mbarrier.arrive_drop.b64 $0, [$1];"},
    {"mbarrier.test.wait", "mbarrier.test_wait.b64 $0, [$1], $2;"},
    {"mbarrier.pending.count", "mbarrier.pending_count.b64 $0, $1;"},
    {"setmaxnreg.inc.sync.aligned.u32", ""},
    {"setmaxnreg.dec.sync.aligned.u32", ""},
    // arithmetic
    {"mulhi.i", "mul.hi.s32 $0, $1, $2;"},
    {"mulhi.ui", "mul.hi.u32 $0, $1, $2;"},
    {"mulhi.ll", "mul.hi.s64 $0, $1, $2;"},
    {"mulhi.ull", "mul.hi.u64 $0, $1, $2;"},
    {"mul24.i", "mul24.lo.s32 $0, $1, $2;"},
    {"mul24.ui", "mul24.lo.u32 $0, $1, $2;"},
    {"sad.i", "sad.s32 $0, $1, $2, $3;"},
    {"sad.ui", "sad.u32 $0, $1, $2, $3;"},
    {"prmt", "prmt.b32 $0, $1, $2, $3;"},
    {"fmin.f", "min.f32 $0, $1, $2;"},
    {"fmin.ftz.f", "min.f32 $0, $1, $2;"},
    {"fmin.d", "min.f64 $0, $1, $2;"},
    {"fmax.f", "max.f32 $0, $1, $2;"},
    {"fmax.ftz.f", "max.f32 $0, $1, $2;"},
    {"fmax.d", "max.f64 $0, $1, $2;"},
    {"fmin.f16x2", "min.f16x2 $0, $1, $2;"},
    {"fmax.f16x2", "max.f16x2 $0, $1, $2;"},
    {"fmin.bf16x2", "min.bf16x2 $0, $1, $2;"},
    {"fmax.bf16x2", "max.bf16x2 $0, $1, $2;"},
    {"ex2.approx.f", "ex2.approx.f32 $0, $1;"},
    {"ex2.approx.ftz.f", "ex2.approx.f32 $0, $1;"},
    {"ex2.approx.d", "ex2.approx.f64 $0, $1;"},
    {"lg2.approx.f", "lg2.approx.f32 $0, $1;"},
    {"lg2.approx.ftz.f", "lg2.approx.f32 $0, $1;"},
    {"lg2.approx.d", "lg2.approx.f64 $0, $1;"},
    {"sin.approx.f", "sin.approx.f32 $0, $1;"},
    {"sin.approx.ftz.f", "sin.approx.f32 $0, $1;"},
    {"cos.approx.f", "cos.approx.f32 $0, $1;"},
    {"cos.approx.ftz.f", "cos.approx.f32 $0, $1;"},
    {"rcp.rn.f", "rcp.rn.f32 $0, $1;"},
    {"rcp.rn.d", "rcp.rn.f64 $0, $1;"},
    {"rcp.approx.ftz.f", "rcp.rn.f32 $0, $1;"},
    {"rcp.approx.ftz.d", "rcp.rn.f64 $0, $1;"},
    {"rsqrt.approx.f", "rsqrt.approx.f32 $0, $1;"},
    {"rsqrt.approx.ftz.f", "rsqrt.approx.f32 $0, $1;"},
    {"rsqrt.approx.d", "rsqrt.approx.f64 $0, $1;"},
    {"sqrt.f", "sqrt.rn.f32 $0, $1;"},
    {"sqrt.rn.f", "sqrt.rn.f32 $0, $1;"},
    {"sqrt.rn.d", "sqrt.rn.f64 $0, $1;"},
    {"sqrt.approx.f", "sqrt.approx.f32 $0, $1;"},
    {"sqrt.approx.ftz.f", "sqrt.approx.f32 $0, $1;"},
    {"div.approx.f", "div.approx.f32 $0, $1, $2;"},
    {"div.approx.ftz.f", "div.approx.f32 $0, $1, $2;"},
    {"div.rn.f", "div.rn.f32 $0, $1, $2;"},
    {"div.rn.d", "div.rn.f64 $0, $1, $2;"},
    {"fma.rn.f", "fma.rn.f32 $0, $1, $2, $3;"},
    {"fma.rn.d", "fma.rn.f64 $0, $1, $2, $3;"},
    {"fma.rn.f16x2", "fma.rn.f16x2 $0, $1, $2, $3;"},
    {"fma.rn.bf16x2", "fma.rn.bf16x2 $0, $1, $2, $3;"},
    {"saturate.f", "cvt.sat.f32.f32 $0, $1;"},
    {"saturate.d", "cvt.sat.f64.f64 $0, $1;"},
    {"fabs.f", "abs.f32 $0, $1;"},
    {"fabs.d", "abs.f64 $0, $1;"},
    {"floor.f", "cvt.rmi.f32.f32 $0, $1;"},
    {"floor.d", "cvt.rmi.f64.f64 $0, $1;"},
    {"ceil.f", "cvt.rpi.f32.f32 $0, $1;"},
    {"ceil.d", "cvt.rpi.f64.f64 $0, $1;"},
    {"trunc.f", "cvt.rzi.f32.f32 $0, $1;"},
    {"trunc.d", "cvt.rzi.f64.f64 $0, $1;"},
    {"round.f", "cvt.rni.f32.f32 $0, $1;"},
    {"round.d", "cvt.rni.f64.f64 $0, $1;"},
    {"bitcast.f2i", "mov.b32 $0, $1;"},
    {"bitcast.i2f", "mov.b32 $0, $1;"},
    {"bitcast.d2ll", "mov.b64 $0, $1;"},
    {"bitcast.ll2d", "mov.b64 $0, $1;"},
    {"f2h.rn", "cvt.rn.f16.f32 $0, $1;"},
    {"ff2f16x2.rn", "cvt.rn.f16x2.f32 $0, $1, $2;"},
    {"ff2bf16x2.rn", "cvt.rn.bf16x2.f32 $0, $1, $2;"},
    {"f2bf16.rn", "cvt.rn.bf16.f32 $0, $1;"},
};

/// The PTX of an intrinsic, for the longest table name that is a dotted prefix of it.
std::optional<std::string> ptx_of(StringRef name) {
  if (StringRef sreg = name; sreg.consume_front("read.ptx.sreg.")) {
    std::string reg = sreg.str();
    if (sreg.starts_with("lanemask.")) reg = "lanemask_" + sreg.drop_front(9).str();
    if (sreg.starts_with("cluster.")) reg[7] = '_';
    const bool wide = sreg == "clock64" || sreg == "globaltimer";
    return (wide ? "mov.u64 $0, %" : "mov.u32 $0, %") + reg + ";";
  }
  static const StringMap<const char*> table = [] {
    StringMap<const char*> map;
    for (const Spelling& s : spellings) map[s.intrinsic] = s.ptx;
    return map;
  }();
  while (!name.empty()) {
    if (auto found = table.find(name); found != table.end()) return std::string(found->second);
    name = name.rsplit('.').first == name ? "" : name.rsplit('.').first;
  }
  return std::nullopt;
}

void replace_intrinsic(CallInst* call, StringRef name) {
  SmallVector<Type*, 2> outputs;
  auto* results = dyn_cast<StructType>(call->getType());
  if (results)
    append_range(outputs, results->elements());
  else if (!call->getType()->isVoidTy())
    outputs.push_back(call->getType());
  SmallVector<Value*, 6> inputs(call->args());
  if (name.starts_with("ldg.") || name.starts_with("ldu.")) {  // a plain load
    auto* align = dyn_cast<ConstantInt>(inputs.size() > 1 ? inputs[1] : nullptr);
    IRBuilder<> b(call);
    call->replaceAllUsesWith(
        b.CreateAlignedLoad(call->getType(), inputs[0], align ? Align(align->getZExtValue()) : Align(1)));
    call->eraseFromParent();
    return;
  }
  const std::optional<std::string> ptx = ptx_of(name);
  const SmallVector<Value*, 4> values =
      translate_ptx(call, ptx ? parse_ptx(*ptx) : std::nullopt, ("llvm.nvvm." + name).str(), outputs, inputs, {}, true);
  IRBuilder<> b(call);
  Value* result = values.empty() ? nullptr : values[0];
  if (results) {
    result = PoisonValue::get(results);
    for (auto [index, value] : enumerate(values)) result = b.CreateInsertValue(result, value, index);
  }
  if (result) call->replaceAllUsesWith(result);
  call->eraseFromParent();
}

/// Calls of `from` become calls of the runtime function `to` with as many arguments as that takes.
struct Renaming {
  const char* from;
  const char* to;
  unsigned arguments;
};
constexpr Renaming renamings[] = {
    {"vprintf", "__shmemu_vprintf", 2},
    {"malloc", "__shmemu_malloc", 1},
    {"free", "__shmemu_free", 1},
    {"_Znwm", "__shmemu_malloc", 1},
    {"_Znam", "__shmemu_malloc", 1},
    {"_ZdlPv", "__shmemu_free", 1},
    {"_ZdaPv", "__shmemu_free", 1},
    {"_ZdlPvm", "__shmemu_free", 1},
    {"_ZdaPvm", "__shmemu_free", 1},
    {"__assertfail", "__shmemu_assert_fail", 4},
    {"__assert_fail", "__shmemu_assert_fail", 4},
    {"llvm.trap", "__shmemu_trap", 0},
    {"abort", "__shmemu_trap", 0},
    {"llvm.debugtrap", nullptr, 0},
};

void rename_calls(Module& module, const Renaming& renaming) {
  Function* function = module.getFunction(renaming.from);
  if (!function || !function->isDeclaration()) return;
  for (User* user : make_early_inc_range(function->users())) {
    auto* call = dyn_cast<CallInst>(user);
    if (!call || call->getCalledFunction() != function) continue;
    IRBuilder<> b(call);
    SmallVector<Value*, 4> arguments(call->arg_begin(), call->arg_begin() + renaming.arguments);
    CallInst* made = renaming.to ? call_runtime(b, renaming.to, arguments) : nullptr;
    if (made && call->doesNotReturn()) made->setDoesNotReturn();
    if (made && !call->getType()->isVoidTy()) call->replaceAllUsesWith(made);
    call->eraseFromParent();
  }
  if (function->use_empty()) function->eraseFromParent();
}

int fence_scope(const FenceInst& fence) {
  SmallVector<StringRef, 8> names;
  fence.getContext().getSyncScopeNames(names);
  const StringRef scope = names[fence.getSyncScopeID()];
  if (scope == "block" || scope == "workgroup" || scope == "cta") return 0;
  return scope == "device" || scope == "agent" || scope == "gpu" ? 1 : 2;
}

/// The runtime call is a barrier for the compiler, and all fibres share one OS thread: no CPU fence is needed.
void lower_fences(Module& module) {
  for (Function& function : module)
    for (Instruction& i : make_early_inc_range(instructions(function))) {
      auto* fence = dyn_cast<FenceInst>(&i);
      if (!fence || fence->getSyncScopeID() == SyncScope::SingleThread) continue;
      IRBuilder<> b(fence);
      call_runtime(b, "__shmemu_fence", {b.getInt32(fence_scope(*fence))});
      fence->eraseFromParent();
    }
}

}  // namespace

void lower_nvvm_intrinsics(Module& module) {
  for (Function& function : make_early_inc_range(module)) {
    StringRef name = function.getName();
    if (name == "__nvvm_reflect" || name.starts_with("llvm.nvvm.reflect")) {  // no GPU feature is claimed
      for (User* user : make_early_inc_range(function.users()))
        if (auto* call = dyn_cast<CallInst>(user)) {
          call->replaceAllUsesWith(Constant::getNullValue(call->getType()));
          call->eraseFromParent();
        }
      continue;
    }
    if (!name.consume_front("llvm.nvvm.")) continue;
    SmallVector<CallInst*, 16> calls;
    for (User* user : function.users())
      if (auto* call = dyn_cast<CallInst>(user)) calls.push_back(call);
    for (CallInst* call : calls) replace_intrinsic(call, name);
    if (function.use_empty()) function.eraseFromParent();
  }
  for (const Renaming& renaming : renamings) rename_calls(module, renaming);
  lower_fences(module);
}

}  // namespace shmemu::plugin
