/* The identity of a device, one record for the runtime and the driver API. */
#ifndef SHMEMU_CUDA_UUID_H
#define SHMEMU_CUDA_UUID_H
struct CUuuid_st {
  char bytes[16];
};
typedef struct CUuuid_st CUuuid;
typedef struct CUuuid_st cudaUUID_t;
#endif
