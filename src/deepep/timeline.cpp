#include <algorithm>
#include <fstream>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/errors.hpp"
#include "deepep/report.hpp"
#include "report/perfetto.hpp"

namespace shmemu::deepep {
namespace {

// Okabe and Ito, as report/plot.
const std::map<std::string, std::string> kColours{
    {"notify", "#999999"},        {"dispatch", "#0072b2"}, {"combine", "#009e73"}, {"send", "#e69f00"},
    {"wait for data", "#56b4e9"}, {"forward", "#cc79a7"},  {"receive", "#d55e00"}};

std::string svg_timeline(const Spans& spans, const std::string& title) {
  constexpr int kRanks = 16, kLeft = 120, kWide = 860, kRow = 11, kTop = 46;
  Time from = Time::max(), to;
  std::set<int> ranks;
  for (const Span& s : spans) ranks.insert(s.rank);
  std::vector<int> shown;  // evenly over all of them
  std::vector<int> all(ranks.begin(), ranks.end());
  for (size_t i = 0; i < std::min<size_t>(kRanks, all.size()); ++i)
    shown.push_back(all[i * all.size() / std::min<size_t>(kRanks, all.size())]);
  for (const Span& s : spans) from = std::min(from, s.from), to = std::max(to, s.to);
  double scale = kWide / std::max(1.0, (to - from).us());
  int height = kTop + static_cast<int>(shown.size()) * (2 * kRow + 6) + 40;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" font-family=\"sans-serif\" "
      "font-size=\"11\">\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n<text x=\"10\" y=\"16\" font-size=\"13\">{2}</text>\n",
      kLeft + kWide + 20, height, title);
  int x = kLeft;
  for (const auto& [name, colour] : kColours) {
    if (std::none_of(spans.begin(), spans.end(), [&, n = name](const Span& s) { return s.name == n; })) continue;
    out += fmt::format(
        "<rect x=\"{}\" y=\"24\" width=\"12\" height=\"10\" fill=\"{}\"/><text x=\"{}\" y=\"33\">{}</text>\n", x,
        colour, x + 16, name);
    x += 30 + 8 * static_cast<int>(name.size());
  }
  for (size_t i = 0; i < shown.size(); ++i) {
    int y = kTop + static_cast<int>(i) * (2 * kRow + 6);
    out += fmt::format("<text x=\"10\" y=\"{}\">rank {}</text>\n", y + kRow + 3, shown[i]);
    for (const Span& s : spans) {
      if (s.rank != shown[i]) continue;
      auto colour = kColours.find(s.name);
      out += fmt::format(
          "<rect x=\"{:.2f}\" y=\"{}\" width=\"{:.2f}\" height=\"{}\" fill=\"{}\"><title>{}: {:.1f} "
          "us</title></rect>\n",
          kLeft + (s.from - from).us() * scale, s.track == "kernel" ? y : y + kRow,
          std::max(0.3, (s.to - s.from).us() * scale), kRow, colour == kColours.end() ? "#000000" : colour->second,
          s.name, (s.to - s.from).us());
    }
  }
  int axis = height - 28;
  out += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"black\"/>\n", kLeft, axis, kLeft + kWide,
                     axis);
  for (int i = 0; i <= 5; ++i)
    out += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{:.0f} us</text>\n", kLeft + kWide * i / 5,
                       axis + 16, (to - from).us() * i / 5);
  return out + "</svg>\n";
}

}  // namespace

void write_timeline(const Spans& spans, const std::filesystem::path& file, const std::string& title) {
  if (file.extension() == ".pftrace") {
    PerfettoWriter writer(file);
    for (const Span& s : spans) writer.add({s.rank, s.track, s.name, s.from, s.to, s.bytes, s.target, 0, false});
    return;
  }
  std::ofstream out(file);
  if (file.extension() == ".svg") {
    out << svg_timeline(spans, title);
  } else {
    for (const Span& s : spans)
      out << nlohmann::ordered_json{{"pe", s.rank},
                                    {"track", s.track},
                                    {"name", s.name},
                                    {"from_ps", s.from.ps},
                                    {"to_ps", s.to.ps}}
                 .dump()
          << "\n";
  }
  if (!out.flush()) throw UserError(ExitCode::usage, fmt::format("cannot write the timeline to '{}'", file.string()));
}

}  // namespace shmemu::deepep
