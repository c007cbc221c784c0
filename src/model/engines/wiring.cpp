#include "model/engines/wiring.hpp"

#include <algorithm>

namespace shmemu {

Wiring Wiring::star(int n, Rate port, Time latency) {
  Wiring w;
  w.endpoints_ = w.domain_ = n;
  w.ports_.assign(static_cast<size_t>(2 * n), port);
  w.near_ = latency;
  return w;
}

Wiring Wiring::of(const Platform& p, int gpus) {
  Wiring w = star(gpus, p.gpu.nvlink_store, p.gpu.flight_remote);
  w.near_back_ = p.gpu.ack_remote - std::min(p.gpu.ack_remote, p.gpu.flight_remote);
  w.domain_ = p.nvlink_domain.value_or(gpus);
  if (!p.nic || w.domain_ >= gpus) return w;
  w.fabric_.emplace(p, gpus);
  w.far_ = p.nic->flight, w.far_back_ = p.nic->acknowledge, w.switch_ = p.fabric.switch_latency;
  w.ports_.resize(static_cast<size_t>(4 * gpus), p.nic->line_rate);
  w.ports_.resize(w.ports_.size() + static_cast<size_t>(2 * w.fabric_->leaves()), w.fabric_->uplink());
  return w;
}

Route Wiring::route(int from, int to) const {
  auto n = static_cast<uint32_t>(endpoints_), a = static_cast<uint32_t>(from), b = static_cast<uint32_t>(to);
  if (!fabric_ || from / domain_ == to / domain_) return {{a, n + b, Route::kNone, Route::kNone}, near_, near_back_};
  Route r{{2 * n + a, 3 * n + b, Route::kNone, Route::kNone}, far_, far_back_};
  if (fabric_->same_leaf(GpuId{from}, GpuId{to})) return r;
  auto leaves = static_cast<uint32_t>(fabric_->leaves());
  r.ports[3] = r.ports[1];
  r.ports[1] = 4 * n + static_cast<uint32_t>(fabric_->leaf_of(GpuId{from}));
  r.ports[2] = 4 * n + leaves + static_cast<uint32_t>(fabric_->leaf_of(GpuId{to}));
  r.latency += switch_ * 2;
  return r;
}

}  // namespace shmemu
