// The management library, linked and opened by name as programs do that must not depend on it.
#include <dlfcn.h>
#include <nvml.h>

#include <set>
#include <string>

#include "check.hpp"

#define NVML_GIVES(expected, call)                                                            \
  do {                                                                                        \
    nvmlReturn_t got_ = (call);                                                               \
    if (got_ != (expected)) {                                                                 \
      printf("FAIL line %d: %s gives %s\n", __LINE__, #call, nvmlErrorString(got_));          \
      ++failures;                                                                             \
    }                                                                                         \
  } while (0)
#define NVML_WORKS(call) NVML_GIVES(NVML_SUCCESS, call)

template <class F>
F* find(void* library, const char* name) {
  auto* f = reinterpret_cast<F*>(dlsym(library, name));
  if (!f) printf("FAIL: no %s\n", name), ++failures;
  return f;
}

int main() {
  unsigned count = 0;
  NVML_GIVES(NVML_ERROR_UNINITIALIZED, nvmlDeviceGetCount(&count));

  void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
  CHECK(library != nullptr);
  if (!library) return finish();
  auto* init = find<decltype(nvmlInit)>(library, "nvmlInit_v2");
  auto* by_bus = find<decltype(nvmlDeviceGetHandleByPciBusId)>(library, "nvmlDeviceGetHandleByPciBusId_v2");
  auto* pci_info = find<decltype(nvmlDeviceGetPciInfo)>(library, "nvmlDeviceGetPciInfo_v3");
  find<decltype(nvmlDeviceGetGpuFabricInfoV)>(library, "nvmlDeviceGetGpuFabricInfoV");
  if (failures) return finish();
  NVML_WORKS(init());

  int devices = 0;
  WORKS(cudaGetDeviceCount(&devices));
  NVML_WORKS(nvmlDeviceGetCount(&count));
  CHECK(count == (unsigned)devices);
  std::set<std::string> ids;
  for (int d = 0; d < devices; ++d) {
    char id[32], text[96];
    nvmlDevice_t handle, same;
    nvmlPciInfo_t pci;
    WORKS(cudaDeviceGetPCIBusId(id, sizeof id, d));
    NVML_WORKS(by_bus(id, &handle));
    NVML_WORKS(pci_info(handle, &pci));
    NVML_WORKS(by_bus(pci.busId, &same));
    CHECK(same == handle);
    cudaDeviceProp p;
    WORKS(cudaGetDeviceProperties(&p, d));
    CHECK(pci.bus == (unsigned)p.pciBusID && pci.domain == (unsigned)p.pciDomainID);
    NVML_WORKS(nvmlDeviceGetName(handle, text, sizeof text));
    CHECK(std::string(text) == p.name);
    NVML_GIVES(NVML_ERROR_INSUFFICIENT_SIZE, nvmlDeviceGetName(handle, text, 3));
    NVML_WORKS(nvmlDeviceGetUUID(handle, text, sizeof text));
    CHECK(ids.insert(text).second && std::string(text).find("GPU-") == 0 && strlen(text) == 40);
    NVML_WORKS(nvmlDeviceGetHandleByUUID(text, &same));
    CHECK(same == handle);
    unsigned index = 99, value = 0;
    NVML_WORKS(nvmlDeviceGetIndex(handle, &index));
    NVML_WORKS(nvmlDeviceGetHandleByIndex(index, &same));
    CHECK(same == handle);
    int major = 0, minor = 1;
    NVML_WORKS(nvmlDeviceGetCudaComputeCapability(handle, &major, &minor));
    CHECK(major == 9 && minor == 0);
    nvmlMemory_t memory;
    NVML_WORKS(nvmlDeviceGetMemoryInfo(handle, &memory));
    CHECK(memory.total == memory.free + memory.used && memory.total > (100ull << 30));
    NVML_WORKS(nvmlDeviceGetMaxClockInfo(handle, NVML_CLOCK_SM, &value));
    CHECK(value == 1980);
    nvmlEnableState_t state;
    nvmlIntNvLinkDeviceType_t type;
    nvmlGpuFabricInfoV_t fabric;
    fabric.version = nvmlGpuFabricInfo_v2;
    NVML_WORKS(nvmlDeviceGetGpuFabricInfoV(handle, &fabric));
    if (devices > 1) {  // a lone GPU of a cloud may have its links off
      NVML_WORKS(nvmlDeviceGetNvLinkState(handle, 17, &state));
      CHECK(state == NVML_FEATURE_ENABLED);
      NVML_GIVES(NVML_ERROR_INVALID_ARGUMENT, nvmlDeviceGetNvLinkState(handle, 18, &state));
      NVML_WORKS(nvmlDeviceGetNvLinkRemoteDeviceType(handle, 0, &type));
      CHECK(type == NVML_NVLINK_DEVICE_TYPE_SWITCH);
      CHECK(fabric.status == NVML_SUCCESS && fabric.state == NVML_GPU_FABRIC_STATE_COMPLETED);
    }
    fabric.version = 5;
    NVML_GIVES(NVML_ERROR_ARGUMENT_VERSION_MISMATCH, nvmlDeviceGetGpuFabricInfoV(handle, &fabric));
    if (d > 0) {
      nvmlDevice_t first;
      nvmlGpuP2PStatus_t status;
      int can = 0;
      NVML_WORKS(nvmlDeviceGetHandleByIndex(0, &first));
      NVML_WORKS(nvmlDeviceGetP2PStatus(first, handle, NVML_P2P_CAPS_INDEX_NVLINK, &status));
      WORKS(cudaDeviceCanAccessPeer(&can, 0, d));
      CHECK((status == NVML_P2P_STATUS_OK) == (can == 1));
    }
  }
  nvmlDevice_t none;
  NVML_GIVES(NVML_ERROR_INVALID_ARGUMENT, nvmlDeviceGetHandleByIndex(count, &none));
  NVML_GIVES(NVML_ERROR_NOT_FOUND, nvmlDeviceGetHandleByUUID("GPU-x", &none));
  NVML_GIVES(NVML_ERROR_NOT_FOUND, nvmlDeviceGetHandleByPciBusId("0000:fe:00.0", &none));
  NVML_GIVES(NVML_ERROR_INVALID_ARGUMENT, nvmlDeviceGetHandleByPciBusId("junk", &none));
  char version[80];
  NVML_WORKS(nvmlSystemGetDriverVersion(version, sizeof version));
  CHECK(strlen(version) > 4);
  NVML_WORKS(nvmlShutdown());
  NVML_GIVES(NVML_ERROR_UNINITIALIZED, nvmlShutdown());
  CHECK(dlclose(library) == 0);
  void* math = dlopen("libm.so.6", RTLD_NOW);  // other libraries open as usual
  CHECK(math && dlsym(math, "cos"));
  CHECK(dlopen("libnonsense.so.3", RTLD_NOW) == nullptr);
  return finish();
}
