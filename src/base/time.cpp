#include "base/time.hpp"

#include <fmt/format.h>

namespace shmemu {

std::string to_text(Time t) {
  double ps = static_cast<double>(t.ps);
  if (t.ps < 1000 && t.ps > -1000) return fmt::format("{} ps", t.ps);
  if (t.ps < 1000000) return fmt::format("{:.3f} ns", ps * 1e-3);
  if (t.ps < 10'000'000'000) return fmt::format("{:.3f} µs", ps * 1e-6);
  if (t.ps < 10'000'000'000'000) return fmt::format("{:.3f} ms", ps * 1e-9);
  return fmt::format("{:.3f} s", ps * 1e-12);
}

std::string bytes_to_text(uint64_t bytes) {
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  double v = static_cast<double>(bytes);
  int unit = 0;
  while (v >= 1024 && unit < 5) v /= 1024, ++unit;
  return v == static_cast<double>(static_cast<uint64_t>(v)) ? fmt::format("{:.0f} {}", v, kUnits[unit])
                                                            : fmt::format("{:.1f} {}", v, kUnits[unit]);
}

}  // namespace shmemu
