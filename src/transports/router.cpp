#include "transports/router.hpp"

#include <fmt/format.h>

#include "base/errors.hpp"

namespace shmemu {
namespace {

// A call of the library; a native instruction on a peer's address stays one.
bool atomic(const Op& op) {
  return ((op.kind == OpKind::atomic || op.kind == OpKind::fetch) && !(op.flags & Op::kNative)) ||
         (op.kind == OpKind::signal && (op.signal_op == Op::kSignalAdd || op.function == Op::kLibrarySignal));
}

std::function<GpuId(PeId)> ports_of(std::function<GpuId(PeId)> gpu_of, Network::StandIn stand_in) {
  if (!stand_in) return gpu_of;
  return [gpu_of = std::move(gpu_of), stand_in = std::move(stand_in)](PeId pe) { return stand_in(gpu_of(pe)); };
}

}  // namespace

Router::Router(EventQueue& queue, const Platform& platform, int gpus, std::function<GpuId(PeId)> gpu_of,
               Random* adverse, int pes, NvshmemSettings settings, Network::StandIn stand_in)
    : platform_(platform),
      settings_(settings),
      pes_(pes ? pes : gpus),
      gpu_of_(gpu_of),
      links_(queue, 3 * gpus + gpus * platform.gpu.sms),
      self_(queue, platform.gpu, links_, 2 * gpus, 3 * gpus, ports_of(gpu_of, stand_in)),
      p2p_(queue, platform.gpu, links_, 3 * gpus, ports_of(gpu_of, stand_in)) {
  plain_[kSelf] = &self_;
  plain_[kP2p] = &p2p_;
  if (platform.nic) {
    network_ = std::make_unique<Network>(queue, platform, gpus, stand_in);
    if (settings_.ibgda) ibgda_ = std::make_unique<Ibgda>(queue, platform, *network_, settings_, pes_, gpu_of);
    if (settings_.remote != NvshmemSettings::Remote::none)
      proxy_ = std::make_unique<Proxy>(queue, platform, *network_, settings_.remote, gpu_of);
  }
  plain_[kIbgda] = ibgda_.get();
  plain_[kProxy] = proxy_.get();
  if (!adverse) return;
  for (size_t i = 0; i < kTransports; ++i)
    if (plain_[i]) adverse_[i] = std::make_unique<AdverseDelivery>(queue, *plain_[i], *adverse);
}

bool Router::load_store(PeId from, PeId to) const {
  return from == to || (!settings_.disable_p2p && platform_.same_nvlink_domain(gpu_of_(from), gpu_of_(to)));
}

std::string Router::why_no_load_store(PeId from, PeId to) const {
  GpuId a = gpu_of_(from), b = gpu_of_(to);
  if (settings_.disable_p2p)
    return fmt::format("NVSHMEM_DISABLE_P2P forbids load/store between GPU {} and GPU {} of '{}'", a.value, b.value,
                       platform_.name);
  return fmt::format("GPU {} and GPU {} of platform '{}' share no NVLink domain", a.value, b.value, platform_.name);
}

// "Load/store" is an equivalence, so comparing with PE 0 is enough.
bool Router::network_job() {
  if (network_job_) return *network_job_;
  bool found = false;
  for (int pe = 1; pe < pes_ && !found; ++pe) found = !load_store({0}, {pe});
  return *(network_job_ = found);
}

// In a job with network paths atomics go through the adapter even to neighbours: the GPU's and the adapter's are not
// atomic to each other (NVSHMEM 3.3.9: job_connectivity is that of the worst pair). The library's own signals go the
// same way, as words that are set (nvshmemi_signal_for_barrier).
bool Router::by_load_store(const Op& op) { return load_store(op.issuer, op.target) && !(atomic(op) && network_job()); }

Transport& Router::remote(PeId from, PeId to, bool from_host) {
  size_t index = ibgda_ && !from_host ? kIbgda : kProxy;
  if (plain_[index]) return wrapped(index);
  std::string why = platform_.nic ? fmt::format("NVSHMEM_REMOTE_TRANSPORT is none{}; take ibrc",
                                                from_host ? " and hosts cannot use IBGDA" : " and IBGDA is not enabled")
                                  : std::string("the platform names no network adapters ('nic')");
  throw UserError(ExitCode::program_failed, fmt::format("PE {} cannot reach PE {}: {} and {}", from.value, to.value,
                                                        why_no_load_store(from, to), why));
}

Transport& Router::route(PeId from, PeId to) {
  if (!load_store(from, to)) return remote(from, to, false);
  return wrapped(from == to ? kSelf : kP2p);
}

Transport& Router::route(const Transfer& t) {
  const Op& op = t.op();
  if (!by_load_store(op)) return remote(op.issuer, op.target, t.from_host);
  return wrapped(op.issuer == op.target ? kSelf : kP2p);
}

Ordering Router::order(PeId pe, OpKind kind) {
  Time stores = platform_.gpu.fence_system;
  Transport* network = ibgda_ ? static_cast<Transport*>(ibgda_.get()) : proxy_.get();
  if (!network_job() || !network) return {stores, true, {}};
  Ordering o = network->order(pe, kind);
  return {o.cost + stores, o.waits, o.least + stores};
}

std::optional<Ordering> Router::order_of_queue() {
  if (!network_job() || !ibgda_) return {};
  Ordering o = ibgda_->order_of_queue();
  return Ordering{o.cost + platform_.gpu.fence_system, o.waits, o.least};
}

std::vector<std::string> Router::explain() {
  std::vector<std::string> out;
  if (!network_job()) {
    out.push_back(pes_ == 1 ? "one PE: own memory only"
                            : "all PEs load and store each other's memory over NVLink: they share one NVLink domain");
    return out;
  }
  if (settings_.disable_p2p)
    out.push_back("no load/store between PEs: NVSHMEM_DISABLE_P2P is set");
  else if (platform_.nvlink_domain && *platform_.nvlink_domain > 1)
    out.push_back(fmt::format("load/store over NVLink inside domains of {} GPUs", *platform_.nvlink_domain));
  if (ibgda_)
    out.push_back(
        fmt::format("GPU threads drive the adapter ({}) between domains: NVSHMEM_IB_ENABLE_IBGDA is set; {} queue "
                    "pairs per PE, chosen by {} (NVSHMEM_IBGDA_NUM_RC_PER_PE, NVSHMEM_IBGDA_RC_MAP_BY)",
                    platform_.nic->name, settings_.queues_per_pe, name_of(settings_.map_by)));
  else if (proxy_)
    out.push_back(fmt::format(
        "a CPU proxy with {} drives the adapter ({}) between domains: {}; NVSHMEM_IB_ENABLE_IBGDA=1 "
        "lets GPU threads do it",
        name_of(settings_.remote), platform_.nic->name,
        settings_.remote == NvshmemSettings::Remote::ibrc ? "NVSHMEM's default" : "NVSHMEM_REMOTE_TRANSPORT"));
  if (proxy_ && settings_.remote != NvshmemSettings::Remote::ibrc)
    out.push_back(
        fmt::format("{} is modelled with the costs of ibrc; only its fence differs", name_of(settings_.remote)));
  if (!settings_.disable_p2p)
    out.push_back(
        "atomics and signals that add use the adapter also between NVLink neighbours: the job has network paths "
        "and the two kinds of atomics do not mix");
  return out;
}

uint64_t Router::adverse_delays() const {
  uint64_t sum = 0;
  for (auto& a : adverse_) sum += a ? a->delays() : 0;
  return sum;
}

}  // namespace shmemu
