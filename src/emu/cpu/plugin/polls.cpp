// Polls: a call of __shmemu_poll on the back edge of every loop that waits for memory.
//
// The fibre that runs such a loop would otherwise keep the only OS thread for ever. Loops are found by watched_loops;
// here the back edge is split (the poll must not run when the loop ends) and the watched address made available on it.
#include <cstdlib>

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "passes.hpp"
#include "runtime_calls.hpp"
#include "trace_values.hpp"
#include "watched_loops.hpp"

using namespace llvm;

namespace shmemu::plugin {
namespace {

constexpr uint32_t poll_mixed = 1, poll_clock = 2;  // shmemu_poll_flags

struct BackEdge {
  BasicBlock* from;
  BasicBlock* to;
  WatchedLoop loop;
};

/// The invariant value, computed again in front of `at` where its definition does not reach.
Value* available(Value* value, Instruction* at, const DominatorTree& dominators) {
  value = strip_slots(value);
  auto* definition = dyn_cast<Instruction>(value);
  if (!definition || dominators.dominates(definition, at)) return value;
  Instruction* copy = definition->clone();
  for (Use& operand : copy->operands()) operand.set(available(operand, at, dominators));
  copy->insertBefore(at);
  return copy;
}

DebugLoc place_of(const WatchedLoop& loop, Function& function) {
  if (loop.place) return loop.place;
  DISubprogram* program = function.getSubprogram();
  if (!program) return {};
  return DILocation::get(function.getContext(), program->getLine(), 0, program);
}

void insert_poll(const BackEdge& edge, DominatorTree& dominators) {
  BasicBlock* block = SplitEdge(edge.from, edge.to, &dominators);
  Instruction* end = block->getTerminator();
  IRBuilder<> builder(end);
  builder.SetCurrentDebugLocation(place_of(edge.loop, *block->getParent()));
  Value* address = ConstantPointerNull::get(builder.getPtrTy());
  if (edge.loop.address) {
    address = available(edge.loop.address, end, dominators);
    if (edge.loop.offset) address = builder.CreatePtrAdd(address, builder.getInt64(edge.loop.offset));
  }
  const uint32_t flags = (edge.loop.mixed ? poll_mixed : 0) | (edge.loop.clock ? poll_clock : 0);
  const uint32_t bytes = edge.loop.address ? edge.loop.bytes : 0;
  call_runtime(builder, "__shmemu_poll", {address, builder.getInt32(bytes), builder.getInt32(flags)});
}

bool can_split(const BasicBlock& from) {
  return isa<BranchInst>(from.getTerminator()) || isa<SwitchInst>(from.getTerminator());
}

void poll_function(Function& function, const CallFacts& facts, bool host) {
  DominatorTree dominators(function);
  LoopInfo loops(dominators);
  std::vector<BackEdge> edges;
  for (WatchedLoop& watched : find_watched_loops(loops, dominators, facts, host)) {
    SmallVector<BasicBlock*, 4> latches;
    watched.loop->getLoopLatches(latches);
    for (BasicBlock* latch : latches)
      if (can_split(*latch)) edges.push_back({latch, watched.loop->getHeader(), watched});
  }
  for (const BackEdge& edge : edges) insert_poll(edge, dominators);
}

}  // namespace

void insert_polls(Module& module, bool host) {
  const CallFacts facts(module, host);
  for (Function& function : module)
    if (!function.isDeclaration() && !function.hasAvailableExternallyLinkage()) poll_function(function, facts, host);
}

PreservedAnalyses HostPollsPass::run(Module& module, ModuleAnalysisManager&) {
  insert_polls(module, /*host=*/true);
  if (std::getenv("SHMEMU_CHECK")) report_touches(module, /*host=*/true);
  return PreservedAnalyses::none();
}

}  // namespace shmemu::plugin
