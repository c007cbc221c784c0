#include "transports/router.hpp"

#include <fmt/format.h>

#include "base/errors.hpp"

namespace shmemu {

Router::Router(EventQueue& queue, const Platform& platform, int gpus, std::function<GpuId(PeId)> gpu_of,
               Random* adverse)
    : platform_(platform),
      gpu_of_(gpu_of),
      links_(queue, 3 * gpus + gpus * platform.gpu.sms),
      self_(queue, platform.gpu, links_, 2 * gpus, 3 * gpus, gpu_of),
      p2p_(queue, platform.gpu, links_, 3 * gpus, std::move(gpu_of)) {
  if (!adverse) return;
  adverse_self_ = std::make_unique<AdverseDelivery>(queue, self_, *adverse);
  adverse_p2p_ = std::make_unique<AdverseDelivery>(queue, p2p_, *adverse);
}

bool Router::load_store(PeId from, PeId to) const {
  return from == to || platform_.same_nvlink_domain(gpu_of_(from), gpu_of_(to));
}

Transport& Router::route(PeId from, PeId to) {
  if (!load_store(from, to))
    throw UserError(ExitCode::program_failed,
                    fmt::format("PE {} cannot reach PE {}: GPU {} and GPU {} of platform '{}' share no NVLink domain and "
                                "the platform names no network",
                                from.value, to.value, gpu_of_(from).value, gpu_of_(to).value, platform_.name));
  if (from == to) return adverse_self_ ? static_cast<Transport&>(*adverse_self_) : self_;
  return adverse_p2p_ ? static_cast<Transport&>(*adverse_p2p_) : p2p_;
}

}  // namespace shmemu
