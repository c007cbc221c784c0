// SimGrid's fluid max-min sharing behind the contract of engines: the reference for `ports`. The only file that knows
// SimGrid, and the only one with double seconds; a module of its own, loaded on request. Settings and reasons:
//   CM02, no cross-traffic, no TCP window: the others are fitted to TCP; precision 1e-12 s: events closer than the
//   default 1e-9 s are merged; links have no latency, it is paid before the flow starts: SimGrid weights flows by
//   1/latency.
// SimGrid allows one engine per process (3.32), so the second one is refused.
#include <xbt/log.h>
#include <simgrid/s4u.hpp>

#include <cmath>
#include <map>

#include "base/errors.hpp"
#include "model/engines/engine.hpp"

namespace shmemu {
namespace {

namespace sg = simgrid::s4u;

class SimgridEngine final : public Engine {
 public:
  SimgridEngine(const Wiring& wiring, FlowListener& listener, Told told)
      : wiring_(wiring), listener_(listener), told_(told), engine_(name_) {
    xbt_log_control_set("root.thresh:warning");
    for (const char* setting : {"network/model:CM02", "network/crosstraffic:0", "network/TCP-gamma:1e15",
                                "surf/precision:1e-12", "contexts/stack-size:256"})
      sg::Engine::set_config(setting);
    build();
  }
  FlowId submit(const Flow& flow, Time at) override {
    Route route = wiring_.route(flow.from, flow.to);
    FlowId id;
    if (free_.empty()) {
      id = static_cast<FlowId>(flows_.size());
      flows_.emplace_back();
    } else {
      id = free_.back();
      free_.pop_back();
    }
    flows_[id] = {flow, route.acknowledge};
    SHMEMU_ASSERT(at >= now_, "a flow in the past");
    auto [batch, fresh] = waiting_.try_emplace({at + route.latency, flow.from});
    batch->second.push_back(id);
    if (fresh) sg::Actor::create("batch", host(flow.from), [this, key = batch->first] { run_batch(key); });
    return id;
  }
  void advance(Time until) override {
    if (until == Time::max()) return engine_.run();
    engine_.run_until(until.seconds());
    now_ = std::max(now_, until);
  }
  Time now() const override { return now_; }
  uint64_t events() const override { return events_; }
  size_t active() const override { return flows_.size() - free_.size(); }

 private:
  struct Record {
    Flow flow;
    Time acknowledge;
  };
  using Key = std::pair<Time, int>;  // start and sender of flows that begin together

  // A link per port, a host per endpoint, the routes of the wiring.
  void build() {
    sg::NetZone* zone = sg::create_full_zone("wiring");
    std::vector<sg::Link*> links;
    for (Rate r : wiring_.ports())
      links.push_back(zone->create_link("port" + std::to_string(links.size()), r.bytes_per_second)->seal());
    for (int e = 0; e < wiring_.endpoints(); ++e) hosts_.push_back(zone->create_host(std::to_string(e), 1e9)->seal());
    for (int from = 0; from < wiring_.endpoints(); ++from)
      for (int to = 0; to < wiring_.endpoints(); ++to) {
        if (from == to) continue;
        Route route = wiring_.route(from, to);
        std::vector<sg::LinkInRoute> way;
        for (size_t h = 0; h < route.hops(); ++h) way.emplace_back(links[route.ports[h]]);
        zone->add_route(hosts_[static_cast<size_t>(from)]->get_netpoint(),
                        hosts_[static_cast<size_t>(to)]->get_netpoint(), nullptr, nullptr, way, false);
      }
    zone->seal();
  }

  sg::Host* host(int endpoint) { return hosts_[static_cast<size_t>(endpoint)]; }
  void clock() { now_ = std::max(now_, Time{std::llround(sg::Engine::get_clock() * 1e12)}); }

  // An actor's life: starts the flows of its batch and waits for each. (A completion is only told to those who wait.)
  void run_batch(Key key) {
    sg::this_actor::sleep_until(key.first.seconds());
    auto batch = waiting_.extract(key);
    std::vector<FlowId> ids = std::move(batch.mapped());
    std::vector<sg::CommPtr> comms;
    clock();
    for (FlowId id : ids) {
      const Flow& f = flows_[id].flow;
      comms.push_back(sg::Comm::sendto_async(host(f.from), host(f.to), f.bytes));
      if (told_.first_byte) tell(id, FlowEvent::first_byte);
    }
    while (!comms.empty()) {
      ssize_t done = sg::Comm::wait_any(comms);
      clock();
      FlowId id = ids[static_cast<size_t>(done)];
      comms.erase(comms.begin() + done), ids.erase(ids.begin() + done);
      if (told_.accepted) tell(id, FlowEvent::accepted);
      if (told_.acknowledged)
        sg::Actor::create("acknowledgement", host(0), [this, id, back = flows_[id].acknowledge] {
          sg::this_actor::sleep_for(back.seconds());
          clock();
          tell(id, FlowEvent::acknowledged);
        });
      tell(id, FlowEvent::delivered);
    }
  }

  void tell(FlowId id, FlowEvent event) {
    ++events_;
    if (event == (told_.acknowledged ? FlowEvent::acknowledged : FlowEvent::delivered)) free_.push_back(id);
    listener_.happened(id, event, now_);
  }

  const Wiring& wiring_;
  FlowListener& listener_;
  const Told told_;
  std::string name_ = "shmemu";
  sg::Engine engine_;
  std::vector<sg::Host*> hosts_;
  std::vector<Record> flows_;
  std::vector<FlowId> free_;
  std::map<Key, std::vector<FlowId>> waiting_;
  Time now_;
  uint64_t events_ = 0;
};

}  // namespace
}  // namespace shmemu

extern "C" shmemu::Engine* shmemu_make_simgrid_engine(const shmemu::Wiring& wiring, shmemu::FlowListener& listener,
                                                      shmemu::Told told) {
  if (simgrid::s4u::Engine::is_initialized())
    throw shmemu::UserError(shmemu::ExitCode::usage, "SimGrid allows one engine per process; run one after the other");
  return new shmemu::SimgridEngine(wiring, listener, told);
}
