// What the devices of the modelled node answer about themselves: one place for the runtime, driver and management APIs.
// Shape comes from the platform; the rest was read from an H200 (driver 580.159.04, read with CUDA 13.0, 2025-11-30).
// What shmemu does not emulate answers 0, so that programs take their other path.
#pragma once
#include <optional>
#include <string>

#include "emu/cuda/runtime_state.hpp"

namespace shmemu::emu {

constexpr int kCudaVersion = 12040;
constexpr const char* kDriverVersion = "550.54.15";  // the driver that CUDA 12.4.0 ships with (release notes)
constexpr int kLinksPerGpu = 18;                     // NVLink 4 of an H200
constexpr int kGreatestPriority = -5;

bool is_device(int device);
std::string device_name(const World& world);
// Numbers of CUdevice_attribute and cudaDeviceAttr are the same. Absent: no such attribute.
std::optional<int> device_attribute(int attribute, int device);
// "0000:17:00.0"; bus numbers from 0x17 upwards are our own choice.
std::string pci_bus_id(int device);
int pci_domain(int device);
int pci_bus(int device);
std::optional<int> device_at_bus(const char* bus_id, bool& malformed);
// 16 bytes, the same in every run.
void device_uuid(int device, unsigned char* bytes);
// Bytes of a GPU's memory in use: allocations and symmetric heaps of the PEs on it.
uint64_t memory_in_use(const World& world, GpuId gpu);
// Loads and stores of one device reach the other's memory.
bool are_peers(int device, int other);

}  // namespace shmemu::emu
