#include "model/fair_links.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace shmemu {
namespace {

double per_ps(Rate rate) { return rate.bytes_per_second * 1e-12; }

}  // namespace

void FairLinks::start(Request r, Action done) {
  uint64_t number = started_++;
  Flow& flow = flows_
                   .emplace(number, Flow{.number = number,
                                         .hops = std::move(r.hops),
                                         .left = static_cast<double>(r.bytes),
                                         .cap = per_ps(r.cap),
                                         .since = queue_.now(),
                                         .done = std::move(done)})
                   .first->second;
  for (const Hop& hop : flow.hops) {
    port(hop.port).flows.emplace_back(&flow, &hop);
    touch(hop.port);
  }
}

// Brings `left` up to now.
void FairLinks::settle(Flow& flow) {
  flow.left = std::max(0.0, flow.left - flow.rate * static_cast<double>((queue_.now() - flow.since).ps));
  flow.since = queue_.now();
}

// The level L with  Σ min(cap, L) = port rate; above every cap if the port is not full.
void FairLinks::share(Port& port) {
  if (port.flows.empty()) return;
  std::vector<double> caps;
  double capacity = 0, window = 0, stall = 0;
  for (auto& [flow, hop] : port.flows) {
    caps.push_back(flow->cap);
    capacity += per_ps(hop->rate);
    window += static_cast<double>(hop->window);
    stall += static_cast<double>(hop->stall.ps);
  }
  auto count = static_cast<double>(caps.size());
  capacity /= count;
  double wanted = std::accumulate(caps.begin(), caps.end(), 0.0);
  if (window > 0 && wanted > capacity) capacity = window / (window / capacity + stall / count);
  std::sort(caps.begin(), caps.end());
  double left = capacity;
  for (size_t i = 0; i < caps.size(); ++i) {
    double equal = left / static_cast<double>(caps.size() - i);
    if (caps[i] > equal * (1 + 1e-9)) {  // rounding alone fills no port
      port.level = equal;
      return;
    }
    left -= caps[i];
  }
  port.level = capacity;
}

// Many flows start and end at the same moment; one sharing serves them all.
void FairLinks::touch(int number) {
  Port& p = port(number);
  if (p.dirty) return;
  p.dirty = true;
  if (dirty_.empty()) queue_.at(queue_.now(), Rank::agent, [this] { share_again(); });
  dirty_.push_back(number);
}

void FairLinks::share_again() {
  std::vector<int> changed = std::move(dirty_);
  dirty_.clear();
  for (int number : changed) {
    port(number).dirty = false;
    share(port(number));
  }
  for (int number : changed)
    for (auto& [f, hop] : port(number).flows) {
      double rate = f->cap;
      for (const Hop& h : f->hops) rate = std::min(rate, port(h.port).level);
      if (rate == f->rate) continue;
      settle(*f);
      f->rate = rate;
      f->version = ++versions_;
      Time end = queue_.now() + Time{static_cast<int64_t>(std::ceil(f->left / rate))};
      queue_.at(end, Rank::agent, [this, number = f->number, version = f->version] { finish(number, version); });
    }
}

void FairLinks::finish(uint64_t number, uint64_t version) {
  auto at = flows_.find(number);
  if (at == flows_.end() || at->second.version != version) return;  // its rate has changed since
  Flow& flow = at->second;
  for (const Hop& hop : flow.hops) {
    std::erase_if(port(hop.port).flows, [&](auto& entry) { return entry.first == &flow; });
    touch(hop.port);
  }
  Action done = std::move(flow.done);
  flows_.erase(at);
  done();
}

}  // namespace shmemu
