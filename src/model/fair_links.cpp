#include "model/fair_links.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/errors.hpp"

namespace shmemu {

void FairLinks::start(const Request& r, Action done) {
  Flow fresh{.request = r,
             .left = static_cast<double>(r.bytes),
             .cap = r.cap.bytes_per_second * 1e-12,
             .since = queue_.now(),
             .done = std::move(done)};
  flows_.push_back(std::move(fresh));
  Flow* flow = &flows_.back();
  ports_[static_cast<size_t>(r.egress)].flows.push_back(flow);
  if (r.ingress != r.egress) ports_[static_cast<size_t>(r.ingress)].flows.push_back(flow);
  touch(r.egress);
  touch(r.ingress);
}

// Brings `left` up to now.
void FairLinks::settle(Flow& flow) {
  flow.left = std::max(0.0, flow.left - flow.rate * static_cast<double>((queue_.now() - flow.since).ps));
  flow.since = queue_.now();
}

// The level L with  Σ min(cap, L) = port rate; above every cap if the port is not full.
void FairLinks::share(Port& port) {
  std::vector<double> caps;
  double capacity = 0, window = 0, stall = 0;
  for (Flow* f : port.flows) {
    caps.push_back(f->cap);
    capacity += f->request.port_rate.bytes_per_second * 1e-12;
    window += static_cast<double>(f->request.window);
    stall += static_cast<double>(f->request.stall.ps);
  }
  if (port.flows.empty()) return;
  auto count = static_cast<double>(port.flows.size());
  capacity /= count;
  double wanted = std::accumulate(caps.begin(), caps.end(), 0.0);
  if (window > 0 && wanted > capacity) capacity = window / (window / capacity + stall / count);
  std::sort(caps.begin(), caps.end());
  double left = capacity;
  for (size_t i = 0; i < caps.size(); ++i) {
    double equal = left / static_cast<double>(caps.size() - i);
    if (caps[i] >= equal) {
      port.level = equal;
      return;
    }
    left -= caps[i];
  }
  port.level = capacity;
}

// Many flows start and end at the same moment; one sharing serves them all.
void FairLinks::touch(int port) {
  Port& p = ports_[static_cast<size_t>(port)];
  if (p.dirty) return;
  p.dirty = true;
  if (dirty_.empty()) queue_.at(queue_.now(), Rank::agent, [this] { share_again(); });
  dirty_.push_back(port);
}

void FairLinks::share_again() {
  std::vector<int> ports = std::move(dirty_);
  dirty_.clear();
  for (int port : ports) {
    Port& p = ports_[static_cast<size_t>(port)];
    p.dirty = false;
    share(p);
  }
  for (int port : ports)
    for (Flow* f : ports_[static_cast<size_t>(port)].flows) {
      double rate = std::min({f->cap, ports_[static_cast<size_t>(f->request.egress)].level,
                              ports_[static_cast<size_t>(f->request.ingress)].level});
      if (rate == f->rate) continue;
      settle(*f);
      f->rate = rate;
      f->version = ++versions_;
      Time end = queue_.now() + Time{static_cast<int64_t>(std::ceil(f->left / rate))};
      queue_.at(end, Rank::agent, [this, f, version = f->version] { finish(f, version); });
    }
}

void FairLinks::finish(Flow* flow, uint64_t version) {
  auto at = std::find_if(flows_.begin(), flows_.end(), [&](Flow& f) { return &f == flow && f.version == version; });
  if (at == flows_.end()) return;  // its rate has changed since
  int egress = flow->request.egress, ingress = flow->request.ingress;
  std::erase(ports_[static_cast<size_t>(egress)].flows, flow);
  std::erase(ports_[static_cast<size_t>(ingress)].flows, flow);
  Action done = std::move(flow->done);
  flows_.erase(at);
  touch(egress);
  touch(ingress);
  done();
}

}  // namespace shmemu
