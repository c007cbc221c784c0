// Ports of the NVLink switch: each GPU sends and receives at one rate, first come first served. A transfer joins both
// queues at once: stores of many warps interleave, so a busy sender does not keep the receiver's port idle. Also
// `Server`, the same for one resource. Values of one run.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/time.hpp"

namespace shmemu::deepep {

struct Server {
  Time until, busy;
  // The work starts at `at` or when the server is free; returns its end.
  Time serve(Time at, Time work) {
    until = std::max(until, at) + work;
    busy += work;
    return until;
  }
};

class NvLink {
 public:
  NvLink(int ranks, Rate rate) : out_(static_cast<size_t>(ranks)), in_(out_), rate_(rate) {}
  // When the last byte is in the memory of `to`, without flight. Calls come in the order of `at`.
  Time carry(int from, int to, uint64_t bytes, Time at) {
    Server &out = out_[static_cast<size_t>(from)], &in = in_[static_cast<size_t>(to)];
    Time work = rate_.time_for(bytes);
    bytes_ += bytes, ++copies_;
    return std::max(out.serve(at, work), in.serve(at, work));
  }
  const std::vector<Server>& out() const { return out_; }
  const std::vector<Server>& in() const { return in_; }
  uint64_t bytes() const { return bytes_; }
  uint64_t copies() const { return copies_; }

 private:
  std::vector<Server> out_, in_;
  Rate rate_;
  uint64_t bytes_ = 0, copies_ = 0;
};

}  // namespace shmemu::deepep
