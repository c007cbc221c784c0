#include "report/findings.hpp"

#include <algorithm>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace shmemu {
namespace {

using Json = nlohmann::ordered_json;

std::string name_of_file(const std::string& path) { return std::filesystem::path(path).filename().string(); }

// One line per rule, for SARIF's list of rules.
const std::map<std::string, const char*> kRules = {
    {"sym.not-symmetric", "An argument that must be symmetric or registered is neither."},
    {"sym.peer-mapping", "An argument is another PE's mapped address, so it would be translated twice."},
    {"sym.asymmetric-alloc", "A collective allocation differs between PEs in size, order or presence."},
    {"sym.use-after-free", "An operation in flight still uses freed memory."},
    {"sym.uninitialised", "Bytes of the heap are read remotely before anyone wrote them."},
    {"order.missing-fence", "A flag may overtake the data it announces."},
    {"order.missing-quiet", "The effect of an operation is used before the operation is complete."},
    {"order.overlap", "Two unordered operations touch the same bytes."},
    {"order.local-race", "A local load, store, copy or memset is unordered with a remote operation."},
    {"order.scope", "The fence or quiet was issued by another thread than the one that knows of the operation."},
    {"order.source-reuse", "The source of a non-blocking operation changed before its completion."},
    {"sync.lost-wakeup", "A wait tests equality on a value that may move past it."},
    {"sync.never", "No operation that is still possible can satisfy the wait."},
    {"coll.mismatch", "Members disagree on the collective: kind, team, size, order."},
    {"coll.participation", "A member is missing in a collective, or a PE calls it that is no member."},
    {"team.invalid", "A team is built or used outside the rules."},
    {"launch.not-coresident", "Blocks wait for blocks that cannot be scheduled."},
    {"stream.false-dependency", "Two streams may share a hardware queue, so one blocks the other."},
    {"type.width", "The same object is accessed with different widths, types or operators."},
    {"plat.unsupported", "A call that releases of NVSHMEM refuse, on this path or everywhere."},
    {"perf.message-rate", "The number of messages bounds the time."},
    {"perf.issue-limited", "Too few blocks issue the transfers to fill the link."},
    {"perf.nic-imbalance", "One adapter carries much more than the others."},
    {"perf.algo-switch", "A collective takes much longer beyond the size where its algorithm changes."},
};

Json place_json(const FindingPlace& p) {
  return {{"file", p.file}, {"line", p.line}, {"who", p.who}, {"call", p.call}};
}

Json sarif_location(const FindingPlace& p, bool with_message) {
  Json location;
  if (!p.file.empty()) {
    location["physicalLocation"]["artifactLocation"]["uri"] = p.file;
    if (p.line > 0) location["physicalLocation"]["region"]["startLine"] = p.line;
  }
  if (with_message) location["message"]["text"] = fmt::format("{} ({})", p.call, p.who);
  return location;
}

}  // namespace

std::string FindingPlace::text() const {
  std::string at = file.empty() ? "an unknown place" : name_of_file(file) + (line > 0 ? fmt::format(":{}", line) : "");
  return fmt::format("{} at {} ({})", call, at, who);
}

size_t Findings::add(Finding f) {
  auto of = [](const FindingPlace& p) { return fmt::format("{}:{} {}", p.file, p.line, p.call); };
  std::string a = of(f.first), b = of(f.second);
  if (b < a) std::swap(a, b);  // which of the two comes first is luck
  std::string key = fmt::format("{}|{}|{}|{}", f.rule, f.note, a, b);
  auto [at, fresh] = by_key_.try_emplace(key, list_.size());
  if (!fresh) {
    count_again(at->second);
  } else if (allowed(f.rule, f.first) || allowed(f.rule, f.second)) {
    at->second = SIZE_MAX;
    ++suppressed_;
  } else {
    list_.push_back(std::move(f));
  }
  return at->second;
}

void Findings::count_again(size_t number) {
  if (number == SIZE_MAX)
    ++suppressed_;
  else
    ++list_[number].count;
}

uint64_t Findings::errors() const {
  return static_cast<uint64_t>(std::count_if(list_.begin(), list_.end(), [](const Finding& f) { return !f.note; }));
}

const std::vector<std::string>& Findings::lines_of(const std::string& file) {
  auto [at, fresh] = sources_.try_emplace(file);
  if (!fresh) return at->second;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) at->second.push_back(line);
  return at->second;
}

bool Findings::allowed(const std::string& rule, const FindingPlace& place) {
  if (place.file.empty() || place.line < 1) return false;
  const auto& lines = lines_of(place.file);
  for (int n : {place.line, place.line - 1}) {
    if (n < 1 || static_cast<size_t>(n) > lines.size()) continue;
    const std::string& line = lines[static_cast<size_t>(n) - 1];
    size_t at = line.find("shmemu: allow ");
    if (at != std::string::npos && line.find(rule, at) != std::string::npos) return true;
  }
  return false;
}

std::string Findings::text() const {
  std::string out;
  for (const Finding& f : list_) {
    out += fmt::format("{}: {}: {}{}\n", f.note ? "note" : "finding", f.rule, f.what,
                       f.count > 1 ? fmt::format(" ({} times)", f.count) : "");
    if (!f.second.who.empty())
      out += fmt::format("  first:  {}\n  second: {}\n", f.first.text(), f.second.text());
    else if (!f.first.who.empty())
      out += fmt::format("  at:     {}\n", f.first.text());
    if (!f.values.empty()) out += fmt::format("  where:  {}\n", f.values);
    out += fmt::format("  remedy: {}\n", f.remedy);
  }
  if (suppressed_) out += fmt::format("{} findings suppressed by comments in the source\n", suppressed_);
  return out;
}

Json Findings::json() const {
  Json out = Json::array();
  for (const Finding& f : list_)
    out.push_back({{"rule", f.rule},
                   {"level", f.note ? "note" : "error"},
                   {"what", f.what},
                   {"first", place_json(f.first)},
                   {"second", place_json(f.second)},
                   {"values", f.values},
                   {"remedy", f.remedy},
                   {"count", f.count}});
  return out;
}

std::string Findings::sarif(const std::string& program) const {
  Json rules = Json::array(), results = Json::array();
  for (auto& [id, text] : kRules) rules.push_back({{"id", id}, {"shortDescription", {{"text", text}}}});
  for (const Finding& f : list_) {
    Json result;
    result["ruleId"] = f.rule;
    result["level"] = f.note ? "note" : "error";
    result["message"]["text"] = fmt::format("{} ({}); {}", f.what, f.values, f.remedy);
    bool alone = f.second.who.empty();
    result["locations"] = Json::array({sarif_location(alone ? f.first : f.second, false)});
    if (!alone) result["relatedLocations"] = Json::array({sarif_location(f.first, true)});
    result["occurrenceCount"] = f.count;
    results.push_back(result);
  }
  Json run;
  run["tool"]["driver"] = {{"name", "shmemu"}, {"rules", rules}};
  run["properties"]["program"] = program;
  run["results"] = results;
  Json out;
  out["$schema"] = "https://json.schemastore.org/sarif-2.1.0.json";
  out["version"] = "2.1.0";
  out["runs"] = Json::array({run});
  return out.dump(2) + "\n";
}

}  // namespace shmemu
