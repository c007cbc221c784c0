#include "device/warp_ops.hpp"

#include <algorithm>

namespace shmemu::device {
namespace {

int shuffle_source(WarpOp op, int lane, int argument, int width) {
  int first = lane & ~(width - 1);
  switch (op) {
    case WarpOp::shfl_index:
      return first + (argument & (width - 1));
    case WarpOp::shfl_up:
      return lane - argument < first ? lane : lane - argument;
    case WarpOp::shfl_down:
      return lane + argument >= first + width ? lane : lane + argument;
    default:
      return (lane ^ argument) >= first + width ? lane : lane ^ argument;
  }
}

// `kind` counts as shmemu_reduce_op of the ABI: sum, prod, min, max, and, or, xor.
uint32_t combine(int kind, bool is_signed, uint32_t a, uint32_t b) {
  auto sa = static_cast<int32_t>(a), sb = static_cast<int32_t>(b);
  switch (kind) {
    case 0:
      return a + b;
    case 1:
      return a * b;
    case 2:
      return is_signed ? static_cast<uint32_t>(std::min(sa, sb)) : std::min(a, b);
    case 3:
      return is_signed ? static_cast<uint32_t>(std::max(sa, sb)) : std::max(a, b);
    case 4:
      return a & b;
    case 5:
      return a | b;
    default:
      return a ^ b;
  }
}

template <class F>
void each(Warp& warp, uint32_t mask, F&& f) {
  for (uint32_t m = mask; m; m &= m - 1) f(*warp.lane(__builtin_ctz(m)));
}

}  // namespace

void compute_warp_op(Warp& warp, uint32_t mask) {
  auto op = static_cast<WarpOp>(warp.lane(__builtin_ctz(mask))->stop.function);
  switch (op) {
    case WarpOp::ballot: {
      uint64_t votes = 0;
      each(warp, mask, [&](Lane& l) { votes |= uint64_t{l.stop.compare != 0} << l.index; });
      each(warp, mask, [&](Lane& l) { l.result = votes; });
      break;
    }
    case WarpOp::match_any:
      each(warp, mask, [&](Lane& l) {
        l.result = 0;
        each(warp, mask, [&](Lane& o) { l.result |= uint64_t{o.stop.compare == l.stop.compare} << o.index; });
      });
      break;
    case WarpOp::match_all: {
      bool equal = true;
      uint64_t value = warp.lane(__builtin_ctz(mask))->stop.compare;
      each(warp, mask, [&](Lane& l) { equal &= l.stop.compare == value; });
      each(warp, mask, [&](Lane& l) { l.result = equal ? mask : 0; });
      break;
    }
    case WarpOp::reduce: {
      const Op& first = warp.lane(__builtin_ctz(mask))->stop;
      bool started = false;
      uint32_t sum = 0;
      each(warp, mask, [&](Lane& l) {
        auto v = static_cast<uint32_t>(l.stop.compare);
        sum = started ? combine(static_cast<int>(first.local), first.type == 4 /* SHMEMU_I32 */, sum, v) : v;
        started = true;
      });
      each(warp, mask, [&](Lane& l) { l.result = sum; });
      break;
    }
    case WarpOp::sync:
    case WarpOp::active_mask:
      break;
    default:
      each(warp, mask, [&](Lane& l) {
        int from = shuffle_source(op, l.index, static_cast<int>(l.stop.local), static_cast<int>(l.stop.bytes));
        l.result = (mask >> from & 1) ? warp.lane(from)->stop.compare : l.stop.compare;
      });
  }
}

}  // namespace shmemu::device
