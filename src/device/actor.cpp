#include "device/actor.hpp"

#include <algorithm>

#include "base/errors.hpp"

namespace shmemu::device {

void Outstanding::remove(uint64_t number) {
  auto at = std::lower_bound(open_.begin(), open_.end(), number);
  SHMEMU_ASSERT(at != open_.end() && *at == number, std::to_string(number));
  open_.erase(at);
}

}  // namespace shmemu::device
