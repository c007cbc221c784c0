// Which transport carries an operation between two PEs: own memory, NVLink, or an error that says why there is none.
// One Router per World; owns the transports.
#pragma once
#include <functional>
#include <memory>

#include "base/random.hpp"
#include "model/platform.hpp"
#include "transports/adverse.hpp"
#include "transports/p2p/p2p.hpp"
#include "transports/self/self.hpp"

namespace shmemu {

class Router {
 public:
  Router(EventQueue& queue, const Platform& platform, int gpus, std::function<GpuId(PeId)> gpu_of, Random* adverse);
  // UserError when the platform gives no path.
  Transport& route(PeId from, PeId to);
  bool load_store(PeId from, PeId to) const;
  uint64_t adverse_delays() const { return adverse_p2p_ ? adverse_p2p_->delays() + adverse_self_->delays() : 0; }

 private:
  const Platform& platform_;
  std::function<GpuId(PeId)> gpu_of_;
  FairLinks links_;  // egress and ingress of each GPU, their memories, their SMs' store pipes
  SelfTransport self_;
  P2pTransport p2p_;
  std::unique_ptr<AdverseDelivery> adverse_self_, adverse_p2p_;
};

}  // namespace shmemu
