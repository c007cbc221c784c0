// Op: the one record that travels from a program (or a trace) through collectives and transports to the timeline.
// It says who asks whom for what, with which bytes, from where in the source. A running program and a replayed trace
// differ only in who makes the Ops. A value, except that a posted write owns its payload.
#pragma once
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

#include "base/ids.hpp"
#include "base/time.hpp"

namespace shmemu {

enum class OpKind : uint8_t {
  none,
  // posted: stamped with the issuer's clock, the issuer runs on
  put, p, iput, put_signal, signal, atomic,
  // observing: needs global order
  get, g, iget, fetch /* atomic with result */, wait, test, wait_set, poll, order, fence, quiet, clock, sleep, grid_sync,
  // private to a warp or a CTA
  warp, barrier, arrive,
  exit,
  // host
  launch, copy, fill, stream_wait, host_work,
  count_
};
std::string_view name_of(OpKind kind);
bool is_posted(OpKind kind);

enum class Scope : uint8_t { thread, warp, block };

// Bytes taken from the source when hardware would read them. Up to 16 bytes live inside.
class Payload {
 public:
  Payload() = default;
  Payload(const void* from, uint64_t bytes) : bytes_(bytes) {
    if (bytes_ > sizeof small_) large_ = std::make_unique<std::byte[]>(bytes_);
    if (bytes_) std::memcpy(data(), from, bytes_);
  }
  std::byte* data() { return large_ ? large_.get() : small_; }
  const std::byte* data() const { return large_ ? large_.get() : small_; }
  uint64_t size() const { return bytes_; }

 private:
  uint64_t bytes_ = 0;
  std::byte small_[16] = {};
  std::unique_ptr<std::byte[]> large_;
};

struct Op {
  OpKind kind = OpKind::none;
  Scope scope = Scope::thread;
  bool nbi = false;
  uint8_t type = 0;       // shmemu_type of wait, test and atomics
  uint8_t function = 0;   // comparison, atomic operation, fence scope, warp operation, barrier reduction
  uint8_t flags = 0;      // poll flags, access kind of `order`, the bits below
  static constexpr uint8_t kAligned = 0x08;  // of a copy inside a collective: taken as aligned, so that PEs are alike
  static constexpr uint8_t kPacked = 0x10;  // the data end with a flag that somebody polls
  static constexpr uint8_t kNative = 0x20;      // a plain load, store or atomic instruction, no library call around it
  static constexpr uint8_t kCopyEngine = 0x40;  // moved by a copy engine, not by threads
  static constexpr uint8_t kEndsWithFence = 0x80;  // a wait that makes earlier data visible
  static constexpr uint8_t kLibrarySignal = 1;  // `function` of a signal of a barrier or exchange inside the library
  static constexpr uint8_t kNvshmemFence = 3;  // `function` of nvshmem_fence; 0 to 2 are CUDA's scopes
  static constexpr uint8_t kSystemFence = 2;   // `function` of __threadfence_system
  static constexpr uint8_t kEqual = 0, kAtLeast = 5;  // comparisons: NVSHMEM_CMP_EQ, NVSHMEM_CMP_GE
  static constexpr uint8_t kAtomicAdd = 1;     // SHMEMU_AMO_ADD of the ABI
  uint8_t signal_op = 0;  // NVSHMEM_SIGNAL_SET or ADD:
  static constexpr uint8_t kSignalSet = 9, kSignalAdd = 10;
  PeId issuer, target;
  uint64_t site = 0;    // call site: offset in the program's image, 0 = unknown
  uint64_t remote = 0;  // address in the target's heap; for waits and polls the address watched
  uint64_t local = 0;   // source of a put, destination of a get
  uint64_t bytes = 0;   // payload of one lane; duration in ps for sleep
  uint64_t value = 0, compare = 0;
  uint64_t signal = 0;  // address of the signal word in the target's heap
  uint32_t qp = 0;      // the queue pair that the program names (nvshmemx_qp_create); 0: the library chooses
  static constexpr uint32_t kFirstQp = 2;  // 1 is NVSHMEMX_QP_DEFAULT
  uint64_t ticket = 0;  // given by the checker; nobody else looks at it
  // strided: `elements` pieces of `bytes / elements`, strides in bytes
  uint64_t elements = 0;
  int64_t remote_stride = 0, local_stride = 0;
};

}  // namespace shmemu
