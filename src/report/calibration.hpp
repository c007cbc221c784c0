// Constants of a GPU's file out of the rows that nvshmem_probe prints on it. Each constant is arithmetic on one or two
// rows; what no such arithmetic gives is taken over from another GPU's file. Place: under `shmemu calibrate`.
#pragma once
#include <string>
#include <vector>

#include "report/validation.hpp"

namespace shmemu::validation {

struct Calibrated {
  std::string section, key;
  double value = 0;
  const char* unit = "us";
  std::string source;  // rows and arithmetic
};

// In the order of the file. `absent` gets what could not be computed because rows are missing, with their names.
std::vector<Calibrated> calibrate(const std::vector<Row>& rows, std::vector<std::string>& absent);
// A GPU's file; `like`: path of the file it takes the rest over from.
std::string gpu_file(const std::string& name, const std::string& like, const std::string& measured,
                     const std::vector<Calibrated>& constants);

}  // namespace shmemu::validation
