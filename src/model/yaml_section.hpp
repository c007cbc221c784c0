// Reading of platform files: sections of `key: [value, unit, source]`, where every number has the unit it must have and
// says where it comes from, and keys nobody asked for are refused. Errors name file, line, key and remedy (UserError).
#pragma once
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include <yaml-cpp/yaml.h>

#include "base/time.hpp"
#include "model/collective_costs.hpp"

namespace shmemu {

// UserError(usage) if the file cannot be read or is no YAML.
YAML::Node load_yaml(const std::filesystem::path& file);
// UserError(usage) that starts with "file:line: ".
[[noreturn]] void refuse(const std::filesystem::path& file, const YAML::Node& at, const std::string& what);
// Refuses keys of the map `root` that are not in `known`.
void refuse_unknown(const YAML::Node& root, const std::filesystem::path& file,
                    std::initializer_list<const char*> known);

// `partial`: the file takes over another one (key `like`), so a section or key that is not there keeps its value.
class Section {
 public:
  Section(const YAML::Node& root, std::string section, std::filesystem::path file, std::vector<std::string>& guesses,
          bool partial = false);
  ~Section() noexcept(false);
  Section(const Section&) = delete;
  Section& operator=(const Section&) = delete;
  void allow(const char* key) { seen_.push_back(key); }  // is read elsewhere
  // Of a section of short operations; longer ones are a mistake of units.
  void refuse_times_above(double us) { longest_us_ = us; }
  void read(const char* key, Time& out) {
    if (auto us = number(key, "us", longest_us_)) out = Time::from_us(*us);
  }
  // Three keys: <key>_thread, <key>_warp, <key>_block.
  void read(const std::string& key, PerScope& out) {
    read((key + "_thread").c_str(), out.thread);
    read((key + "_warp").c_str(), out.warp);
    read((key + "_block").c_str(), out.block);
  }
  void read(const char* key, Rate& out, double most = 1e300) {
    if (auto rate = number(key, "GB/s", most)) out = Rate::gb_per_s(*rate);
  }
  void read(const char* key, uint64_t& out, const char* unit) {
    if (auto value = whole(key, unit)) out = *value;
  }
  void read(const char* key, int& out) {
    if (auto value = whole(key, "")) out = static_cast<int>(*value);
  }
  void read(const char* key, double& out, const char* unit, double most = 1e300) {
    if (auto value = number(key, unit, most)) out = *value;
  }

 private:
  std::optional<double> number(const char* key, const char* unit, double most = 1e300);
  std::optional<uint64_t> whole(const char* key, const char* unit);
  YAML::Node node_;
  std::string section_;
  std::filesystem::path file_;
  std::vector<std::string>& guesses_;
  std::vector<std::string> seen_;
  bool partial_, there_ = false;
  double longest_us_ = 1e300;
};

}  // namespace shmemu
