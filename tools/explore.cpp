#include "explore.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <regex>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/errors.hpp"
#include "grade_run.hpp"

namespace shmemu::tools {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr double kPatienceSeconds = 3600;

// What the program printed, without lines that hold a time or a rate: those differ between schedules by right.
Words result_of(const RunOutcome& run) {
  static const std::regex measured(
      R"(\d\s*(ns|us|µs|ms|s|sec|seconds|[KMGT]i?B/s|GFLOPS|[MG]?flop/s)\b|[Tt]ime|[Bb]andwidth)");
  Words lines;
  for (const std::string& line : run.printed)
    if (!std::regex_search(line, measured)) lines.push_back(line);
  return lines;
}

// "5 lines differ: -first, +first".
std::string difference(const Words& a, const Words& b) {
  Words gone, come;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(gone));
  std::set_difference(b.begin(), b.end(), a.begin(), a.end(), std::back_inserter(come));
  std::string text;
  if (!gone.empty()) text += fmt::format("\n    - {}", gone.front());
  if (!come.empty()) text += fmt::format("\n    + {}", come.front());
  if (gone.size() + come.size() > 2) text += fmt::format("\n    … {} lines differ", std::max(gone.size(), come.size()));
  return text;
}

std::string first_line(const std::string& text) {
  size_t at = text.find("shmemu: ");
  return at == std::string::npos ? "" : text.substr(at + 8, text.find('\n', at) - at - 8);
}

struct Kind {
  std::vector<uint64_t> seeds;
  std::string example;  // of the smallest seed
  void add(uint64_t seed, const std::string& text) {
    if (seeds.empty()) example = text;
    seeds.push_back(seed);
  }
};

class Explorer {
 public:
  explicit Explorer(const Exploration& what) : what_(what) {
    scratch_ = fs::temp_directory_path() / fmt::format("shmemu-explore-{}", getpid());
    fs::create_directories(scratch_);
  }
  ~Explorer() {
    std::error_code ignored;
    fs::remove_all(scratch_, ignored);
  }
  Explorer(const Explorer&) = delete;
  Explorer& operator=(const Explorer&) = delete;

  void run() {
    observed_ = run_answer(words({}), scratch_, kPatienceSeconds);
    expected_ = result_of(observed_);
    for (const GradeFinding& f : observed_.findings) known_.insert(key(f));
    bool usual = observed_.code == 0 || observed_.code == static_cast<int>(ExitCode::findings);
    for (uint64_t seed = what_.first_seed; seed < what_.first_seed + static_cast<uint64_t>(what_.schedules); ++seed) {
      RunOutcome run = run_answer(words(schedule(seed)), scratch_, kPatienceSeconds);
      for (const GradeFinding& f : run.findings)
        if (run.code != static_cast<int>(ExitCode::deadlock) && known_.insert(key(f)).second)
          findings_.add(seed, fmt::format("\n    {}: {}\n    {} and {}", f.rule, f.text, f.first, f.second));
      if (run.code == static_cast<int>(ExitCode::deadlock))
        hangs_.add(seed, "\n    " + first_line(run.errors));
      else if (run.code != observed_.code && !(usual && run.code == static_cast<int>(ExitCode::findings)))
        results_.add(seed, fmt::format("\n    exit code {} instead of {}: {}", run.code, observed_.code,
                                       first_line(run.errors)));
      else if (Words lines = result_of(run); lines != expected_)
        results_.add(seed, difference(expected_, lines));
      if (isatty(STDERR_FILENO)) fmt::print(stderr, "\rseed {} of {}", seed, what_.schedules);
    }
    if (isatty(STDERR_FILENO)) fmt::print(stderr, "\r\033[K");
  }

  std::string text() const {
    std::string out =
        fmt::format("as observed: exit code {}, {} lines printed, {} finding{}\n", observed_.code,
                    observed_.printed.size(), observed_.findings.size(), observed_.findings.size() == 1 ? "" : "s");
    for (const GradeFinding& f : observed_.findings)
      out += fmt::format("    {}: {}\n    {} and {}\n", f.rule, f.text, f.first, f.second);
    out += fmt::format("{} adverse schedules, seeds {} to {}:\n", what_.schedules, what_.first_seed,
                       what_.first_seed + static_cast<uint64_t>(what_.schedules) - 1);
    for (auto& [name, kind] : kinds()) {
      if (kind->seeds.empty()) {
        out += fmt::format("  {}: none\n", name);
        continue;
      }
      out += fmt::format("  {}: {} of {}, the smallest seed is {}{}\n    again: {}\n", name, kind->seeds.size(),
                         what_.schedules, kind->seeds.front(), kind->example, again(kind->seeds.front()));
    }
    return out;
  }

  std::string json() const {
    nlohmann::ordered_json out;
    out["version"] = 1;
    out["observed"] = {{"exit_code", observed_.code}, {"findings", nlohmann::ordered_json::array()}};
    for (const GradeFinding& f : observed_.findings)
      out["observed"]["findings"].push_back(
          {{"rule", f.rule}, {"text", f.text}, {"first", f.first}, {"second", f.second}});
    out["schedules"] = what_.schedules;
    for (auto& [name, kind] : kinds())
      out[name] = {{"seeds", kind->seeds},
                   {"again", kind->seeds.empty() ? "" : again(kind->seeds.front())},
                   {"example", kind->example}};
    return out.dump(2) + "\n";
  }

  void end() const {
    if (observed_.code == static_cast<int>(ExitCode::deadlock) || !hangs_.seeds.empty())
      throw UserError(ExitCode::deadlock, "the program hangs under at least one schedule");
    if (!observed_.findings.empty() || !findings_.seeds.empty() || !results_.seeds.empty())
      throw UserError(ExitCode::findings, "the program depends on the schedule, or breaks a rule");
    if (observed_.code)
      throw UserError(ExitCode::program_failed, fmt::format("the program ends with exit code {}", observed_.code));
  }

 private:
  static std::string key(const GradeFinding& f) { return f.rule + f.first + f.second; }
  static Words schedule(uint64_t seed) { return {"--delivery", "adverse", "--seed", std::to_string(seed)}; }
  Words words(const Words& more) const {
    Words all = what_.options;
    all.insert(all.end(), more.begin(), more.end());
    all.insert(all.end(), what_.program.begin(), what_.program.end());
    return all;
  }
  std::string again(uint64_t seed) const {
    return fmt::format("shmemu run --check {}", fmt::join(words(schedule(seed)), " "));
  }
  std::vector<std::pair<const char*, const Kind*>> kinds() const {
    return {{"different result", &results_}, {"hang", &hangs_}, {"finding not seen before", &findings_}};
  }

  const Exploration& what_;
  fs::path scratch_;
  RunOutcome observed_;
  Words expected_;
  std::set<std::string> known_;
  Kind results_, hangs_, findings_;
};

}  // namespace

void explore(const Exploration& what) {
  Explorer explorer(what);
  explorer.run();
  fmt::print("{}", what.json ? explorer.json() : explorer.text());
  std::fflush(stdout);
  explorer.end();
}

}  // namespace shmemu::tools
