// A Transfer is an Op on its way: one warp or CTA instruction with the lanes that share it, their payloads, and the
// moments a transport decides. The contract between src/device (who makes transfers and applies them to memory) and a
// transport (who says when). A transport never touches memory; it calls the sink.
#pragma once
#include <cstdint>
#include <vector>

#include "transports/op.hpp"

namespace shmemu {

struct Piece {  // the part of one lane
  Op op;
  Payload payload;
};

struct Transfer {
  std::vector<Piece> pieces;  // lanes of one warp instruction, or one piece for a warp- or block-scoped call
  uint32_t threads = 1;       // threads that copy
  uint32_t lines = 1;         // distinct 128 B lines of the target that one warp instruction touches
  uint64_t bytes = 0;         // of all pieces
  uint32_t width = 16;        // B that a thread moves at once: what the alignment of all addresses allows
  int sm = 0;                 // where the issuer runs
  uint32_t block = 0, warp = 0;  // its numbers in the grid
  bool from_host = false;     // no GPU thread asks
  double miss = 1;            // share of its loads that miss L1
  const Op& op() const { return pieces.front().op; }
};

// Called by a transport, in time order, with the clock at the moment in question.
class TransferSink {
 public:
  virtual ~TransferSink() = default;
  virtual void issued(Transfer&) = 0;     // a posted call returns
  // The bytes of the source are read now; only from transports whose Caps say that the call has not read them.
  virtual void source_read(Transfer&) {}
  virtual void delivered(Transfer&) = 0;  // bytes are visible at the target (put), or are read there (get, fetch)
  virtual void returned(Transfer&) = 0;   // acknowledged (put), or the result reached the issuer (get, fetch). Last call.
};

}  // namespace shmemu
