// The contract of network engines: flows go in, events come out in time order. Nobody is told a finish time in advance,
// because later flows change it. A listener may submit further flows. `ports` (model/engines/ports.hpp) is ours,
// `simgrid` (model/engines/simgrid.cpp) a reference. Place: bulk message patterns (src/model/engines/traffic.hpp);
// emulated programs use FairLinks (docs/design/model.md says why).
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "base/time.hpp"
#include "model/engines/wiring.hpp"

namespace shmemu {

using FlowId = uint32_t;  // free for a new flow after the last event of the old one

struct Flow {
  int from = 0, to = 0;  // endpoints of the wiring
  uint64_t bytes = 0;    // above 0
};

enum class FlowEvent : uint8_t {
  accepted,      // the last byte has left the sender
  first_byte,    // arrives
  delivered,     // the last byte has arrived
  acknowledged,  // and the sender knows
};

class FlowListener {
 public:
  virtual void happened(FlowId flow, FlowEvent event, Time when) = 0;

 protected:
  ~FlowListener() = default;
};

// Which events are told; delivered always is.
struct Told {
  bool accepted = false, first_byte = false, acknowledged = false;
};

class Engine {
 public:
  virtual ~Engine() = default;
  // Starts at `at`, not before now().
  virtual FlowId submit(const Flow& flow, Time at) = 0;
  // Tells everything that happens up to and including `until`.
  virtual void advance(Time until) = 0;
  virtual Time now() const = 0;
  // Events told so far and flows that are not over.
  virtual uint64_t events() const = 0;
  virtual size_t active() const = 0;
};

struct EngineOptions {
  std::string kind = "ports";  // ports, fifo, simgrid
  uint64_t chunk = 4096;       // bytes that a port serves of one flow before it turns to the next; of `ports`
  Told told;
};

// UserError(usage) for unknown kinds, and for simgrid where shmemu was built without it.
std::unique_ptr<Engine> make_engine(const Wiring& wiring, FlowListener& listener, const EngineOptions& options);

}  // namespace shmemu
