#include "traces/column_file.hpp"

#include <hdf5.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <utility>

#include <fmt/format.h>

#include "base/errors.hpp"

namespace shmemu::traces {
namespace {

static_assert(sizeof(hid_t) == sizeof(int64_t));

// The innermost reason on HDF5's error stack.
std::string reason() {
  std::string text;
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned n, const H5E_error2_t* e, void* out) -> herr_t {
        if (n == 0 && e->desc) *static_cast<std::string*>(out) = e->desc;
        return 0;
      },
      &text);
  H5Eclear2(H5E_DEFAULT);
  return text.empty() ? "no reason given" : text;
}

// Errors are told by us, once; the library would print them.
void be_silent() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

hid_t file_type(ColumnFile::Type type) {
  switch (type) {
    case ColumnFile::Type::u8:
      return H5T_STD_U8LE;
    case ColumnFile::Type::u32:
      return H5T_STD_U32LE;
    case ColumnFile::Type::i32:
      return H5T_STD_I32LE;
    case ColumnFile::Type::u64:
      return H5T_STD_U64LE;
    case ColumnFile::Type::i64:
      return H5T_STD_I64LE;
  }
  return -1;
}

bool is_signed(ColumnFile::Type type) { return type == ColumnFile::Type::i32 || type == ColumnFile::Type::i64; }

hid_t text_type() {
  hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

}  // namespace

void ColumnFile::fail(const std::string& what) const {
  throw UserError(ExitCode::usage, fmt::format("{}: {}: {}", path_.string(), what, reason()));
}

ColumnFile::Id ColumnFile::check(Id id, const std::string& what) const {
  if (id < 0) fail(what);
  return id;
}

ColumnFile ColumnFile::create(const std::filesystem::path& path) {
  be_silent();
  ColumnFile f(path);
  f.writes_ = true;
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);  // whose indices and headers have checksums too
  f.file_ = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
  H5Pclose(access);
  f.check(f.file_, "cannot be written");
  return f;
}

ColumnFile ColumnFile::open(const std::filesystem::path& path) {
  be_silent();
  ColumnFile f(path);
  f.file_ = f.check(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT),
                    "not a whole HDF5 file; it may be truncated, or its writer may have been stopped");
  return f;
}

ColumnFile::ColumnFile(ColumnFile&& other) noexcept
    : path_(std::move(other.path_)),
      file_(std::exchange(other.file_, -1)),
      writes_(other.writes_),
      columns_(std::move(other.columns_)) {
  other.columns_.clear();
}

ColumnFile::~ColumnFile() {
  for (Column& c : columns_)
    if (c.set >= 0) H5Dclose(c.set);
  if (file_ >= 0) H5Fclose(file_);
}

void ColumnFile::close() {
  for (Column& c : columns_)
    if (H5Dclose(std::exchange(c.set, -1)) < 0) fail(fmt::format("column '{}' cannot be written", c.name));
  columns_.clear();
  if (H5Fclose(std::exchange(file_, -1)) < 0) fail("cannot be written");
}

bool ColumnFile::is_one(const std::filesystem::path& path) {
  char begin[8] = {};
  std::ifstream(path, std::ios::binary).read(begin, sizeof begin);
  return std::memcmp(begin, "\x89HDF\r\n\x1a\n", sizeof begin) == 0;
}

void ColumnFile::set(const std::string& name, uint64_t value) {
  hid_t space = H5Screate(H5S_SCALAR);
  hid_t a = H5Acreate2(file_, name.c_str(), H5T_STD_U64LE, space, H5P_DEFAULT, H5P_DEFAULT);
  bool good = a >= 0 && H5Awrite(a, H5T_NATIVE_UINT64, &value) >= 0;
  if (a >= 0) H5Aclose(a);
  H5Sclose(space);
  if (!good) fail(fmt::format("attribute '{}' cannot be written", name));
}

void ColumnFile::set(const std::string& name, const std::string& value) {
  hid_t space = H5Screate(H5S_SCALAR), type = text_type();
  hid_t a = H5Acreate2(file_, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT);
  const char* text = value.c_str();
  bool good = a >= 0 && H5Awrite(a, type, &text) >= 0;
  if (a >= 0) H5Aclose(a);
  H5Tclose(type), H5Sclose(space);
  if (!good) fail(fmt::format("attribute '{}' cannot be written", name));
}

bool ColumnFile::has(const std::string& name) const { return H5Aexists(file_, name.c_str()) > 0; }

uint64_t ColumnFile::number(const std::string& name) const {
  hid_t a = check(H5Aopen(file_, name.c_str(), H5P_DEFAULT), fmt::format("no attribute '{}'", name));
  uint64_t value = 0;
  bool good = H5Aread(a, H5T_NATIVE_UINT64, &value) >= 0;
  H5Aclose(a);
  if (!good) fail(fmt::format("attribute '{}' is no number", name));
  return value;
}

std::string ColumnFile::text(const std::string& name) const {
  hid_t a = check(H5Aopen(file_, name.c_str(), H5P_DEFAULT), fmt::format("no attribute '{}'", name));
  hid_t type = text_type();
  char* value = nullptr;
  bool good = H5Aread(a, type, &value) >= 0 && value;
  std::string text = good ? value : "";
  if (value) H5free_memory(value);
  H5Tclose(type), H5Aclose(a);
  if (!good) fail(fmt::format("attribute '{}' is no text", name));
  return text;
}

int ColumnFile::column(const std::string& name, Type type) {
  Column c;
  c.name = name;
  c.memory = is_signed(type) ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64;
  if (writes_) {
    hsize_t none = 0, most = H5S_UNLIMITED, chunk = kChunk;
    hid_t space = H5Screate_simple(1, &none, &most), how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(how, 1, &chunk);
    H5Pset_shuffle(how), H5Pset_deflate(how, 1), H5Pset_fletcher32(how);
    c.set = H5Dcreate2(file_, name.c_str(), file_type(type), space, H5P_DEFAULT, how, H5P_DEFAULT);
    H5Pclose(how), H5Sclose(space);
    check(c.set, fmt::format("column '{}' cannot be made", name));
  } else {
    c.set = check(H5Dopen2(file_, name.c_str(), H5P_DEFAULT), fmt::format("no column '{}'", name));
    hid_t space = H5Dget_space(c.set);
    hsize_t rows = 0;
    bool flat = H5Sget_simple_extent_ndims(space) == 1 && H5Sget_simple_extent_dims(space, &rows, nullptr) == 1;
    H5Sclose(space);
    c.rows = rows;
    if (!flat) {
      H5Dclose(c.set);
      fail(fmt::format("column '{}' has more than one dimension", name));
    }
  }
  columns_.push_back(std::move(c));
  return static_cast<int>(columns_.size()) - 1;
}

uint64_t ColumnFile::rows(int column) const { return columns_[static_cast<size_t>(column)].rows; }

void ColumnFile::grow(Column& c, uint64_t by) {
  hsize_t rows = c.rows + by;
  if (H5Dset_extent(c.set, &rows) < 0) fail(fmt::format("column '{}' cannot grow to {} rows", c.name, rows));
  c.rows = rows;
}

void ColumnFile::transfer(const Column& c, uint64_t first, uint64_t count, const void* from, void* to) const {
  if (!count) return;
  hsize_t start = first, n = count;
  hid_t space = H5Dget_space(c.set), memory = H5Screate_simple(1, &n, nullptr);
  bool good = H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, nullptr, &n, nullptr) >= 0;
  if (good)
    good = (from ? H5Dwrite(c.set, c.memory, memory, space, H5P_DEFAULT, from)
                 : H5Dread(c.set, c.memory, memory, space, H5P_DEFAULT, to)) >= 0;
  H5Sclose(memory), H5Sclose(space);
  if (!good)
    fail(fmt::format("column '{}', rows {} to {}: cannot be {}", c.name, first, first + count - 1,
                     from ? "written" : "read, the file is corrupt"));
}

void ColumnFile::append(int column, const std::vector<uint64_t>& values) {
  Column& c = columns_[static_cast<size_t>(column)];
  uint64_t first = c.rows;
  grow(c, values.size());
  if (std::any_of(values.begin(), values.end(), [](uint64_t v) { return v != 0; }))  // else the fill value says it
    transfer(c, first, values.size(), values.data(), nullptr);
}

void ColumnFile::read(int column, uint64_t first, uint64_t count, uint64_t* out) const {
  transfer(columns_[static_cast<size_t>(column)], first, count, nullptr, out);
}

}  // namespace shmemu::traces
