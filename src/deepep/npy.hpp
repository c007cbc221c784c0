// NumPy's .npy files of whole numbers, as far as routings need them: versions 1 to 3, little endian, C order. A value.
#pragma once
#include <cstdint>
#include <filesystem>
#include <vector>

namespace shmemu::deepep {

struct Npy {
  std::vector<uint64_t> shape;
  std::vector<int64_t> values;
};

// UserError(usage) that says what is wrong with the file and where.
Npy read_npy(const std::filesystem::path& file);

}  // namespace shmemu::deepep
