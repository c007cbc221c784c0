// Line plots as SVG: logarithmic axes, a legend at the right, panels one below the other. Colours of Okabe and Ito,
// which colour-blind readers can tell apart; every series has its own mark too.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace shmemu {

struct Series {
  std::string name;
  std::vector<std::pair<double, double>> points;  // above 0
};

struct Panel {
  std::string x_title, y_title;
  bool x_bytes = false;  // ticks at powers of 1024: "4 KiB"
  std::vector<Series> series;
  std::vector<std::pair<double, double>> crossings;  // drawn as rings
};

std::string svg_of(const std::string& title, const std::vector<Panel>& panels);

// Where the better of the series changes: on log-log straight lines between the common abscissas of each two of them.
std::vector<std::pair<double, double>> crossings_of(const std::vector<Series>& series);

}  // namespace shmemu
