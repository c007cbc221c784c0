#include "transports/op.hpp"

#include <array>

namespace shmemu {

std::string_view name_of(OpKind kind) {
  static constexpr std::array<std::string_view, static_cast<size_t>(OpKind::count_)> kNames = {
      "none",     "put",   "p",    "iput",   "put_signal", "signal", "atomic", "get",   "g",          "iget",
      "fetch",    "wait",  "test", "wait_set", "poll",     "order",  "fence",  "quiet", "clock",      "sleep",
      "grid_sync", "warp", "barrier", "arrive", "exit",    "launch", "copy",   "fill",  "stream_wait", "host_work"};
  return kNames[static_cast<size_t>(kind)];
}

bool is_posted(OpKind kind) { return kind >= OpKind::put && kind <= OpKind::atomic; }

}  // namespace shmemu
