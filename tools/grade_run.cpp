#include "grade_run.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cc_process.hpp"

namespace shmemu::tools {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::string read_all(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// Exit code; none when the child had to be killed.
std::optional<int> wait_for(pid_t child, double patience_seconds) {
  auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(patience_seconds);
  for (int status = 0;;) {
    if (waitpid(child, &status, WNOHANG) == child)
      return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (std::chrono::steady_clock::now() > end) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return std::nullopt;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

std::string place_of(const Json& location) {
  const Json& at = location.value("physicalLocation", Json::object());
  if (!at.contains("artifactLocation")) return "an unknown place";
  std::string file = fs::path(at["artifactLocation"]["uri"].get<std::string>()).filename().string();
  return at.contains("region") ? fmt::format("{}:{}", file, at["region"]["startLine"].get<int>()) : file;
}

std::vector<GradeFinding> findings_of(const fs::path& sarif) {
  std::vector<GradeFinding> found;
  Json document = Json::parse(read_all(sarif), nullptr, false);
  if (document.is_discarded()) return found;
  for (const Json& result : document["runs"][0]["results"])
    if (result["level"] == "error")
      found.push_back({result["ruleId"], result["message"]["text"],
                       result.contains("relatedLocations") ? place_of(result["relatedLocations"][0]) : "",
                       place_of(result["locations"][0])});
  return found;
}

}  // namespace

RunOutcome run_answer(const std::vector<std::string>& arguments, const fs::path& scratch, double patience_seconds) {
  const fs::path sarif = scratch / "findings.sarif", out = scratch / "out", err = scratch / "err";
  fs::remove(sarif);
  cc::Command command{
      {fs::canonical("/proc/self/exe").string(), "run", "--json", "--sarif", sarif.string()}, {}, err, out};
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  RunOutcome outcome;
  std::optional<int> code = wait_for(cc::start(command, false), patience_seconds);
  outcome.out_of_patience = !code;
  outcome.code = code.value_or(128 + SIGKILL);
  outcome.errors = read_all(err);
  outcome.findings = findings_of(sarif);

  std::string text = read_all(out);
  size_t report = text.starts_with("{\n") ? 0 : text.find("\n{\n");  // the report follows what the program printed
  if (report != std::string::npos) {
    Json json = Json::parse(text.substr(report), nullptr, false);
    if (!json.is_discarded() && json.contains("pe_results")) {
      outcome.virtual_time = Time{};
      for (const Json& pe : json["pe_results"])
        outcome.virtual_time = std::max(*outcome.virtual_time, Time::from_us(pe["virtual_us"].get<double>()));
      text.resize(report);
    }
  }
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (!line.empty()) outcome.printed.push_back(line);
  std::sort(outcome.printed.begin(), outcome.printed.end());
  return outcome;
}

}  // namespace shmemu::tools
