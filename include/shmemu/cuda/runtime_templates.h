/* The C++ conveniences of the CUDA runtime API: typed pointers, symbols by name, kernels by name.
 *
 * Included by runtime_api.h only. Every template ends in a call of the function with the same name and void pointers;
 * the two block-size searches are the only ones with logic, and ask the runtime for the occupancy.
 */
#ifndef SHMEMU_CUDA_RUNTIME_TEMPLATES_H
#define SHMEMU_CUDA_RUNTIME_TEMPLATES_H

/* ---- memory ---- */
template <class T>
static inline cudaError_t cudaMalloc(T** p, size_t size) {
  return ::cudaMalloc((void**)p, size);
}
template <class T>
static inline cudaError_t cudaMallocHost(T** p, size_t size, unsigned int flags = 0) {
  return ::cudaHostAlloc((void**)p, size, flags);
}
static inline cudaError_t cudaMallocHost(void** p, size_t size, unsigned int flags) {
  return ::cudaHostAlloc(p, size, flags);
}
template <class T>
static inline cudaError_t cudaHostAlloc(T** p, size_t size, unsigned int flags) {
  return ::cudaHostAlloc((void**)p, size, flags);
}
template <class T>
static inline cudaError_t cudaHostGetDevicePointer(T** d, void* h, unsigned int flags) {
  return ::cudaHostGetDevicePointer((void**)d, h, flags);
}
template <class T>
static inline cudaError_t cudaMallocManaged(T** p, size_t size, unsigned int flags = cudaMemAttachGlobal) {
  return ::cudaMallocManaged((void**)p, size, flags);
}
template <class T>
static inline cudaError_t cudaMallocPitch(T** p, size_t* pitch, size_t width, size_t height) {
  return ::cudaMallocPitch((void**)p, pitch, width, height);
}
template <class T>
static inline cudaError_t cudaMallocAsync(T** p, size_t size, cudaStream_t stream) {
  return ::cudaMallocAsync((void**)p, size, stream);
}
template <class T>
static inline cudaError_t cudaMallocAsync(T** p, size_t size, cudaMemPool_t pool, cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync((void**)p, size, pool, stream);
}
template <class T>
static inline cudaError_t cudaMallocFromPoolAsync(T** p, size_t size, cudaMemPool_t pool, cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync((void**)p, size, pool, stream);
}
template <class T>
static inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T* p, size_t length = 0,
                                                   unsigned int flags = cudaMemAttachSingle) {
  return ::cudaStreamAttachMemAsync(stream, (void*)p, length, flags);
}

/* ---- symbols ---- */
template <class T>
static inline cudaError_t cudaGetSymbolAddress(void** p, const T& symbol) {
  return ::cudaGetSymbolAddress(p, (const void*)&symbol);
}
template <class T>
static inline cudaError_t cudaGetSymbolSize(size_t* size, const T& symbol) {
  return ::cudaGetSymbolSize(size, (const void*)&symbol);
}
template <class T>
static inline cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* src, size_t count, size_t offset = 0,
                                             enum cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return ::cudaMemcpyToSymbol((const void*)&symbol, src, count, offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbol(void* dst, const T& symbol, size_t count, size_t offset = 0,
                                               enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return ::cudaMemcpyFromSymbol(dst, (const void*)&symbol, count, offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* src, size_t count, size_t offset = 0,
                                                  enum cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                                  cudaStream_t stream = 0) {
  return ::cudaMemcpyToSymbolAsync((const void*)&symbol, src, count, offset, kind, stream);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbolAsync(void* dst, const T& symbol, size_t count, size_t offset = 0,
                                                    enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                                    cudaStream_t stream = 0) {
  return ::cudaMemcpyFromSymbolAsync(dst, (const void*)&symbol, count, offset, kind, stream);
}

/* ---- events and graphs ---- */
static inline cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned int flags) {
  return ::cudaEventCreateWithFlags(event, flags);
}
static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, cudaGraphNode_t* error_node,
                                               char*, size_t) {
  if (error_node) *error_node = nullptr;
  return ::cudaGraphInstantiate(exec, graph, 0ull);
}
static inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t* error_node,
                                              enum cudaGraphExecUpdateResult* result) {
  cudaGraphExecUpdateResultInfo info = {};
  cudaError_t status = ::cudaGraphExecUpdate(exec, graph, &info);
  if (error_node) *error_node = info.errorNode;
  if (result) *result = info.result;
  return status;
}

/* ---- functions and launches ---- */
template <class T>
static inline cudaError_t cudaLaunchKernel(T* func, dim3 grid, dim3 block, void** args, size_t shared_bytes = 0,
                                           cudaStream_t stream = 0) {
  return ::cudaLaunchKernel((const void*)func, grid, block, args, shared_bytes, stream);
}
template <class T>
static inline cudaError_t cudaLaunchCooperativeKernel(T* func, dim3 grid, dim3 block, void** args,
                                                      size_t shared_bytes = 0, cudaStream_t stream = 0) {
  return ::cudaLaunchCooperativeKernel((const void*)func, grid, block, args, shared_bytes, stream);
}
template <class T>
static inline cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, T* func, void** args) {
  return ::cudaLaunchKernelExC(config, (const void*)func, args);
}
/* the arguments take the kernel's parameter types before their addresses are handed on */
template <class... Parameters, class... Arguments>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                                             Arguments&&... arguments) {
  return [&](Parameters... converted) {
    void* pointers[sizeof...(Parameters) + 1] = {(void*)&converted...};
    return ::cudaLaunchKernelExC(config, (const void*)kernel, pointers);
  }(static_cast<Arguments&&>(arguments)...);
}
template <class T>
static inline cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes* attr, T* func) {
  return ::cudaFuncGetAttributes(attr, (const void*)func);
}
template <class T>
static inline cudaError_t cudaFuncSetAttribute(T* func, enum cudaFuncAttribute attr, int value) {
  return ::cudaFuncSetAttribute((const void*)func, attr, value);
}
template <class T>
static inline cudaError_t cudaFuncSetCacheConfig(T* func, enum cudaFuncCache config) {
  return ::cudaFuncSetCacheConfig((const void*)func, config);
}
template <class T>
static inline cudaError_t cudaFuncSetSharedMemConfig(T* func, enum cudaSharedMemConfig config) {
  return ::cudaFuncSetSharedMemConfig((const void*)func, config);
}
template <class T>
static inline cudaError_t cudaFuncGetName(const char** name, T* func) {
  return ::cudaFuncGetName(name, (const void*)func);
}
template <class T>
static inline cudaError_t cudaGetFuncBySymbol(cudaFunction_t* f, T* symbol) {
  return ::cudaGetFuncBySymbol(f, (const void*)symbol);
}

/* ---- occupancy ---- */
template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, T func, int block_size,
                                                                        size_t dynamic_bytes) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void*)func, block_size, dynamic_bytes);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, T func, int block_size,
                                                                                 size_t dynamic_bytes,
                                                                                 unsigned int flags) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void*)func, block_size, dynamic_bytes,
                                                                  flags);
}
template <class T>
static inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, T* func, int blocks,
                                                                    int block_size) {
  return ::cudaOccupancyAvailableDynamicSMemPerBlock(bytes, (const void*)func, blocks, block_size);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialClusterSize(int* size, T* func, const cudaLaunchConfig_t* config) {
  return ::cudaOccupancyMaxPotentialClusterSize(size, (const void*)func, config);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, T* func, const cudaLaunchConfig_t* config) {
  return ::cudaOccupancyMaxActiveClusters(clusters, (const void*)func, config);
}

/* The largest block that keeps the most threads resident, tried from the largest size down in steps of a warp.
 * `bytes_of(block_size)` is the dynamic shared memory of such a block; `limit` 0 means none. */
template <class BytesOf, class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int* min_grid, int* best_block,
                                                                                  T func, BytesOf bytes_of,
                                                                                  int limit = 0,
                                                                                  unsigned int flags = 0) {
  int device = 0, processors = 0, resident_max = 0;
  struct cudaFuncAttributes attributes;
  cudaError_t status;
  if (!min_grid || !best_block) return cudaErrorInvalidValue;
  if ((status = ::cudaGetDevice(&device)) != cudaSuccess) return status;
  if ((status = ::cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device)) != cudaSuccess)
    return status;
  if ((status = ::cudaDeviceGetAttribute(&resident_max, cudaDevAttrMaxThreadsPerMultiProcessor, device)) != cudaSuccess)
    return status;
  if ((status = ::cudaFuncGetAttributes(&attributes, (const void*)func)) != cudaSuccess) return status;
  int largest = attributes.maxThreadsPerBlock;
  if (limit > 0 && limit < largest) largest = limit;
  int best_threads = 0, blocks = 0;
  *min_grid = *best_block = 0;
  for (int rounded = (largest + 31) / 32 * 32; rounded > 0; rounded -= 32) {
    int size = rounded < largest ? rounded : largest;
    status = ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, (const void*)func, size,
                                                                      (size_t)bytes_of(size), flags);
    if (status != cudaSuccess) return status;
    if (blocks * size > best_threads) {
      best_threads = blocks * size;
      *best_block = size;
      *min_grid = blocks * processors;
    }
    if (best_threads == resident_max) break;
  }
  return cudaSuccess;
}
template <class BytesOf, class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* min_grid, int* best_block, T func,
                                                                         BytesOf bytes_of, int limit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(min_grid, best_block, func, bytes_of, limit, 0);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int* min_grid, int* best_block, T func,
                                                                      size_t dynamic_bytes = 0, int limit = 0,
                                                                      unsigned int flags = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
      min_grid, best_block, func, [dynamic_bytes](int) { return dynamic_bytes; }, limit, flags);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int* min_grid, int* best_block, T func,
                                                             size_t dynamic_bytes = 0, int limit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeWithFlags(min_grid, best_block, func, dynamic_bytes, limit, 0);
}
#endif
