// A tile of one row of eight floats.
#pragma once
#include "../programs/program.hpp"

using Row =
    nvshmemx::Tensor<float, nvshmemx::Layout<nvshmemx::shape<ConstInt<8>, int>, nvshmemx::stride<ConstInt<1>, int>>>;
struct Whole {};

__device__ inline Row row(float* data) {
  return {data, nvshmemx::make_layout(nvshmemx::make_shape(ConstInt<8>{}, 1), nvshmemx::make_stride(ConstInt<1>{}, 8))};
}
