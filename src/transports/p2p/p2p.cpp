#include "transports/p2p/p2p.hpp"

#include <algorithm>

namespace shmemu {

Time P2pTransport::occupy(const Op& op, uint64_t bytes, Rate rate) {
  bool load = op.kind == OpKind::get || op.kind == OpKind::g || op.kind == OpKind::iget || op.kind == OpKind::fetch;
  GpuId from = gpu_of_(load ? op.target : op.issuer), to = gpu_of_(load ? op.issuer : op.target);
  if (from == to) return queue_.now() + gpu_.hbm.time_for(bytes);
  Time& out = egress_[from.value];
  Time& in = ingress_[to.value];
  return out = in = std::max({out, in, queue_.now()}) + rate.time_for(bytes);
}

}  // namespace shmemu
