// Streams and events of the driver API, which are the runtime's, and operations of a stream on single words.
#include <cstring>

#include "emu/cuda/capture.hpp"
#include "emu/cuda/driver.hpp"

using namespace shmemu;
using namespace shmemu::emu;

namespace {

constexpr unsigned kConditions = CU_STREAM_WAIT_VALUE_NOR;  // the lowest two bits

uint64_t load(uint64_t address, size_t bytes) {
  uint64_t word = 0;
  std::memcpy(&word, reinterpret_cast<const void*>(address), bytes);
  return word;
}

// GEQ is cyclic (CUDA driver documentation, CUstreamWaitValue_flags).
bool holds(uint64_t word, uint64_t value, size_t bytes, unsigned condition) {
  uint64_t mask = bytes == 4 ? 0xffffffffu : ~uint64_t{0};
  switch (condition) {
    case CU_STREAM_WAIT_VALUE_GEQ:
      return bytes == 4 ? static_cast<int32_t>(static_cast<uint32_t>(word - value)) >= 0
                        : static_cast<int64_t>(word - value) >= 0;
    case CU_STREAM_WAIT_VALUE_EQ: return word == value;
    case CU_STREAM_WAIT_VALUE_AND: return (word & value) != 0;
    default: return (~(word | value) & mask) != 0;
  }
}

// Memory that a device reaches, aligned to the word.
cudaError_t check_word(uint64_t address, size_t bytes) {
  auto* p = reinterpret_cast<void*>(address);
  MemoryBlock block = block_of(*g_current.pe, p);
  bool inside = block.kind != MemoryKind::unknown && address - block.base + bytes <= block.bytes;
  return inside && address % bytes == 0 ? cudaSuccess : remember(cudaErrorInvalidValue);
}

// A word may be watched by anyone; the write happens where it stands in the stream.
cudaError_t write_value(CUstream handle, uint64_t address, uint64_t value, size_t bytes, unsigned flags) {
  if (flags & ~unsigned{CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER}) return remember(cudaErrorInvalidValue);
  if (cudaError_t e = check_word(address, bytes)) return e;
  device::Stream* stream;
  if (cudaError_t e = stream_for_work(handle, stream)) return e;
  Pe* pe = g_current.pe;
  enqueue(*stream, OpKind::fill, "write value", {}, [=](const device::CommandRef& c) {
    std::memcpy(reinterpret_cast<void*>(address), &value, bytes);
    pe->world.machine.memory_changed(pe->id, address, bytes);
    pe->world.machine.finish(c);
  });
  charge(pe->world.platform.host.api_call);
  return cudaSuccess;
}

// A thread that polls the word and sleeps until it changes.
cudaError_t wait_value(CUstream handle, uint64_t address, uint64_t value, size_t bytes, unsigned flags, uint64_t site) {
  if (flags & ~(kConditions | CU_STREAM_WAIT_VALUE_FLUSH)) return remember(cudaErrorInvalidValue);
  if (flags & CU_STREAM_WAIT_VALUE_FLUSH) return remember(cudaErrorNotSupported);  // as on an H200: attribute 98 is 0
  if (cudaError_t e = check_word(address, bytes)) return e;
  device::Stream* stream;
  if (cudaError_t e = stream_for_work(handle, stream)) return e;
  launch_native(*stream, "wait value", 1, [=, condition = flags & kConditions] {
    for (uint64_t word; !holds(word = load(address, bytes), value, bytes, condition);) {
      Op op;
      op.kind = OpKind::poll;
      op.remote = address;
      op.bytes = bytes;
      op.value = word;
      op.site = site;
      stop(op);
    }
  });
  charge(g_current.world->platform.host.api_call);
  return cudaSuccess;
}

}  // namespace

extern "C" {

CUresult cuStreamCreate(CUstream* out, unsigned flags) {
  return through_runtime([&] { return cudaStreamCreateWithFlags(out, flags); });
}
CUresult cuStreamCreateWithPriority(CUstream* out, unsigned flags, int priority) {
  return through_runtime([&] { return cudaStreamCreateWithPriority(out, flags, priority); });
}
CUresult cuStreamDestroy(CUstream stream) {
  return through_runtime([&] { return cudaStreamDestroy(stream); });
}
CUresult cuStreamSynchronize(CUstream stream) {
  return through_runtime([&] { return cudaStreamSynchronize(stream); });
}
CUresult cuStreamQuery(CUstream stream) {
  return through_runtime([&] { return cudaStreamQuery(stream); });
}
CUresult cuStreamGetFlags(CUstream stream, unsigned* flags) {
  return through_runtime([&] { return cudaStreamGetFlags(stream, flags); });
}
CUresult cuStreamGetPriority(CUstream stream, int* priority) {
  return through_runtime([&] { return cudaStreamGetPriority(stream, priority); });
}
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  return through_runtime([&] { return cudaStreamWaitEvent(stream, event, flags); });
}
CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void* data, unsigned flags) {
  // a callback of the runtime gets an error code of its own type; success is 0 in both
  return through_runtime(
      [&] { return cudaStreamAddCallback(stream, reinterpret_cast<cudaStreamCallback_t>(callback), data, flags); });
}
CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
  return through_runtime([&] {
    cudaStreamCaptureStatus found;
    cudaError_t e = cudaStreamIsCapturing(stream, status ? &found : nullptr);
    if (!e) *status = static_cast<CUstreamCaptureStatus>(found);
    return e;
  });
}

CUresult cuStreamGetCtx(CUstream handle, CUcontext* out) {
  if (CUresult e = context_ready()) return e;
  device::Stream* stream = find_stream(*g_current.pe, handle);
  if (!stream) return CUDA_ERROR_INVALID_HANDLE;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  int device = info_of(*g_current.pe, *stream).device;
  CUdevice current = 0;
  if (cuCtxGetDevice(&current) == CUDA_SUCCESS && current == device) return cuCtxGetCurrent(out);
  if (CUresult e = cuDevicePrimaryCtxRetain(out, device)) return e;
  return cuDevicePrimaryCtxRelease(device);
}

CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags) {
  return through_runtime([&] { return write_value(stream, address, value, 4, flags); });
}
CUresult cuStreamWriteValue64(CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned flags) {
  return through_runtime([&] { return write_value(stream, address, value, 8, flags); });
}
CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags) {
  uint64_t site = SHMEMU_SITE();
  return through_runtime([&] { return wait_value(stream, address, value, 4, flags, site); });
}
CUresult cuStreamWaitValue64(CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned flags) {
  uint64_t site = SHMEMU_SITE();
  return through_runtime([&] { return wait_value(stream, address, value, 8, flags, site); });
}

// One after the other, as if each had been called.
CUresult cuStreamBatchMemOp(CUstream stream, unsigned count, CUstreamBatchMemOpParams* list, unsigned flags) {
  uint64_t site = SHMEMU_SITE();
  return through_runtime([&]() -> cudaError_t {
    if (!list || !count || count > 256 || flags) return remember(cudaErrorInvalidValue);
    for (unsigned i = 0; i < count; ++i) {
      const CUstreamBatchMemOpParams& p = list[i];
      cudaError_t e = cudaErrorInvalidValue;
      switch (p.operation) {
        case CU_STREAM_MEM_OP_WRITE_VALUE_32:
          e = write_value(stream, p.writeValue.address, p.writeValue.value, 4, p.writeValue.flags);
          break;
        case CU_STREAM_MEM_OP_WRITE_VALUE_64:
          e = write_value(stream, p.writeValue.address, p.writeValue.value64, 8, p.writeValue.flags);
          break;
        case CU_STREAM_MEM_OP_WAIT_VALUE_32:
          e = wait_value(stream, p.waitValue.address, p.waitValue.value, 4, p.waitValue.flags, site);
          break;
        case CU_STREAM_MEM_OP_WAIT_VALUE_64:
          e = wait_value(stream, p.waitValue.address, p.waitValue.value64, 8, p.waitValue.flags, site);
          break;
        case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES: e = cudaErrorNotSupported; break;
        case CU_STREAM_MEM_OP_BARRIER: e = cudaSuccess; break;  // commands of a stream see what those before them did
      }
      if (e) return e;
    }
    return cudaSuccess;
  });
}

CUresult cuEventCreate(CUevent* out, unsigned flags) {
  return through_runtime([&] { return cudaEventCreateWithFlags(out, flags); });
}
CUresult cuEventDestroy(CUevent event) {
  return through_runtime([&] { return cudaEventDestroy(event); });
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
  return through_runtime([&] { return cudaEventRecord(event, stream); });
}
CUresult cuEventQuery(CUevent event) {
  return through_runtime([&] { return cudaEventQuery(event); });
}
CUresult cuEventSynchronize(CUevent event) {
  return through_runtime([&] { return cudaEventSynchronize(event); });
}
CUresult cuEventElapsedTime(float* ms, CUevent start, CUevent end) {
  return through_runtime([&] { return cudaEventElapsedTime(ms, start, end); });
}

SHMEMU_SECOND_VERSION(cuStreamDestroy);
SHMEMU_SECOND_VERSION(cuEventDestroy);
SHMEMU_SECOND_VERSION(cuStreamWriteValue32);
SHMEMU_SECOND_VERSION(cuStreamWriteValue64);
SHMEMU_SECOND_VERSION(cuStreamWaitValue32);
SHMEMU_SECOND_VERSION(cuStreamWaitValue64);
SHMEMU_SECOND_VERSION(cuStreamBatchMemOp);

}  // extern "C"
