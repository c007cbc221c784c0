#include "model/fair_links.hpp"

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"

namespace shmemu {

void FairLinks::start(int egress, int ingress, uint64_t bytes, Rate port_rate, Rate cap, Action done) {
  flows_.push_back({egress, ingress, static_cast<double>(bytes), cap.bytes_per_second * 1e-12, 0,
                    port_rate.bytes_per_second * 1e-12, queue_.now(), 0, std::move(done)});
  Flow* flow = &flows_.back();
  ports_[static_cast<size_t>(egress)].flows.push_back(flow);
  ports_[static_cast<size_t>(ingress)].flows.push_back(flow);
  touch(egress);
  touch(ingress);
}

// Brings `left` up to now.
void FairLinks::settle(Flow& flow) {
  flow.left = std::max(0.0, flow.left - flow.rate * static_cast<double>((queue_.now() - flow.since).ps));
  flow.since = queue_.now();
}

// The level L with  Σ min(cap, L) = port rate; above every cap if the port is not full.
void FairLinks::share(Port& port) {
  std::vector<double> caps;
  double capacity = 0;
  for (Flow* f : port.flows) caps.push_back(f->cap), capacity = f->port_rate;
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
      double rate = std::min({f->cap, ports_[static_cast<size_t>(f->egress)].level,
                              ports_[static_cast<size_t>(f->ingress)].level});
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
  int egress = flow->egress, ingress = flow->ingress;
  std::erase(ports_[static_cast<size_t>(egress)].flows, flow);
  std::erase(ports_[static_cast<size_t>(ingress)].flows, flow);
  Action done = std::move(flow->done);
  flows_.erase(at);
  touch(egress);
  touch(ingress);
  done();
}

}  // namespace shmemu
