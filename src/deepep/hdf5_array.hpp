// One dataset of whole numbers from an HDF5 file (h5py, a serving engine's log), whole and of any shape. A value.
#pragma once
#include <filesystem>
#include <string>

#include "deepep/npy.hpp"

namespace shmemu::deepep {

// UserError(usage) with file, dataset and reason.
Npy read_hdf5(const std::filesystem::path& file, const std::string& dataset);

}  // namespace shmemu::deepep
