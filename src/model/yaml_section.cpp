#include "model/yaml_section.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/errors.hpp"

namespace shmemu {

namespace fs = std::filesystem;

YAML::Node load_yaml(const fs::path& file) {
  try {
    return YAML::LoadFile(file.string());
  } catch (const YAML::BadFile&) {
    throw UserError(ExitCode::usage, fmt::format("cannot read '{}'", file.string()));
  } catch (const YAML::Exception& e) {
    throw UserError(ExitCode::usage, fmt::format("{}:{}: no YAML: {}; look at brackets, colons and indentation there",
                                                 file.string(), e.mark.line + 1, e.msg));
  }
}

void refuse(const fs::path& file, const YAML::Node& at, const std::string& what) {
  throw UserError(ExitCode::usage, fmt::format("{}:{}: {}", file.string(), at.Mark().line + 1, what));
}

void refuse_unknown(const YAML::Node& root, const fs::path& file, std::initializer_list<const char*> known) {
  if (!root.IsMap()) refuse(file, root, "a map of keys is expected, as in 'name: …'");
  std::vector<std::string> seen;
  for (const auto& item : root) {
    auto key = item.first.as<std::string>();
    if (std::none_of(known.begin(), known.end(), [&](const char* k) { return key == k; }))
      refuse(file, item.first, fmt::format("unknown key '{}'; known: {}", key, fmt::join(known, ", ")));
    if (std::count(seen.begin(), seen.end(), key))
      refuse(file, item.first, fmt::format("key '{}' is there twice", key));
    seen.push_back(key);
  }
}

Section::Section(const YAML::Node& root, std::string section, fs::path file, std::vector<std::string>& guesses,
                 bool partial)
    : section_(std::move(section)), file_(std::move(file)), guesses_(guesses), partial_(partial) {
  there_ = root[section_].IsDefined();
  if (!there_ && partial) return;
  if (!there_)
    refuse(file_, root,
           fmt::format("section '{}' is missing; write it, or take over a file with 'like: FILE'", section_));
  node_ = root[section_];
  if (!node_.IsMap()) refuse(file_, node_, fmt::format("section '{}' must be a map of keys", section_));
}

Section::~Section() noexcept(false) {
  if (std::uncaught_exceptions() || !there_) return;
  std::vector<std::string> found;
  for (const auto& item : node_) {
    auto key = item.first.as<std::string>();
    if (!std::count(seen_.begin(), seen_.end(), key))
      refuse(file_, item.first,
             fmt::format("unknown key '{}' in section '{}'; known: {}", key, section_, fmt::join(seen_, ", ")));
    if (std::count(found.begin(), found.end(), key))
      refuse(file_, item.first, fmt::format("'{}.{}' is there twice", section_, key));
    found.push_back(key);
  }
}

std::optional<double> Section::number(const char* key, const char* unit, double most) {
  seen_.push_back(key);
  std::string name = fmt::format("'{}.{}'", section_, key);
  if (partial_ && (!there_ || !node_[key])) return {};
  YAML::Node n = node_[key];
  if (!n)
    refuse(file_, node_,
           fmt::format("{} is missing; write {}: [value, {}, \"source\"]", name, key, *unit ? unit : "\"\""));
  bool scalars = n.IsSequence() && n.size() == 3 && n[0].IsScalar() && n[1].IsScalar() && n[2].IsScalar();
  if (!scalars) refuse(file_, n, fmt::format("{} must be [value, unit, source]", name));
  if (n[1].as<std::string>() != unit)
    refuse(file_, n, fmt::format("{} has unit '{}', expected '{}'", name, n[1].as<std::string>(), unit));
  auto source = n[2].as<std::string>();
  if (source.empty())
    refuse(file_, n, fmt::format("{} names no source; write where it comes from, or \"guess: why\"", name));
  if (source.starts_with("guess")) guesses_.push_back(fmt::format("{}.{}: {}", section_, key, source));
  double value;
  if (!YAML::convert<double>::decode(n[0], value) || !std::isfinite(value))
    refuse(
        file_, n,
        fmt::format("{} is '{}', which is no number; units have a place of their own", name, n[0].as<std::string>("")));
  if (!(value > 0)) refuse(file_, n, fmt::format("{} is {}, must be above 0", name, value));
  if (value > most)
    refuse(file_, n, fmt::format("{} is {} {}, more than {}; was another unit meant?", name, value, unit, most));
  return value;
}

std::optional<uint64_t> Section::whole(const char* key, const char* unit) {
  auto value = number(key, unit, 1e18);
  if (value && *value != std::floor(*value))
    refuse(file_, node_[key], fmt::format("'{}.{}' is {}, must be a whole number", section_, key, *value));
  return value ? std::optional(static_cast<uint64_t>(*value)) : std::nullopt;
}

}  // namespace shmemu
