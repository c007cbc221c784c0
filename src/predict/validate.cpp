#include "predict/validate.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>

#include <fmt/format.h>

#include "base/csv.hpp"
#include "base/errors.hpp"
#include "base/statistics.hpp"

namespace shmemu::predict {
namespace {

constexpr size_t kFields = 16;

MeasuredRow row_of(const std::vector<std::string>& f, const std::string& where) {
  auto fail = [&](const std::string& what) { throw UserError(ExitCode::usage, fmt::format("{}: {}", where, what)); };
  if (f.size() != kFields) fail(fmt::format("{} fields, {} are wanted", f.size(), kFields));
  auto number = [&](size_t i) {
    char* end = nullptr;
    double v = std::strtod(f[i].c_str(), &end);
    if (f[i].empty() || *end) fail(fmt::format("field {}: '{}' is no number", i + 1, f[i]));
    return v;
  };
  MeasuredRow r;
  r.id = f[0], r.curve = f[1];
  Question& q = r.question;
  q.library = f[2];
  bool known = false;
  for (int c = 0; c <= static_cast<int>(Collective::reducescatter); ++c)
    if (name_of(static_cast<Collective>(c)) == f[3]) q.collective = static_cast<Collective>(c), known = true;
  if (!known) fail(fmt::format("'{}' is no collective", f[3]));
  q.algorithm = f[4];
  q.pes = {static_cast<int>(number(5))};
  q.on_stream = f[6] == "on_stream";
  q.scope = f[6] == "thread" ? Scope::thread : f[6] == "warp" ? Scope::warp : Scope::block;
  q.threads = static_cast<uint32_t>(number(7));
  q.nvls = number(8) != 0, q.graph = number(9) != 0;
  q.calls = static_cast<int>(number(10));
  r.window_us = number(11), r.divisor = number(12);
  q.bytes = {static_cast<uint64_t>(number(13))};
  r.measured_us = number(14);
  r.fit = number(15) != 0;
  return r;
}

std::string errors_of(const std::vector<ComparedRow>& rows, const std::string& curve, bool unfitted) {
  std::vector<double> errors;
  for (const ComparedRow& r : rows)
    if (r.row.curve == curve && (!unfitted || !r.row.fit)) errors.push_back(std::abs(r.error()) * 100);
  if (errors.empty()) return fmt::format("{:>6} {:>15}", 0, "-");
  double most = *std::max_element(errors.begin(), errors.end());
  return fmt::format("{:>6} {:>15}", errors.size(), fmt::format("{:.1f} / {:.1f}", median(errors), most));
}

}  // namespace

std::vector<MeasuredRow> read_measured(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) throw UserError(ExitCode::usage, fmt::format("cannot read '{}'", file.string()));
  std::vector<MeasuredRow> out;
  std::string line;
  std::map<std::string, std::string> variables;  // "# set NAME=VALUE": the environment of the rows below
  for (int number = 1; std::getline(in, line); ++number) {
    constexpr std::string_view kSet = "# set ";
    if (size_t at = line.find('='); line.starts_with(kSet) && at != std::string::npos)
      variables[line.substr(kSet.size(), at - kSet.size())] = line.substr(at + 1);
    if (line.empty() || line[0] == '#' || line.starts_with("id,")) continue;
    out.push_back(row_of(fields_of(line), fmt::format("{}:{}", file.string(), number)));
    out.back().question.settings = read_collective_settings([&](const char* name) {
      auto known = variables.find(name);
      return known == variables.end() ? nullptr : known->second.c_str();
    });
  }
  return out;
}

std::vector<ComparedRow> compare_with(const std::vector<MeasuredRow>& rows, const Platform& platform) {
  std::vector<ComparedRow> out;
  for (const MeasuredRow& m : rows) {
    ComparedRow c{m, "", 0};
    Question q = m.question;
    bool best = q.algorithm.ends_with("-best");  // the protocol that the tuner takes for this algorithm
    if (best) q.algorithm.resize(q.algorithm.size() - 5);
    Answer a = predict(q, platform, [](double) {});
    if (a.rows.empty()) throw UserError(ExitCode::usage, fmt::format("{}: {}", m.id, a.skipped.front().why));
    const Row* row = &a.rows.front();
    for (const Row& r : a.rows)
      if (best && r.tuner_us < row->tuner_us) row = &r;
    c.algorithm = row->algorithm + (row->protocol.empty() ? "" : "/" + row->protocol);
    c.predicted_us = (row->first_pe.us() * q.calls + m.window_us) / m.divisor;
    out.push_back(std::move(c));
  }
  return out;
}

std::string table_of(const std::vector<ComparedRow>& rows, bool all) {
  std::string out =
      fmt::format("{:<42}{:>6} {:>15} {:>6} {:>15}\n", "curve", "rows", "median/max %", "unfit", "median/max %");
  std::vector<std::string> curves;
  for (const ComparedRow& r : rows)
    if (std::find(curves.begin(), curves.end(), r.row.curve) == curves.end()) curves.push_back(r.row.curve);
  for (const std::string& curve : curves) {
    out += fmt::format("{:<42}{} {}\n", curve, errors_of(rows, curve, false), errors_of(rows, curve, true));
    if (!all) continue;
    for (const ComparedRow& r : rows)
      if (r.row.curve == curve)
        out += fmt::format("    {:<9}{:>12} B {:>16.3f} measured {:>16.3f} {:<22} {:+.1f} %{}\n", r.row.id,
                           r.row.question.bytes.front(), r.row.measured_us, r.predicted_us, r.algorithm,
                           r.error() * 100, r.row.fit ? " (fit)" : "");
  }
  return out;
}

}  // namespace shmemu::predict
