// Who is told what happened when: the Machine of src/device reports to it, src/report implements it, so a program and a
// replayed trace need no adapter between the two.
#pragma once
#include <cstdint>
#include <string>

#include "transports/op.hpp"

namespace shmemu {

// Who did something: for timelines, tables and messages.
struct Place {
  PeId pe;
  bool host = false;
  int stream = 0;
  uint32_t grid = 0, block = 0, warp = 0, mask = 0;
};

class Observer {
 public:
  virtual ~Observer() = default;
  // An operation of `place` took [from, to]. `lanes` threads took part; `bytes` is the sum.
  // `flow` is the number of the transfer; for a wait, of the one whose arrival ended it (0 = unknown).
  virtual void span(const Place& place, const Op& op, uint32_t lanes, uint64_t bytes, Time from, Time to,
                    uint64_t flow) = 0;
  // What `op` moves between two PEs was on its way during [from, to].
  virtual void carried(const Op& op, uint64_t bytes, Time from, Time to, uint64_t flow) = 0;
  virtual void command(PeId pe, int stream, OpKind kind, const std::string& name, Time from, Time to) = 0;
};

}  // namespace shmemu
