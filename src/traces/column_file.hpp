// A file of columns in HDF5: whole-number datasets that grow, and attributes. Only
// column_file.cpp knows that it is HDF5. Every chunk is compressed and carries a checksum; a chunk of zeros
// takes no room. One owner, one thread.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace shmemu::traces {

class ColumnFile {
 public:
  enum class Type : uint8_t { u8, u32, i32, u64, i64 };
  static constexpr uint64_t kChunk = 1 << 16;  // rows
  static ColumnFile create(const std::filesystem::path& file);
  static ColumnFile open(const std::filesystem::path& file);
  ColumnFile(ColumnFile&& other) noexcept;
  ~ColumnFile();
  // Whether the file begins as HDF5 does.
  static bool is_one(const std::filesystem::path& file);

  void set(const std::string& name, uint64_t value);
  void set(const std::string& name, const std::string& value);
  bool has(const std::string& name) const;
  uint64_t number(const std::string& name) const;
  std::string text(const std::string& name) const;

  // Creates or opens a column; the answer names it in the calls below.
  int column(const std::string& name, Type type);
  uint64_t rows(int column) const;
  // Signed values travel as their bits.
  void append(int column, const std::vector<uint64_t>& values);
  void read(int column, uint64_t first, uint64_t count, uint64_t* out) const;

  void close();  // UserError if the last bytes cannot be written

 private:
  using Id = int64_t;
  struct Column {
    std::string name;
    Id set = -1, memory = -1;
    uint64_t rows = 0;
  };
  explicit ColumnFile(std::filesystem::path file) : path_(std::move(file)) {}
  [[noreturn]] void fail(const std::string& what) const;
  Id check(Id id, const std::string& what) const;
  void grow(Column& column, uint64_t by);
  void transfer(const Column& column, uint64_t first, uint64_t count, const void* from, void* to) const;
  std::filesystem::path path_;
  Id file_ = -1;
  bool writes_ = false;
  std::vector<Column> columns_;
};

}  // namespace shmemu::traces
