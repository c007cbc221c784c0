// Lets a program that calls nvshmem_init() start on hardware without a launcher of NVSHMEM's: one process per PE, told
// by the environment who it is (PROBE_PE, PROBE_PES) and in which file the unique id travels (PROBE_UID_FILE).
//
//   nvcc -include uid_init.hpp program.cu ...
//
// Not used under emulation, where nvshmem_init() knows.
#pragma once
#include <cuda_runtime.h>
#include <nvshmem.h>
#include <nvshmemx.h>
#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <string>

inline const char* uid_init_variable(const char* name) {
  if (const char* value = std::getenv(name)) return value;
  std::fprintf(stderr, "uid_init: %s is not set; PROBE_PE, PROBE_PES and PROBE_UID_FILE say who starts\n", name);
  std::exit(2);
}

// Starts PE `pe` of `pes`; PE 0 writes the unique id into `file`, the others wait for it there.
inline void uid_start(int pe, int pes, const std::string& file) {
  const std::string unfinished = file + ".unfinished";
  nvshmemx_uniqueid_t id = NVSHMEMX_UNIQUEID_INITIALIZER;
  nvshmemx_init_attr_t attributes = NVSHMEMX_INIT_ATTR_INITIALIZER;
  if (pe == 0) {
    nvshmemx_get_uniqueid(&id);
    std::FILE* f = std::fopen(unfinished.c_str(), "wb");
    if (f == nullptr || std::fwrite(&id, sizeof id, 1, f) != 1 || std::fclose(f) != 0 ||
        std::rename(unfinished.c_str(), file.c_str()) != 0)
      std::perror(file.c_str()), std::exit(1);
  } else {
    while (access(file.c_str(), R_OK) != 0) usleep(10000);
    std::FILE* f = std::fopen(file.c_str(), "rb");
    if (f == nullptr || std::fread(&id, sizeof id, 1, f) != 1) std::perror(file.c_str()), std::exit(1);
    std::fclose(f);
  }
  nvshmemx_set_attr_uniqueid_args(pe, pes, &id, &attributes);
  nvshmemx_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &attributes);
}

inline void uid_init() {
  const int pe = std::atoi(uid_init_variable("PROBE_PE")), pes = std::atoi(uid_init_variable("PROBE_PES"));
  int gpus = 1;
  cudaGetDeviceCount(&gpus);
  cudaSetDevice(pe % gpus);
  uid_start(pe, pes, uid_init_variable("PROBE_UID_FILE"));
}

#define nvshmem_init() uid_init()
