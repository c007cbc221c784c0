// What every transport (self, p2p, ibgda, proxy) promises, and what it can do.
// Place in the flow: src/device posts transfers at their issue time; the transport schedules the sink's three calls on
// the event queue. One transport object serves one World.
#pragma once
#include "base/time.hpp"
#include "model/event_queue.hpp"
#include "transports/transfer.hpp"

namespace shmemu {

struct Caps {
  bool load_store = false;      // nvshmem_ptr gives an address
  bool native_atomics = false;  // atomics run in the peer's L2
  bool source_read_at_call = false;  // the source may be reused as soon as the call returns, also for nbi
};

// What a fence or quiet of a PE takes.
struct Ordering {
  Time cost;         // after the operations it waits for are acknowledged
  bool waits = true;  // for them; false: the transport keeps the order by itself
  Time least;        // from call to return
};

class Transport {
 public:
  virtual ~Transport() = default;
  virtual Caps caps() const = 0;
  // How long the call keeps its issuer when nothing stalls.
  virtual Time issue_time(const Transfer& transfer) const = 0;
  // Starts `transfer` now; calls sink.issued, delivered and returned at their times.
  virtual void post(Transfer& transfer, TransferSink& sink) = 0;
  // How long fence and quiet take when nothing is outstanding.
  virtual Time fence_cost() const { return {}; }
  // The fence or quiet that `pe` makes now, as far as this transport is concerned.
  virtual Ordering order(PeId, OpKind) { return {fence_cost(), true, {}}; }
};

}  // namespace shmemu
