// Devices of the modelled node, as a PE sees them: device d of a PE is GPU (node of the PE) * GPUs per node + d.
#include "emu/cuda/driver.hpp"

namespace shmemu::emu {

GpuId gpu_of_device(const Pe& pe, int device) {
  return GpuId{pe.world.node_of(pe.id) * pe.world.gpus_per_node() + device};
}

void choose_device(Pe& pe, int device) {
  pe.cuda.device = device;
  if (!pe.shmem.initialised || !pe.cuda.device_chosen) pe.gpu = gpu_of_device(pe, device);
  pe.cuda.device_chosen = true;
}

}  // namespace shmemu::emu

using namespace shmemu;
using namespace shmemu::emu;

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  if (!count) return remember(cudaErrorInvalidValue);
  note_runtime_call();
  *count = g_current.world->gpus_per_node();
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int* device) {
  if (!device) return remember(cudaErrorInvalidValue);
  *device = g_current.pe->cuda.device;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  if (device < 0 || device >= g_current.world->gpus_per_node()) return remember(cudaErrorInvalidDevice);
  Pe& pe = *g_current.pe;
  choose_device(pe, device);
  bind_primary_context(pe, device);
  charge(pe.world.platform.host.api_call);
  return cudaSuccess;
}

cudaError_t cudaGetLastError() {
  auto error = static_cast<cudaError_t>(g_current.pe->cuda.last_error);
  g_current.pe->cuda.last_error = cudaSuccess;
  return error;
}

cudaError_t cudaPeekAtLastError() { return static_cast<cudaError_t>(g_current.pe->cuda.last_error); }

}  // extern "C"
