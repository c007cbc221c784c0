// What messages between GPUs pass: numbered ports, each with a rate, and the route from one GPU to another. Inside an
// NVLink domain an egress and an ingress; else the adapters and, between leaf switches, the leaves' up- and downlinks.
// Place: between Platform and the engines. A value.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/fabric.hpp"
#include "model/platform.hpp"

namespace shmemu {

struct Route {
  static constexpr uint32_t kNone = UINT32_MAX;
  std::array<uint32_t, 4> ports{kNone, kNone, kNone, kNone};  // in order; unused ones are kNone
  Time latency;                                               // of the first byte over the whole way
  Time acknowledge;                                           // from the last byte's arrival back to the sender
  size_t hops() const {
    size_t n = 0;
    while (n < ports.size() && ports[n] != kNone) ++n;
    return n;
  }
};

class Wiring {
 public:
  // n endpoints on one switch that is never the limit.
  static Wiring star(int n, Rate port, Time latency);
  static Wiring of(const Platform& platform, int gpus);
  int endpoints() const { return endpoints_; }
  const std::vector<Rate>& ports() const { return ports_; }
  Route route(int from, int to) const;

 private:
  Wiring() = default;
  int endpoints_ = 0, domain_ = 0;  // GPUs per NVLink domain
  std::vector<Rate> ports_;         // out and in of each GPU; then of its adapter; then up and down of each leaf
  Time near_, near_back_, far_, far_back_, switch_;
  std::optional<Fabric> fabric_;
};

}  // namespace shmemu
