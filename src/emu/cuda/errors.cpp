// Names and messages of error codes, from the lists of the public headers.
#include "cuda.h"

#include "cuda_runtime_api.h"

extern "C" {

const char* cudaGetErrorName(cudaError_t error) {
#define SHMEMU_CASE(name, value, text) \
  case name: return #name;
  switch (error) {
    SHMEMU_CUDA_ERRORS(SHMEMU_CASE)
    default: return "unrecognized error code";
  }
#undef SHMEMU_CASE
}

const char* cudaGetErrorString(cudaError_t error) {
#define SHMEMU_CASE(name, value, text) \
  case name: return text;
  switch (error) {
    SHMEMU_CUDA_ERRORS(SHMEMU_CASE)
    default: return "unrecognized error code";
  }
#undef SHMEMU_CASE
}

CUresult cuGetErrorName(CUresult error, const char** out) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
#define SHMEMU_CASE(name, value, text) \
  case name: *out = #name; return CUDA_SUCCESS;
  switch (error) {
    SHMEMU_CU_RESULTS(SHMEMU_CASE)
    default: *out = nullptr; return CUDA_ERROR_INVALID_VALUE;
  }
#undef SHMEMU_CASE
}

CUresult cuGetErrorString(CUresult error, const char** out) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
#define SHMEMU_CASE(name, value, text) \
  case name: *out = text; return CUDA_SUCCESS;
  switch (error) {
    SHMEMU_CU_RESULTS(SHMEMU_CASE)
    default: *out = nullptr; return CUDA_ERROR_INVALID_VALUE;
  }
#undef SHMEMU_CASE
}

}  // extern "C"
