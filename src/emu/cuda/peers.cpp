// Devices and processes that share memory: peer access inside a node, handles between PEs.
#include <cstring>

#include "emu/cuda/device_facts.hpp"
#include "emu/cuda/device_settings.hpp"
#include "emu/cuda/memory_kinds.hpp"

namespace shmemu::emu {

std::optional<int> device_of_gpu(const Pe& pe, GpuId gpu) {
  int device = gpu.value - gpu_of_device(pe, 0).value;
  return device >= 0 && device < pe.world.gpus_per_node() ? std::optional(device) : std::nullopt;
}

}  // namespace shmemu::emu

using namespace shmemu;
using namespace shmemu::emu;

namespace {

// What a cudaIpcMemHandle_t holds here: PEs share one address space, so the address itself.
struct MemoryHandle {
  uint64_t magic, address, bytes;
  int32_t owner;
  uint32_t number;  // of the allocation on its GPU: a handle does not outlive it
};
constexpr uint64_t kMagic = 0x73686d656d754950;
static_assert(sizeof(MemoryHandle) <= CUDA_IPC_HANDLE_SIZE);

struct OpenedHandles {
  std::map<uint64_t, int> opened;  // address → how often
};

}  // namespace

extern "C" {

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  if (!can) return remember(cudaErrorInvalidValue);
  if (!is_device(device) || !is_device(peer)) return remember(cudaErrorInvalidDevice);
  *can = are_peers(device, peer);
  return cudaSuccess;
}

cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute, int device, int peer) {
  if (!value) return remember(cudaErrorInvalidValue);
  if (!is_device(device) || !is_device(peer) || device == peer) return remember(cudaErrorInvalidDevice);
  switch (attribute) {
    case cudaDevP2PAttrPerformanceRank: *value = 0; return cudaSuccess;
    case cudaDevP2PAttrAccessSupported:
    case cudaDevP2PAttrNativeAtomicSupported: *value = are_peers(device, peer); return cudaSuccess;
    case cudaDevP2PAttrCudaArrayAccessSupported: *value = 0; return cudaSuccess;  // an H200 says 1; no arrays here
    default: return remember(cudaErrorInvalidValue);
  }
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  Pe& pe = *g_current.pe;
  if (!is_device(peer)) return remember(cudaErrorInvalidDevice);
  if (flags) return remember(cudaErrorInvalidValue);
  if (!are_peers(pe.cuda.device, peer)) return remember(cudaErrorPeerAccessUnsupported);
  if (!settings_of(pe, pe.cuda.device).peers.insert(peer).second) return remember(cudaErrorPeerAccessAlreadyEnabled);
  charge(pe.world.platform.host.api_call);
  return cudaSuccess;
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  Pe& pe = *g_current.pe;
  if (!is_device(peer)) return remember(cudaErrorInvalidDevice);
  if (!settings_of(pe, pe.cuda.device).peers.erase(peer)) return remember(cudaErrorPeerAccessNotEnabled);
  charge(pe.world.platform.host.api_call);
  return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char* out, int length, int device) {
  if (!out) return remember(cudaErrorInvalidValue);
  if (!is_device(device)) return remember(cudaErrorInvalidDevice);
  std::string id = pci_bus_id(device);
  if (length <= static_cast<int>(id.size())) return remember(cudaErrorInvalidValue);
  std::memcpy(out, id.c_str(), id.size() + 1);
  return cudaSuccess;
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* id) {
  if (!device || !id) return remember(cudaErrorInvalidValue);
  bool malformed;
  auto found = device_at_bus(id, malformed);
  if (!found) return remember(malformed ? cudaErrorInvalidValue : cudaErrorInvalidDevice);
  *device = *found;
  return cudaSuccess;
}

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* out, void* p) {
  Pe& pe = *g_current.pe;
  MemoryBlock block = block_of(pe, p);
  if (!out || block.kind != MemoryKind::device || !kept<DeviceAllocations>(pe).live.contains(block.base))
    return remember(cudaErrorInvalidValue);
  MemoryHandle handle{kMagic, block.base, block.bytes, pe.id.value, pe.world.device_memory.find(block.base)->number};
  std::memset(out, 0, sizeof *out);
  std::memcpy(out, &handle, sizeof handle);
  charge(pe.world.platform.host.api_call);
  return cudaSuccess;
}

// A handle gives the whole allocation of another PE of the node.
cudaError_t cudaIpcOpenMemHandle(void** out, cudaIpcMemHandle_t given, unsigned flags) {
  Pe& pe = *g_current.pe;
  MemoryHandle handle;
  std::memcpy(&handle, &given, sizeof handle);
  if (!out || flags != cudaIpcMemLazyEnablePeerAccess || handle.magic != kMagic) return remember(cudaErrorInvalidValue);
  if (handle.owner == pe.id.value) return remember(cudaErrorDeviceUninitialized);  // as an H200 answers
  const Allocation* live = pe.world.device_memory.find(handle.address);
  if (!live || live->number != handle.number || !pe.world.device_memory.valid(handle.address, handle.bytes) ||
      pe.world.node_of(PeId{handle.owner}) != pe.world.node_of(pe.id))
    return remember(cudaErrorInvalidValue);
  auto device = device_of_gpu(pe, GpuId{pe.world.device_memory.slot_of(handle.address)});
  if (!device || (*device != pe.cuda.device && !are_peers(*device, pe.cuda.device)))
    return remember(cudaErrorPeerAccessUnsupported);
  ++kept<OpenedHandles>(pe).opened[handle.address];
  *out = reinterpret_cast<void*>(handle.address);
  charge(pe.world.platform.host.malloc_call);
  return cudaSuccess;
}

cudaError_t cudaIpcCloseMemHandle(void* p) {
  Pe& pe = *g_current.pe;
  auto& opened = kept<OpenedHandles>(pe).opened;
  auto at = opened.find(reinterpret_cast<uint64_t>(p));
  if (at == opened.end()) return remember(cudaErrorInvalidValue);
  wait_for_device(SHMEMU_SITE());
  if (--at->second == 0) opened.erase(at);
  charge(pe.world.platform.host.malloc_call);
  return cudaSuccess;
}

// Events belong to one PE here (cudaDevAttrIpcEventSupport is 0).
cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t* out, cudaEvent_t event) {
  if (!out) return remember(cudaErrorInvalidValue);
  return remember(find_event(event) ? cudaErrorNotSupported : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t* out, cudaIpcEventHandle_t) {
  return remember(out ? cudaErrorNotSupported : cudaErrorInvalidValue);
}

}  // extern "C"
