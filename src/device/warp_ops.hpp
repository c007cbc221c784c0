// Results of warp operations: shuffles, votes, matches, reductions, as in the CUDA programming guide. Pure functions of
// the lanes' operands; time is the Machine's business.
#pragma once
#include <cstdint>

#include "device/actor.hpp"

namespace shmemu::device {

// In Op::function of a stop of kind `warp`. Op::value is the mask, Op::compare the operand, Op::local the argument
// (source lane, delta, predicate …), Op::bytes the width.
enum class WarpOp : uint8_t {
  shfl_index,
  shfl_up,
  shfl_down,
  shfl_xor,
  ballot,
  sync,
  active_mask,
  match_any,
  match_all,
  reduce
};

// Fills `result` of each lane in `mask`, all of which stand at the same operation.
void compute_warp_op(Warp& warp, uint32_t mask);

}  // namespace shmemu::device
