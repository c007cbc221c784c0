#include "ranges.hpp"

#include <cstdlib>

#include <fmt/format.h>

#include "base/errors.hpp"

namespace shmemu::tools {
namespace {

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts{""};
  for (char c : text)
    if (c == at) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  return parts;
}

}  // namespace

std::vector<uint64_t> read_range(const std::string& option, const std::string& text, uint64_t factor) {
  auto fail = [&]() -> uint64_t {
    throw UserError(
        ExitCode::usage,
        fmt::format("{}: '{}' is no list of numbers; write 8, or 2,4,8, or 8:1024, or 128:1G:4", option, text));
  };
  auto number = [&](const std::string& word) -> uint64_t {
    char* end = nullptr;
    double value = std::strtod(word.c_str(), &end);
    int shift = *end == 'k' || *end == 'K' ? 10 : *end == 'M' || *end == 'm' ? 20 : *end == 'G' || *end == 'g' ? 30 : 0;
    if (shift) ++end;
    if (word.empty() || *end || !(value >= 1) || value > 1e12) return fail();
    return static_cast<uint64_t>(value * static_cast<double>(1ull << shift));
  };
  std::vector<uint64_t> out;
  for (const std::string& piece : split(text, ',')) {
    std::vector<std::string> ends = split(piece, ':');
    if (ends.size() == 1) {
      out.push_back(number(piece));
      continue;
    }
    uint64_t by = ends.size() == 3 ? number(ends[2]) : factor, last = number(ends[1]);
    if (ends.size() > 3 || by < 2) fail();
    for (uint64_t v = number(ends[0]); v <= last; v *= by) out.push_back(v);
  }
  if (out.empty()) fail();
  return out;
}

}  // namespace shmemu::tools
