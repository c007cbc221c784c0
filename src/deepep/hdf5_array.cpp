#include "deepep/hdf5_array.hpp"

#include <hdf5.h>

#include <fmt/format.h>

#include "base/errors.hpp"

namespace shmemu::deepep {
namespace {

// An open object of the library and the function that closes it.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

}  // namespace

Npy read_hdf5(const std::filesystem::path& path, const std::string& name) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // errors are told by us, once
  auto refuse = [&](const std::string& why) {
    throw UserError(ExitCode::usage, fmt::format("{}: {}", path.string(), why));
  };
  Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (file < 0) refuse("not a whole HDF5 file, or it cannot be read");
  Handle set(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose);
  if (set < 0) refuse(fmt::format("no dataset '{}' (--column names another)", name));
  Handle type(H5Dget_type(set), H5Tclose);
  if (H5Tget_class(type) != H5T_INTEGER) refuse(fmt::format("dataset '{}' does not hold whole numbers", name));
  Handle space(H5Dget_space(set), H5Sclose);
  int dimensions = H5Sget_simple_extent_ndims(space);
  if (dimensions < 1) refuse(fmt::format("dataset '{}' has no dimensions", name));
  std::vector<hsize_t> shape(static_cast<size_t>(dimensions));
  H5Sget_simple_extent_dims(space, shape.data(), nullptr);
  Npy out;
  hsize_t all = 1;
  for (hsize_t n : shape) out.shape.push_back(n), all *= n;
  if (all > hsize_t{1} << 31) refuse(fmt::format("dataset '{}' has {} numbers; at most 2^31 are read", name, all));
  out.values.resize(all);
  if (all && H5Dread(set, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, out.values.data()) < 0)
    refuse(fmt::format("dataset '{}' cannot be read, the file is corrupt", name));
  return out;
}

}  // namespace shmemu::deepep
