#include "report/plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>

namespace shmemu {
namespace {

constexpr double kWidth = 900, kHeight = 380, kLeft = 80, kRight = 210, kTop = 20, kBottom = 60, kTitle = 40;
constexpr std::array<const char*, 8> kColours{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                              "#E69F00", "#56B4E9", "#000000", "#8C6D31"};

std::string escaped(const std::string& s) {
  std::string out;
  for (char c : s) out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

std::string number(double v) {
  if (v >= 1e6) return fmt::format("{:g}M", v / 1e6);
  if (v >= 1e4) return fmt::format("{:g}k", v / 1e3);
  return fmt::format("{:g}", v);
}

std::string bytes_tick(double v) {
  constexpr std::array<const char*, 5> units{"B", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  while (v >= 1024 && unit + 1 < units.size()) v /= 1024, ++unit;
  return fmt::format("{:g} {}", v, units[unit]);
}

// One logarithmic axis from the data's range to pixels.
struct Axis {
  double low, high, from, to;
  double at(double v) const {
    return from + (std::log(v) - std::log(low)) / (std::log(high) - std::log(low)) * (to - from);
  }
};

Axis axis(double least, double most, double base, double from, double to) {
  double low = std::pow(base, std::floor(std::log(least) / std::log(base) + 1e-9)),
         high = std::pow(base, std::ceil(std::log(most) / std::log(base) - 1e-9));
  if (low == high) high = low * base;
  return {low, high, from, to};
}

std::vector<double> ticks(const Axis& a, double base) {
  std::vector<double> out;
  for (double v = a.low; v <= a.high * 1.0001; v *= base) out.push_back(v);
  size_t step = (out.size() + 11) / 12;  // no more than a dozen labels
  std::vector<double> some;
  for (size_t i = 0; i < out.size(); i += step) some.push_back(out[i]);
  return some;
}

std::string mark(size_t which, double x, double y, const char* colour) {
  switch (which % 4) {
    case 0:
      return fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='3.2' fill='{}'/>\n", x, y, colour);
    case 1:
      return fmt::format("<rect x='{:.1f}' y='{:.1f}' width='6' height='6' fill='{}'/>\n", x - 3, y - 3, colour);
    case 2:
      return fmt::format("<path d='M{:.1f} {:.1f} l4 7 h-8 z' fill='{}'/>\n", x, y - 4, colour);
    default:
      return fmt::format("<path d='M{:.1f} {:.1f} l4 4 l-4 4 l-4 -4 z' fill='{}'/>\n", x, y - 4, colour);
  }
}

void draw(std::string& out, const Panel& panel, double top) {
  double x_least = 1e300, x_most = 0, y_least = 1e300, y_most = 0;
  for (const Series& s : panel.series)
    for (auto [x, y] : s.points) {
      x_least = std::min(x_least, x), x_most = std::max(x_most, x);
      y_least = std::min(y_least, y), y_most = std::max(y_most, y);
    }
  if (x_most == 0) return;
  double x_base = panel.x_bytes ? 4 : 2;
  Axis x = axis(x_least, x_most, x_base, kLeft, kWidth - kRight),
       y = axis(y_least, y_most, 10, top + kHeight - kBottom, top + kTop);
  for (double v : ticks(x, x_base))
    out += fmt::format(
        "<path d='M{0:.1f} {1:.1f} V{2:.1f}' class='grid'/><text x='{0:.1f}' y='{3:.1f}' "
        "text-anchor='middle'>{4}</text>\n",
        x.at(v), y.to, y.from, y.from + 16, panel.x_bytes ? bytes_tick(v) : number(v));
  for (double v : ticks(y, 10)) {
    out += fmt::format(
        "<path d='M{0:.1f} {1:.1f} H{2:.1f}' class='grid'/><text x='{3:.1f}' y='{4:.1f}' "
        "text-anchor='end'>{5}</text>\n",
        x.from, y.at(v), x.to, x.from - 6, y.at(v) + 4, number(v));
    for (double part : {2.0, 5.0})
      if (v * part < y.high) out += fmt::format("<path d='M{:.1f} {:.1f} h4' class='axis'/>\n", x.from, y.at(v * part));
  }
  out += fmt::format("<path d='M{0:.1f} {1:.1f} V{2:.1f} H{3:.1f}' class='axis'/>\n", x.from, y.to, y.from, x.to);
  out += fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='middle'>{}</text>\n", (x.from + x.to) / 2, y.from + 40,
                     escaped(panel.x_title));
  out += fmt::format("<text transform='translate({:.1f} {:.1f}) rotate(-90)' text-anchor='middle'>{}</text>\n", 18.0,
                     (y.from + y.to) / 2, escaped(panel.y_title));
  double legend = y.to + 10;
  for (size_t i = 0; i < panel.series.size(); ++i) {
    const Series& s = panel.series[i];
    const char* colour = kColours[i % kColours.size()];
    std::string line;
    for (auto [px, py] : s.points) line += fmt::format("{:.1f},{:.1f} ", x.at(px), y.at(py));
    out += fmt::format("<polyline points='{}' fill='none' stroke='{}' stroke-width='1.8'/>\n", line, colour);
    for (auto [px, py] : s.points) out += mark(i, x.at(px), y.at(py), colour);
    out += fmt::format("<path d='M{:.1f} {:.1f} h22' stroke='{}' stroke-width='1.8'/>\n", x.to + 16, legend, colour) +
           mark(i, x.to + 27, legend, colour);
    out += fmt::format("<text x='{:.1f}' y='{:.1f}'>{}</text>\n", x.to + 44, legend + 4, escaped(s.name));
    legend += 20;
  }
  for (auto [px, py] : panel.crossings)
    out += fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='8' fill='none' stroke='#444' stroke-width='1.2'/>\n",
                       x.at(px), y.at(py));
}

}  // namespace

std::string svg_of(const std::string& title, const std::vector<Panel>& panels) {
  double height = kTitle + kHeight * static_cast<double>(panels.size());
  std::string out = fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' width='{0}' height='{1}' viewBox='0 0 {0} {1}' font-family='sans-serif' "
      "font-size='12'>\n"
      "<style>.grid{{stroke:#ddd;fill:none}}.axis{{stroke:#333;fill:none}}</style>\n"
      "<rect width='100%' height='100%' fill='white'/>\n<text x='{2}' y='26' font-size='16'>{3}</text>\n",
      kWidth, height, kLeft, escaped(title));
  double top = kTitle;
  for (const Panel& p : panels) {
    draw(out, p, top);
    top += kHeight;
  }
  return out + "</svg>\n";
}

std::vector<std::pair<double, double>> crossings_of(const std::vector<Series>& all) {
  std::vector<std::pair<double, double>> out;
  auto best_but = [&](double x, size_t a, size_t b, double y) {
    for (size_t i = 0; i < all.size(); ++i)
      if (i != a && i != b)
        for (auto [px, py] : all[i].points)
          if (px == x && py < y) return false;
    return true;
  };
  for (size_t a = 0; a < all.size(); ++a)
    for (size_t b = a + 1; b < all.size(); ++b) {
      std::map<double, std::pair<double, double>> common;
      for (auto [x, y] : all[a].points)
        for (auto [x2, y2] : all[b].points)
          if (x == x2) common[x] = {y, y2};
      for (auto at = common.begin(); at != common.end() && std::next(at) != common.end(); ++at) {
        auto [x0, v0] = *at;
        auto [x1, v1] = *std::next(at);
        double d0 = std::log(v0.first / v0.second), d1 = std::log(v1.first / v1.second);
        if (d0 * d1 >= 0) continue;
        if (!best_but(x0, a, b, std::min(v0.first, v0.second))) continue;  // a third one is better anyway
        double part = d0 / (d0 - d1);
        out.emplace_back(std::exp(std::log(x0) + part * std::log(x1 / x0)),
                         std::exp(std::log(v0.first) + part * std::log(v1.first / v0.first)));
      }
    }
  return out;
}

}  // namespace shmemu
