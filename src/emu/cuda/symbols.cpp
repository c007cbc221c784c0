// Variables of device code by their host shadow: addresses, sizes, copies.
#include "emu/cuda/runtime_state.hpp"

using namespace shmemu;
using namespace shmemu::emu;

namespace {

// The bytes of the variable that a copy touches.
cudaError_t part_of(const void* symbol, size_t bytes, size_t offset, char*& out) {
  const shmemu_variable* v = g_current.pe->registry.find_variable(symbol);
  if (!v) return remember(cudaErrorInvalidSymbol);
  if (offset > v->bytes || bytes > v->bytes - offset) return remember(cudaErrorInvalidValue);
  out = static_cast<char*>(v->address) + offset;
  return cudaSuccess;
}

cudaError_t to_symbol(const void* symbol, const void* from, size_t bytes, size_t offset, cudaMemcpyKind kind,
                      cudaStream_t stream, bool blocking, uint64_t site) {
  if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
    return remember(cudaErrorInvalidMemcpyDirection);
  char* to;
  if (cudaError_t e = part_of(symbol, bytes, offset, to)) return e;
  return copy_rows(to, bytes, from, bytes, bytes, 1, stream, blocking, site);
}

cudaError_t from_symbol(void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind kind,
                        cudaStream_t stream, bool blocking, uint64_t site) {
  if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
    return remember(cudaErrorInvalidMemcpyDirection);
  char* from;
  if (cudaError_t e = part_of(symbol, bytes, offset, from)) return e;
  return copy_rows(to, bytes, from, bytes, bytes, 1, stream, blocking, site);
}

}  // namespace

extern "C" {

cudaError_t cudaGetSymbolAddress(void** out, const void* symbol) {
  if (!out) return remember(cudaErrorInvalidValue);
  const shmemu_variable* v = g_current.pe->registry.find_variable(symbol);
  if (!v) return remember(cudaErrorInvalidSymbol);
  *out = v->address;
  return cudaSuccess;
}

cudaError_t cudaGetSymbolSize(size_t* out, const void* symbol) {
  if (!out) return remember(cudaErrorInvalidValue);
  const shmemu_variable* v = g_current.pe->registry.find_variable(symbol);
  if (!v) return remember(cudaErrorInvalidSymbol);
  *out = v->bytes;
  return cudaSuccess;
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset, cudaMemcpyKind kind) {
  return to_symbol(symbol, from, bytes, offset, kind, nullptr, true, SHMEMU_SITE());
}

cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind kind) {
  return from_symbol(to, symbol, bytes, offset, kind, nullptr, true, SHMEMU_SITE());
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream) {
  return to_symbol(symbol, from, bytes, offset, kind, stream, false, SHMEMU_SITE());
}

cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t stream) {
  return from_symbol(to, symbol, bytes, offset, kind, stream, false, SHMEMU_SITE());
}

}  // extern "C"
