// An access to symmetric memory as the checker remembers it: who, when in the sense of happens-before, how, from where.
#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "emu/check/knowledge.hpp"
#include "transports/op.hpp"

namespace shmemu::emu::checks {

class Uses;

enum class How : uint8_t {
  load,  // by the owner's threads, host or copies
  store,
  remote_read,   // get, g
  remote_write,  // put, p, the payload of put_signal
  update,        // atomic or signal, local or remote
  wait,          // wait and test
  source,        // the library still reads the source of a non-blocking put
  fresh,         // an allocation, in words of findings only
  landing,       // the result of a non-blocking get is still to come
};

// What the receiver of a flag may conclude, kept until the flag arrives.
struct Release {
  std::shared_ptr<const Knowledge> knowledge;  // of the issuer, at the call
  Event at;
  PeId target;
  uint64_t ticket = 0;
  Clock fence;  // operations to the same PE that come before this one
};

struct Access {
  Event event;
  How how = How::load;
  OpKind op = OpKind::none;
  uint8_t type = 0;          // shmemu_type of a wait
  bool is_volatile = false;  // a plain access that the compiler may not drop: polls of flags
  bool equal = false;        // a wait for equality
  bool adds = false;         // a signal or atomic that does not replace the value
  bool sets_signal = false;  // NVSHMEM_SIGNAL_SET
  bool known_value = false;
  Scope scope = Scope::thread;
  bool nbi = false;
  bool posted = false;  // certain only when the operation is complete, not when its thread goes on
  PeId target;          // whose memory
  PeId toward;          // the local side of an operation that is under way: where the other side is
  uint64_t ticket = 0;  // of a remote operation
  uint64_t address = 0, bytes = 0, value = 0;
  // Plain accesses of the threads of a block at one place, thread t to `base + t * step`: one record, whose event is
  // that of the thread that an address tells. 0: one thread.
  uint64_t base = 0;
  uint32_t step = 0;
  uint64_t site = 0;
  Time when;
  const std::string* kernel = nullptr;  // null: host, or a copy or fill
  uint32_t block_index = 0;
  const char* call = nullptr;  // its name, where `op` does not tell
  // Of a get into the heap: both sides share what is known of the fetched bytes. `landed`: from an address that is read
  // to the one where its byte goes.
  std::shared_ptr<Uses> uses;
  uint64_t landed = 0;
  uint32_t references = 0;

  bool writes() const { return how != How::load && how != How::remote_read && how != How::wait && how != How::source; }
  bool is_remote() const {
    return how == How::remote_read || how == How::remote_write || (how == How::update && ticket);
  }
  bool is_flag_sized() const { return bytes <= 8; }
  bool is_plain() const { return (how == How::load || how == How::store) && !ticket; }
  Event event_at(uint64_t at) const {
    if (!step) return event;
    Event e = event;
    e.thread = static_cast<uint32_t>((at - base) / step);
    e.warp = e.thread / 32;
    return e;
  }
};

// Accesses by number, counted by those who refer to them.
class Accesses {
 public:
  uint32_t add(Access access);
  Access& operator[](uint32_t i) { return all_[i]; }
  const Access& operator[](uint32_t i) const { return all_[i]; }
  void refer(uint32_t i) { ++all_[i].references; }
  void release(uint32_t i);
  size_t size() const { return all_.size() - free_.size(); }

 private:
  std::deque<Access> all_;
  std::vector<uint32_t> free_;
};

}  // namespace shmemu::emu::checks
