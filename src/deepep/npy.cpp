#include "deepep/npy.hpp"

#include <cstring>
#include <fstream>
#include <iterator>
#include <regex>

#include <fmt/format.h>

#include "base/errors.hpp"

namespace shmemu::deepep {
namespace {

[[noreturn]] void refuse_file(const std::filesystem::path& file, const std::string& what) {
  throw UserError(ExitCode::usage, fmt::format("{}: {}", file.string(), what));
}

template <class T>
void append(std::vector<int64_t>& out, const char* from, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, from + i * sizeof(T), sizeof value);
    out.push_back(static_cast<int64_t>(value));
  }
}

}  // namespace

Npy read_npy(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) refuse_file(file, "cannot be read");
  std::string all((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (all.size() < 10 || all.compare(0, 6, "\x93NUMPY") != 0)
    refuse_file(file, "does not begin as an .npy file (magic \\x93NUMPY)");
  auto byte = [&](size_t i) { return static_cast<uint64_t>(static_cast<unsigned char>(all[i])); };
  size_t start = all[6] == 1 ? 10 : 12;
  if (all.size() < start) refuse_file(file, "ends inside its header");
  uint64_t length = all[6] == 1 ? byte(8) | byte(9) << 8 : byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24;
  if (start + length > all.size())
    refuse_file(file, fmt::format("ends inside its header ({} of {} bytes)", all.size(), start + length));
  std::string header = all.substr(start, length);
  std::smatch found;
  if (!std::regex_search(header, found, std::regex("'descr'\\s*:\\s*'([^']+)'")))
    refuse_file(file, "has no 'descr' in its header");
  std::string type = found[1];
  if (std::regex_search(header, std::regex("'fortran_order'\\s*:\\s*True")))
    refuse_file(file, "is in Fortran order; save it with numpy.ascontiguousarray");
  if (!std::regex_search(header, found, std::regex("'shape'\\s*:\\s*\\(([^)]*)\\)")))
    refuse_file(file, "has no 'shape' in its header");
  Npy out;
  std::string shape = found[1];
  uint64_t count = 1;
  static const std::regex number("[0-9]+");
  for (auto it = std::sregex_iterator(shape.begin(), shape.end(), number); it != std::sregex_iterator(); ++it) {
    out.shape.push_back(std::stoull(it->str()));
    count *= out.shape.back();
  }
  uint64_t width = type.size() == 3 && (type[0] == '<' || type[0] == '|') ? static_cast<uint64_t>(type[2] - '0') : 0;
  bool whole = width && (type[1] == 'i' || type[1] == 'u') && (width == 1 || width == 2 || width == 4 || width == 8);
  if (!whole)
    refuse_file(file,
                fmt::format("holds '{}'; expert numbers must be whole and little endian (int16, int32, int64)", type));
  uint64_t have = all.size() - start - length;
  if (have != count * width)
    refuse_file(file, fmt::format("shape ({}) of {} needs {} bytes behind the header, {} are there", shape, type,
                                  count * width, have));
  const char* from = all.data() + start + length;
  bool is_signed = type[1] == 'i';
  out.values.reserve(count);
  if (width == 1) is_signed ? append<int8_t>(out.values, from, count) : append<uint8_t>(out.values, from, count);
  if (width == 2) is_signed ? append<int16_t>(out.values, from, count) : append<uint16_t>(out.values, from, count);
  if (width == 4) is_signed ? append<int32_t>(out.values, from, count) : append<uint32_t>(out.values, from, count);
  if (width == 8) is_signed ? append<int64_t>(out.values, from, count) : append<uint64_t>(out.values, from, count);
  return out;
}

}  // namespace shmemu::deepep
