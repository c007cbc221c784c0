// What a program has set on a device and may ask back.
#pragma once
#include <map>
#include <set>

#include "emu/cuda/runtime_state.hpp"

namespace shmemu::emu {

constexpr int kLimits = 7;

struct DeviceSettings {
  unsigned flags = cudaDeviceMapHost;
  cudaFuncCache cache = cudaFuncCachePreferNone;
  // by cudaLimit; the values of a fresh H200
  size_t limits[kLimits] = {1024, 8650752, 8 << 20, 0, 2048, 64, 11796480};
  std::set<int> peers;  // devices this one may use
};
struct SettingsOfDevices {
  std::map<int, DeviceSettings> by_device;
};
DeviceSettings& settings_of(Pe& pe, int device);
bool are_device_flags(unsigned flags);

}  // namespace shmemu::emu
