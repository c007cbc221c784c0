// The management library, answered from the platform. Facts of an H200 were read with driver 580.159.04, 2025-11-30.
// What would have to be measured (utilisation) and what has no counterpart here (CPU sets) is NVML_ERROR_NOT_SUPPORTED.
#include "nvml.h"

#include <cstring>

#include "emu/cuda/device_facts.hpp"

using namespace shmemu;
using namespace shmemu::emu;

namespace {

struct Nvml {
  int initialised = 0;
};

constexpr const char* kNvmlVersion = "12.550.54.15";
constexpr int kFirstSwitchBus = 0x05, kSwitches = 4;  // our own choice of bus numbers; an HGX board has four switches

nvmlReturn_t ready() { return kept<Nvml>(*g_current.pe).initialised > 0 ? NVML_SUCCESS : NVML_ERROR_UNINITIALIZED; }

nvmlDevice_t handle_of(int device) { return reinterpret_cast<nvmlDevice_t>(static_cast<uintptr_t>(device) + 1); }
int device_of(nvmlDevice_t handle) { return static_cast<int>(reinterpret_cast<uintptr_t>(handle)) - 1; }

// Checks of a question about one device.
nvmlReturn_t about(nvmlDevice_t handle, const void* out) {
  if (nvmlReturn_t e = ready()) return e;
  return out && is_device(device_of(handle)) ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}

nvmlReturn_t put_text(const std::string& text, char* out, unsigned length) {
  if (!out) return NVML_ERROR_INVALID_ARGUMENT;
  if (length <= text.size()) return NVML_ERROR_INSUFFICIENT_SIZE;
  std::memcpy(out, text.c_str(), text.size() + 1);
  return NVML_SUCCESS;
}

std::string uuid_text(int device) {
  unsigned char b[16];
  device_uuid(device, b);
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) text += fmt::format("{}{:02x}", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", b[i]);
  return text;
}

void fill_pci(nvmlPciInfo_t& pci, int domain, int bus, unsigned device_id) {
  std::string full = fmt::format("{:08X}:{:02X}:00.0", domain, bus), legacy = fmt::format("{:04X}:{:02X}:00.0", domain, bus);
  pci = {};
  std::memcpy(pci.busId, full.c_str(), full.size() + 1);
  std::memcpy(pci.busIdLegacy, legacy.c_str(), legacy.size() + 1);
  pci.domain = static_cast<unsigned>(domain);
  pci.bus = static_cast<unsigned>(bus);
  pci.pciDeviceId = device_id;
}

bool has_nvlink() {
  const auto& domain = g_current.world->platform.nvlink_domain;
  return !domain || *domain > 1;
}

nvmlReturn_t about_link(nvmlDevice_t handle, unsigned link, const void* out) {
  if (nvmlReturn_t e = about(handle, out)) return e;
  if (link >= kLinksPerGpu) return NVML_ERROR_INVALID_ARGUMENT;
  return has_nvlink() ? NVML_SUCCESS : NVML_ERROR_NOT_SUPPORTED;
}

struct NvlinkFabric {
  unsigned char uuid[16] = {};  // zero unless an NVLink domain is larger than a node, as on a single HGX
  unsigned clique = 0;
};

NvlinkFabric fabric_of(int device) {
  const Pe& pe = *g_current.pe;
  const Platform& platform = pe.world.platform;
  NvlinkFabric f;
  int domain = platform.nvlink_domain.value_or(pe.world.gpu_count());
  GpuId gpu = gpu_of_device(pe, device);
  if (domain <= pe.world.gpus_per_node()) return f;
  f.clique = static_cast<unsigned>(gpu.value / domain);
  std::memcpy(f.uuid, "shmemu fabric 01", 16);
  return f;
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlInitWithFlags(unsigned) {
  ++kept<Nvml>(*g_current.pe).initialised;
  charge(g_current.world->platform.host.malloc_call);
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlInit() { return nvmlInitWithFlags(0); }

nvmlReturn_t nvmlShutdown() {
  if (nvmlReturn_t e = ready()) return e;
  --kept<Nvml>(*g_current.pe).initialised;
  return NVML_SUCCESS;
}

const char* nvmlErrorString(nvmlReturn_t result) {
#define SHMEMU_CASE(name, value, text) \
  case name: return text;
  switch (result) {
    SHMEMU_NVML_RETURNS(SHMEMU_CASE)
    default: return "Unknown Error";
  }
#undef SHMEMU_CASE
}

// ---- the system ----

nvmlReturn_t nvmlSystemGetDriverVersion(char* out, unsigned length) {
  if (nvmlReturn_t e = ready()) return e;
  return put_text(kDriverVersion, out, length);
}

nvmlReturn_t nvmlSystemGetNVMLVersion(char* out, unsigned length) {
  if (nvmlReturn_t e = ready()) return e;
  return put_text(kNvmlVersion, out, length);
}

nvmlReturn_t nvmlSystemGetCudaDriverVersion(int* out) {
  if (!out) return NVML_ERROR_INVALID_ARGUMENT;
  *out = kCudaVersion;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetCount(unsigned* out) {
  if (nvmlReturn_t e = ready()) return e;
  if (!out) return NVML_ERROR_INVALID_ARGUMENT;
  *out = static_cast<unsigned>(g_current.world->gpus_per_node());
  return NVML_SUCCESS;
}

// ---- which device ----

nvmlReturn_t nvmlDeviceGetHandleByIndex(unsigned index, nvmlDevice_t* out) {
  if (nvmlReturn_t e = ready()) return e;
  if (!out || index >= static_cast<unsigned>(g_current.world->gpus_per_node())) return NVML_ERROR_INVALID_ARGUMENT;
  *out = handle_of(static_cast<int>(index));
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetHandleByPciBusId(const char* id, nvmlDevice_t* out) {
  if (nvmlReturn_t e = ready()) return e;
  if (!id || !out) return NVML_ERROR_INVALID_ARGUMENT;
  bool malformed;
  auto device = device_at_bus(id, malformed);
  if (!device) return malformed ? NVML_ERROR_INVALID_ARGUMENT : NVML_ERROR_NOT_FOUND;
  *out = handle_of(*device);
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetHandleByUUID(const char* uuid, nvmlDevice_t* out) {
  if (nvmlReturn_t e = ready()) return e;
  if (!uuid || !out) return NVML_ERROR_INVALID_ARGUMENT;
  for (int device = 0; is_device(device); ++device)
    if (uuid_text(device) == uuid) {
      *out = handle_of(device);
      return NVML_SUCCESS;
    }
  return NVML_ERROR_NOT_FOUND;
}

nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t handle, unsigned* out) {
  if (nvmlReturn_t e = about(handle, out)) return e;
  *out = static_cast<unsigned>(device_of(handle));
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMinorNumber(nvmlDevice_t handle, unsigned* out) { return nvmlDeviceGetIndex(handle, out); }

nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t handle, char* out, unsigned length) {
  if (nvmlReturn_t e = about(handle, out)) return e;
  return put_text(device_name(*g_current.world), out, length);
}

nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t handle, char* out, unsigned length) {
  if (nvmlReturn_t e = about(handle, out)) return e;
  return put_text(uuid_text(device_of(handle)), out, length);
}

nvmlReturn_t nvmlDeviceGetPciInfo(nvmlDevice_t handle, nvmlPciInfo_t* out) {
  if (nvmlReturn_t e = about(handle, out)) return e;
  int device = device_of(handle);
  fill_pci(*out, pci_domain(device), pci_bus(device), 0x233510de);
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t handle, nvmlMemory_t* out) {
  if (nvmlReturn_t e = about(handle, out)) return e;
  const World& world = *g_current.world;
  uint64_t used = memory_in_use(world, gpu_of_device(*g_current.pe, device_of(handle)));
  *out = {world.platform.gpu.memory, world.platform.gpu.memory - used, used};
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t handle, nvmlUtilization_t* out) {
  if (nvmlReturn_t e = about(handle, out)) return e;
  return NVML_ERROR_NOT_SUPPORTED;
}

nvmlReturn_t nvmlDeviceGetMaxClockInfo(nvmlDevice_t handle, nvmlClockType_t type, unsigned* out) {
  if (nvmlReturn_t e = about(handle, out)) return e;
  switch (type) {
    case NVML_CLOCK_GRAPHICS:
    case NVML_CLOCK_SM: *out = static_cast<unsigned>(g_current.world->platform.gpu.clock_ghz * 1e3 + 0.5); break;
    case NVML_CLOCK_MEM: *out = 3201; break;
    case NVML_CLOCK_VIDEO: *out = 1545; break;
    default: return NVML_ERROR_INVALID_ARGUMENT;
  }
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t handle, int* major, int* minor) {
  if (nvmlReturn_t e = about(handle, major)) return e;
  if (!minor) return NVML_ERROR_INVALID_ARGUMENT;
  *major = 9, *minor = 0;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMaxPcieLinkGeneration(nvmlDevice_t handle, unsigned* out) {
  if (nvmlReturn_t e = about(handle, out)) return e;
  *out = 5;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMaxPcieLinkWidth(nvmlDevice_t handle, unsigned* out) {
  if (nvmlReturn_t e = about(handle, out)) return e;
  *out = 16;
  return NVML_SUCCESS;
}

// ---- who reaches whom ----

nvmlReturn_t nvmlDeviceGetP2PStatus(nvmlDevice_t handle, nvmlDevice_t other, nvmlGpuP2PCapsIndex_t index,
                                    nvmlGpuP2PStatus_t* out) {
  if (nvmlReturn_t e = about(handle, out)) return e;
  if (nvmlReturn_t e = about(other, out)) return e;
  bool known = index <= NVML_P2P_CAPS_INDEX_PCI;
  if (!known || handle == other) return NVML_ERROR_INVALID_ARGUMENT;
  bool over_nvlink = index != NVML_P2P_CAPS_INDEX_PCI && are_peers(device_of(handle), device_of(other));
  *out = over_nvlink ? NVML_P2P_STATUS_OK : NVML_P2P_STATUS_NOT_SUPPORTED;
  return NVML_SUCCESS;
}

// The platform says nothing of sockets and PCI switches: one NUMA node.
nvmlReturn_t nvmlDeviceGetTopologyCommonAncestor(nvmlDevice_t handle, nvmlDevice_t other, nvmlGpuTopologyLevel_t* out) {
  if (nvmlReturn_t e = about(handle, out)) return e;
  if (nvmlReturn_t e = about(other, out)) return e;
  if (handle == other) return NVML_ERROR_NOT_SUPPORTED;  // as an H200 answers
  *out = NVML_TOPOLOGY_NODE;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetNvLinkState(nvmlDevice_t handle, unsigned link, nvmlEnableState_t* out) {
  if (nvmlReturn_t e = about_link(handle, link, out)) return e;
  *out = NVML_FEATURE_ENABLED;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetNvLinkVersion(nvmlDevice_t handle, unsigned link, unsigned* out) {
  if (nvmlReturn_t e = about_link(handle, link, out)) return e;
  *out = 6;  // NVLink 4, as an H200 answers
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetNvLinkCapability(nvmlDevice_t handle, unsigned link, nvmlNvLinkCapability_t capability,
                                           unsigned* out) {
  if (nvmlReturn_t e = about_link(handle, link, out)) return e;
  if (capability > NVML_NVLINK_CAP_VALID) return NVML_ERROR_INVALID_ARGUMENT;
  *out = 1;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetNvLinkRemotePciInfo(nvmlDevice_t handle, unsigned link, nvmlPciInfo_t* out) {
  if (nvmlReturn_t e = about_link(handle, link, out)) return e;
  fill_pci(*out, pci_domain(device_of(handle)), kFirstSwitchBus + static_cast<int>(link) % kSwitches, 0x22a310de);
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetNvLinkRemoteDeviceType(nvmlDevice_t handle, unsigned link, nvmlIntNvLinkDeviceType_t* out) {
  if (nvmlReturn_t e = about_link(handle, link, out)) return e;
  *out = NVML_NVLINK_DEVICE_TYPE_SWITCH;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetGpuFabricInfo(nvmlDevice_t handle, nvmlGpuFabricInfo_t* out) {
  if (nvmlReturn_t e = about(handle, out)) return e;
  NvlinkFabric f = fabric_of(device_of(handle));
  *out = {};
  std::memcpy(out->clusterUuid, f.uuid, sizeof f.uuid);
  out->cliqueId = f.clique;
  out->state = has_nvlink() ? NVML_GPU_FABRIC_STATE_COMPLETED : NVML_GPU_FABRIC_STATE_NOT_SUPPORTED;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetGpuFabricInfoV(nvmlDevice_t handle, nvmlGpuFabricInfoV_t* out) {
  if (nvmlReturn_t e = about(handle, out)) return e;
  if (out->version != nvmlGpuFabricInfo_v2) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
  nvmlGpuFabricInfo_t plain;
  nvmlDeviceGetGpuFabricInfo(handle, &plain);
  std::memcpy(out->clusterUuid, plain.clusterUuid, sizeof plain.clusterUuid);
  out->status = plain.status;
  out->cliqueId = plain.cliqueId;
  out->state = plain.state;
  out->healthMask = 0;
  return NVML_SUCCESS;
}

// ---- CPU sets: the model has no CPUs ----

nvmlReturn_t nvmlDeviceSetCpuAffinity(nvmlDevice_t handle) {
  nvmlReturn_t e = about(handle, handle);
  return e ? e : NVML_ERROR_NOT_SUPPORTED;
}

nvmlReturn_t nvmlDeviceClearCpuAffinity(nvmlDevice_t handle) { return nvmlDeviceSetCpuAffinity(handle); }

nvmlReturn_t nvmlDeviceGetCpuAffinity(nvmlDevice_t handle, unsigned, unsigned long*) {
  return nvmlDeviceSetCpuAffinity(handle);
}

// ---- the names by which programs look them up in libnvidia-ml.so.1 ----

decltype(nvmlInit) nvmlInit_v2 __attribute__((alias("nvmlInit")));
decltype(nvmlDeviceGetCount) nvmlDeviceGetCount_v2 __attribute__((alias("nvmlDeviceGetCount")));
decltype(nvmlDeviceGetHandleByIndex) nvmlDeviceGetHandleByIndex_v2 __attribute__((alias("nvmlDeviceGetHandleByIndex")));
decltype(nvmlDeviceGetHandleByPciBusId) nvmlDeviceGetHandleByPciBusId_v2
    __attribute__((alias("nvmlDeviceGetHandleByPciBusId")));
decltype(nvmlDeviceGetPciInfo) nvmlDeviceGetPciInfo_v3 __attribute__((alias("nvmlDeviceGetPciInfo")));
decltype(nvmlDeviceGetNvLinkRemotePciInfo) nvmlDeviceGetNvLinkRemotePciInfo_v2
    __attribute__((alias("nvmlDeviceGetNvLinkRemotePciInfo")));
decltype(nvmlSystemGetCudaDriverVersion) nvmlSystemGetCudaDriverVersion_v2
    __attribute__((alias("nvmlSystemGetCudaDriverVersion")));

}  // extern "C"
