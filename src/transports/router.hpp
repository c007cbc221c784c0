// Which transport carries an operation between two PEs: own memory, NVLink, the network, or an error that says why
// there is none. Decides by the platform and NVSHMEM's environment variables, and can say why. One Router per World;
// owns the transports.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "model/platform.hpp"
#include "transports/adverse.hpp"
#include "transports/ibgda/ibgda.hpp"
#include "transports/network.hpp"
#include "transports/p2p/p2p.hpp"
#include "transports/proxy/proxy.hpp"
#include "transports/self/self.hpp"
#include "transports/settings.hpp"

namespace shmemu {

class Router {
 public:
  // `pes` of the job; 0: one per GPU. `stand_in`: the GPU whose ports and adapter carry what those of another one
  // would, when alike PEs are simulated once (src/predict); `gpus` then counts the stand-ins.
  Router(EventQueue& queue, const Platform& platform, int gpus, std::function<GpuId(PeId)> gpu_of, Random* adverse,
         int pes = 0, NvshmemSettings settings = {}, Network::StandIn stand_in = {});
  // Of a copy between two PEs that GPU threads ask for. UserError when there is no path.
  Transport& route(PeId from, PeId to);
  Transport& route(const Transfer& transfer);
  bool load_store(PeId from, PeId to) const;
  // Why there is none: the GPUs, and the platform or variable that separates them.
  std::string why_no_load_store(PeId from, PeId to) const;
  // Whether `op` becomes loads and stores, which its thread issues and forgets.
  bool by_load_store(const Op& op);
  // The fence or quiet that a GPU thread of `pe` makes now: over load/store paths and network.
  Ordering order(PeId pe, OpKind kind);
  // The same for one queue pair that the program names; absent where there are none.
  std::optional<Ordering> order_of_queue();
  // Whether programs can make queue pairs: GPU threads drive the adapter.
  bool has_queues() const { return ibgda_ != nullptr; }
  // Whether some PEs of the job reach each other through the network only.
  bool network_job();
  // Why which path is taken, one sentence per line.
  std::vector<std::string> explain();
  uint64_t adverse_delays() const;

 private:
  Transport& wrapped(size_t index) {
    return adverse_[index] ? static_cast<Transport&>(*adverse_[index]) : *plain_[index];
  }
  Transport& remote(PeId from, PeId to, bool from_host);
  enum : size_t { kSelf, kP2p, kIbgda, kProxy, kTransports };
  const Platform& platform_;
  const NvshmemSettings settings_;
  const int pes_;
  std::function<GpuId(PeId)> gpu_of_;
  std::optional<bool> network_job_;
  FairLinks links_;  // egress and ingress of each GPU, their memories, their SMs' store pipes
  SelfTransport self_;
  P2pTransport p2p_;
  std::unique_ptr<Network> network_;
  std::unique_ptr<Ibgda> ibgda_;
  std::unique_ptr<Proxy> proxy_;
  Transport* plain_[kTransports] = {};
  std::unique_ptr<AdverseDelivery> adverse_[kTransports];
};

}  // namespace shmemu
