// Virtual time as an integer number of picoseconds, and rates that turn bytes into it.
// Every clock, delay and event stamp of shmemu uses these types; `double` seconds appear only where a
// library asks for them. Values: copied freely, no identity.
#pragma once
#include <compare>
#include <cstdint>
#include <string>

namespace shmemu {

struct Time {
  int64_t ps = 0;

  constexpr auto operator<=>(const Time&) const = default;
  constexpr Time& operator+=(Time o) { return ps += o.ps, *this; }
  constexpr Time& operator-=(Time o) { return ps -= o.ps, *this; }
  friend constexpr Time operator+(Time a, Time b) { return {a.ps + b.ps}; }
  friend constexpr Time operator-(Time a, Time b) { return {a.ps - b.ps}; }
  friend constexpr Time operator*(Time a, int64_t n) { return {a.ps * n}; }
  friend constexpr Time operator/(Time a, int64_t n) { return {a.ps / n}; }

  static constexpr Time max() { return {INT64_MAX}; }
  static constexpr Time from_us(double us) { return {static_cast<int64_t>(us * 1e6 + (us < 0 ? -0.5 : 0.5))}; }
  static constexpr Time from_ns(double ns) { return {static_cast<int64_t>(ns * 1e3 + (ns < 0 ? -0.5 : 0.5))}; }
  constexpr double us() const { return static_cast<double>(ps) * 1e-6; }
  constexpr double ns() const { return static_cast<double>(ps) * 1e-3; }
  constexpr double seconds() const { return static_cast<double>(ps) * 1e-12; }
};

constexpr Time operator""_ps(unsigned long long v) { return {static_cast<int64_t>(v)}; }
constexpr Time operator""_ns(unsigned long long v) { return {static_cast<int64_t>(v) * 1000}; }
constexpr Time operator""_us(unsigned long long v) { return {static_cast<int64_t>(v) * 1000000}; }
constexpr Time operator""_us(long double v) { return Time::from_us(static_cast<double>(v)); }
constexpr Time operator""_ns(long double v) { return Time::from_ns(static_cast<double>(v)); }

// Bytes per second. `time_for` rounds up so that a transfer is never faster than its link.
struct Rate {
  double bytes_per_second = 0;
  static constexpr Rate gb_per_s(double gb) { return {gb * 1e9}; }
  constexpr Time time_for(uint64_t bytes) const {
    double ps = static_cast<double>(bytes) / bytes_per_second * 1e12;
    auto whole = static_cast<int64_t>(ps);
    return {whole + (static_cast<double>(whole) < ps ? 1 : 0)};
  }
};

// "12.345 µs" with a unit that fits, for people.
std::string to_text(Time t);
// "4 KiB", "1.5 MiB", "100 B".
std::string bytes_to_text(uint64_t bytes);

}  // namespace shmemu
