// Predictions beside measured collectives: a table of rows from a file of measurements (platforms/measurements/
// collectives_*.csv, which explain their columns), and per curve the median error, also of the rows that set no
// constant.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "predict/sweep.hpp"

namespace shmemu::predict {

struct MeasuredRow {
  std::string id, curve;
  Question question;  // of one row
  double window_us = 0, divisor = 1, measured_us = 0;
  bool fit = false;  // has set a constant
};
struct ComparedRow {
  MeasuredRow row;
  std::string algorithm;
  double predicted_us = 0;
  double error() const { return predicted_us / row.measured_us - 1; }
};

// UserError for files that are none.
std::vector<MeasuredRow> read_measured(const std::filesystem::path& file);
std::vector<ComparedRow> compare_with(const std::vector<MeasuredRow>& rows, const Platform& platform);
// One line per curve; with `all` one per row before it.
std::string table_of(const std::vector<ComparedRow>& rows, bool all);

}  // namespace shmemu::predict
