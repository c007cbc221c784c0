// rule: launch.not-coresident
// ends: 1
#include "pair.hpp"

__global__ void all() { nvshmem_my_pe(); }

int main(int argc, char** argv) {
  Pair p(argc, argv);
  int most = 0;
  nvshmemx_collective_launch_query_gridsize(reinterpret_cast<const void*>(all), dim3(1024), nullptr, 0, &most);
  dim3 grid(static_cast<unsigned>(most + (p.repaired ? 0 : 1)));
  nvshmemx_collective_launch(reinterpret_cast<const void*>(all), grid, dim3(1024), nullptr, 0, 0);  // FIRST SECOND
}
