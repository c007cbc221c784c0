/* cudaError_t: every code of the CUDA 12 runtime, with its value and its message.
 *
 * SHMEMU_CUDA_ERRORS is the only list: the enum here and cudaGetErrorName/String in src/emu/api expand it.
 */
#ifndef SHMEMU_CUDA_RUNTIME_ERRORS_H
#define SHMEMU_CUDA_RUNTIME_ERRORS_H

/* clang-format off */
#define SHMEMU_CUDA_ERRORS(X)                                                                      \
  X(cudaSuccess, 0, "no error")                                                                    \
  X(cudaErrorInvalidValue, 1, "invalid argument")                                                  \
  X(cudaErrorMemoryAllocation, 2, "out of memory")                                                 \
  X(cudaErrorInitializationError, 3, "initialization error")                                       \
  X(cudaErrorCudartUnloading, 4, "driver shutting down")                                           \
  X(cudaErrorProfilerDisabled, 5, "profiler disabled while using external profiling tool")         \
  X(cudaErrorProfilerNotInitialized, 6, "profiler not initialized")                                \
  X(cudaErrorProfilerAlreadyStarted, 7, "profiler already started")                                \
  X(cudaErrorProfilerAlreadyStopped, 8, "profiler already stopped")                                \
  X(cudaErrorInvalidConfiguration, 9, "invalid configuration argument")                            \
  X(cudaErrorInvalidPitchValue, 12, "invalid pitch argument")                                      \
  X(cudaErrorInvalidSymbol, 13, "invalid device symbol")                                           \
  X(cudaErrorInvalidHostPointer, 16, "invalid host pointer")                                       \
  X(cudaErrorInvalidDevicePointer, 17, "invalid device pointer")                                   \
  X(cudaErrorInvalidTexture, 18, "invalid texture reference")                                      \
  X(cudaErrorInvalidTextureBinding, 19, "texture is not bound to a pointer")                       \
  X(cudaErrorInvalidChannelDescriptor, 20, "invalid channel descriptor")                           \
  X(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy")                      \
  X(cudaErrorAddressOfConstant, 22, "__constant__ memory reference error")                         \
  X(cudaErrorTextureFetchFailed, 23, "texture fetch failed")                                       \
  X(cudaErrorTextureNotBound, 24, "texture is not bound")                                          \
  X(cudaErrorSynchronizationError, 25, "synchronization error")                                    \
  X(cudaErrorInvalidFilterSetting, 26, "linear filtering not supported for non-float type")        \
  X(cudaErrorInvalidNormSetting, 27, "read as normalized float not supported for this type")       \
  X(cudaErrorMixedDeviceExecution, 28, "mixed device execution")                                   \
  X(cudaErrorNotYetImplemented, 31, "feature not yet implemented")                                 \
  X(cudaErrorMemoryValueTooLarge, 32, "memory size or pointer value too large")                    \
  X(cudaErrorStubLibrary, 34, "driver is a stub library")                                          \
  X(cudaErrorInsufficientDriver, 35, "driver version is insufficient for runtime version")         \
  X(cudaErrorCallRequiresNewerDriver, 36, "call requires a newer driver")                          \
  X(cudaErrorInvalidSurface, 37, "invalid surface reference")                                      \
  X(cudaErrorDuplicateVariableName, 43, "duplicate global variable looked up by string name")      \
  X(cudaErrorDuplicateTextureName, 44, "duplicate texture looked up by string name")               \
  X(cudaErrorDuplicateSurfaceName, 45, "duplicate surface looked up by string name")               \
  X(cudaErrorDevicesUnavailable, 46, "all devices are busy or unavailable")                        \
  X(cudaErrorIncompatibleDriverContext, 49, "incompatible driver context")                         \
  X(cudaErrorMissingConfiguration, 52, "kernel launch without configuration")                      \
  X(cudaErrorPriorLaunchFailure, 53, "failure of a previous kernel launch")                        \
  X(cudaErrorLaunchMaxDepthExceeded, 65, "launch would exceed maximum depth of nested launches")   \
  X(cudaErrorLaunchFileScopedTex, 66, "launch uses file-scoped textures")                          \
  X(cudaErrorLaunchFileScopedSurf, 67, "launch uses file-scoped surfaces")                         \
  X(cudaErrorSyncDepthExceeded, 68, "synchronization depth exceeded")                              \
  X(cudaErrorLaunchPendingCountExceeded, 69, "launch would exceed the limit of pending launches")  \
  X(cudaErrorInvalidDeviceFunction, 98, "invalid device function")                                 \
  X(cudaErrorNoDevice, 100, "no CUDA-capable device is detected")                                  \
  X(cudaErrorInvalidDevice, 101, "invalid device ordinal")                                         \
  X(cudaErrorDeviceNotLicensed, 102, "device has no valid license")                                \
  X(cudaErrorSoftwareValidityNotEstablished, 103, "software validity is not established")          \
  X(cudaErrorStartupFailure, 127, "startup failure in CUDA runtime")                               \
  X(cudaErrorInvalidKernelImage, 200, "device kernel image is invalid")                            \
  X(cudaErrorDeviceUninitialized, 201, "invalid device context")                                   \
  X(cudaErrorMapBufferObjectFailed, 205, "mapping of buffer object failed")                        \
  X(cudaErrorUnmapBufferObjectFailed, 206, "unmapping of buffer object failed")                    \
  X(cudaErrorArrayIsMapped, 207, "array is mapped")                                                \
  X(cudaErrorAlreadyMapped, 208, "resource already mapped")                                        \
  X(cudaErrorNoKernelImageForDevice, 209, "no kernel image is available for execution on the device") \
  X(cudaErrorAlreadyAcquired, 210, "resource already acquired")                                    \
  X(cudaErrorNotMapped, 211, "resource not mapped")                                                \
  X(cudaErrorNotMappedAsArray, 212, "resource not mapped as array")                                \
  X(cudaErrorNotMappedAsPointer, 213, "resource not mapped as pointer")                            \
  X(cudaErrorECCUncorrectable, 214, "uncorrectable ECC error encountered")                         \
  X(cudaErrorUnsupportedLimit, 215, "limit is not supported on this architecture")                 \
  X(cudaErrorDeviceAlreadyInUse, 216, "exclusive-thread device already in use by another thread")  \
  X(cudaErrorPeerAccessUnsupported, 217, "peer access is not supported between these two devices") \
  X(cudaErrorInvalidPtx, 218, "a PTX JIT compilation failed")                                      \
  X(cudaErrorInvalidGraphicsContext, 219, "invalid graphics context")                              \
  X(cudaErrorNvlinkUncorrectable, 220, "uncorrectable NVLink error detected")                      \
  X(cudaErrorJitCompilerNotFound, 221, "PTX JIT compiler library not found")                       \
  X(cudaErrorUnsupportedPtxVersion, 222, "PTX was compiled with an unsupported toolchain")         \
  X(cudaErrorJitCompilationDisabled, 223, "PTX JIT compilation was disabled")                      \
  X(cudaErrorUnsupportedExecAffinity, 224, "requested execution affinity is not supported")        \
  X(cudaErrorUnsupportedDevSideSync, 225, "device-side synchronization is not supported")          \
  X(cudaErrorInvalidSource, 300, "device kernel image is invalid")                                 \
  X(cudaErrorFileNotFound, 301, "file not found")                                                  \
  X(cudaErrorSharedObjectSymbolNotFound, 302, "shared object symbol not found")                    \
  X(cudaErrorSharedObjectInitFailed, 303, "shared object initialization failed")                   \
  X(cudaErrorOperatingSystem, 304, "OS call failed or operation not supported on this OS")         \
  X(cudaErrorInvalidResourceHandle, 400, "invalid resource handle")                                \
  X(cudaErrorIllegalState, 401, "the operation cannot be performed in the present state")          \
  X(cudaErrorLossyQuery, 402, "the query would discard information")                               \
  X(cudaErrorSymbolNotFound, 500, "named symbol not found")                                        \
  X(cudaErrorNotReady, 600, "device not ready")                                                    \
  X(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered")                      \
  X(cudaErrorLaunchOutOfResources, 701, "too many resources requested for launch")                 \
  X(cudaErrorLaunchTimeout, 702, "the launch timed out and was terminated")                        \
  X(cudaErrorLaunchIncompatibleTexturing, 703, "launch uses incompatible texturing mode")          \
  X(cudaErrorPeerAccessAlreadyEnabled, 704, "peer access is already enabled")                      \
  X(cudaErrorPeerAccessNotEnabled, 705, "peer access has not been enabled")                        \
  X(cudaErrorSetOnActiveProcess, 708, "cannot set while device is active in this process")         \
  X(cudaErrorContextIsDestroyed, 709, "context is destroyed")                                      \
  X(cudaErrorAssert, 710, "device-side assert triggered")                                          \
  X(cudaErrorTooManyPeers, 711, "peer mapping resources exhausted")                                \
  X(cudaErrorHostMemoryAlreadyRegistered, 712, "part or all of the memory is already registered")  \
  X(cudaErrorHostMemoryNotRegistered, 713, "pointer does not correspond to registered memory")     \
  X(cudaErrorHardwareStackError, 714, "hardware stack error")                                      \
  X(cudaErrorIllegalInstruction, 715, "an illegal instruction was encountered")                    \
  X(cudaErrorMisalignedAddress, 716, "misaligned address")                                         \
  X(cudaErrorInvalidAddressSpace, 717, "operation not supported on global/shared address space")   \
  X(cudaErrorInvalidPc, 718, "invalid program counter")                                            \
  X(cudaErrorLaunchFailure, 719, "unspecified launch failure")                                     \
  X(cudaErrorCooperativeLaunchTooLarge, 720, "too many blocks in cooperative launch")              \
  X(cudaErrorNotPermitted, 800, "operation not permitted")                                         \
  X(cudaErrorNotSupported, 801, "operation not supported")                                         \
  X(cudaErrorSystemNotReady, 802, "system not yet initialized")                                    \
  X(cudaErrorSystemDriverMismatch, 803, "system has unsupported display driver / cuda driver combination") \
  X(cudaErrorCompatNotSupportedOnDevice, 804, "forward compatibility was attempted on non supported hardware") \
  X(cudaErrorMpsConnectionFailed, 805, "MPS client failed to connect to the MPS control daemon")   \
  X(cudaErrorMpsRpcFailure, 806, "remote procedure call failed between MPS server and client")     \
  X(cudaErrorMpsServerNotReady, 807, "MPS server is not ready")                                    \
  X(cudaErrorMpsMaxClientsReached, 808, "maximum number of MPS clients reached")                   \
  X(cudaErrorMpsMaxConnectionsReached, 809, "maximum number of MPS connections reached")           \
  X(cudaErrorMpsClientTerminated, 810, "the MPS client was terminated by the server")              \
  X(cudaErrorCdpNotSupported, 811, "dynamic parallelism is not supported")                         \
  X(cudaErrorCdpVersionMismatch, 812, "dynamic parallelism version mismatch")                      \
  X(cudaErrorStreamCaptureUnsupported, 900, "operation not permitted when stream is capturing")    \
  X(cudaErrorStreamCaptureInvalidated, 901, "operation failed due to a previous error during capture") \
  X(cudaErrorStreamCaptureMerge, 902, "operation would result in a merge of separate capture sequences") \
  X(cudaErrorStreamCaptureUnmatched, 903, "capture was not ended in the same stream as it began")  \
  X(cudaErrorStreamCaptureUnjoined, 904, "capturing stream has unjoined work")                     \
  X(cudaErrorStreamCaptureIsolation, 905, "dependency created on uncaptured work in another stream") \
  X(cudaErrorStreamCaptureImplicit, 906, "operation would make the legacy stream depend on a capturing blocking stream") \
  X(cudaErrorCapturedEvent, 907, "operation not permitted on an event last recorded in a capturing stream") \
  X(cudaErrorStreamCaptureWrongThread, 908, "attempt to terminate a thread-local capture sequence from another thread") \
  X(cudaErrorTimeout, 909, "wait operation timed out")                                             \
  X(cudaErrorGraphExecUpdateFailure, 910, "the graph update was not performed because of a constraint violation") \
  X(cudaErrorExternalDevice, 911, "an async error has occurred in external entity")                \
  X(cudaErrorInvalidClusterSize, 912, "cluster misconfiguration")                                  \
  X(cudaErrorFunctionNotLoaded, 913, "function is not loaded")                                     \
  X(cudaErrorInvalidResourceType, 914, "invalid resource type")                                    \
  X(cudaErrorInvalidResourceConfiguration, 915, "invalid resource configuration")                  \
  X(cudaErrorUnknown, 999, "unknown error")

#define SHMEMU_ENUMERATOR(name, value, text) name = value,
enum cudaError { SHMEMU_CUDA_ERRORS(SHMEMU_ENUMERATOR) cudaErrorApiFailureBase = 10000 };
#undef SHMEMU_ENUMERATOR
typedef enum cudaError cudaError_t;
#endif
