#include "cc_ptx_names.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <string_view>

namespace shmemu::tools::cc {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view clang_message = ": error: invalid % escape in inline assembly string";

constexpr std::array<std::string_view, 25> registers = {"tid",
                                                        "ntid",
                                                        "ctaid",
                                                        "nctaid",
                                                        "laneid",
                                                        "warpid",
                                                        "nwarpid",
                                                        "warpsize",
                                                        "smid",
                                                        "nsmid",
                                                        "gridid",
                                                        "clock",
                                                        "clock64",
                                                        "clock_hi",
                                                        "globaltimer",
                                                        "lanemask_eq",
                                                        "lanemask_lt",
                                                        "lanemask_le",
                                                        "lanemask_gt",
                                                        "lanemask_ge",
                                                        "clusterid",
                                                        "nclusterid",
                                                        "dynamic_smem_size",
                                                        "total_smem_size",
                                                        "is_explicit_cluster"};
constexpr std::array<std::string_view, 5> families = {"cluster_", "globaltimer_", "envreg", "pm", "reserved_smem_"};

bool is_name_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

bool is_register(std::string_view name) {
  return std::find(registers.begin(), registers.end(), name) != registers.end() ||
         std::any_of(families.begin(), families.end(), [&](std::string_view f) { return name.starts_with(f); });
}

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string json_string(const std::string& text) {
  std::string result = "\"";
  for (char c : text) result += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return result + "\"";
}

}  // namespace

std::string double_register_percents(const std::string& text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    result += text[i];
    if (text[i] != '%' || (i > 0 && text[i - 1] == '%')) continue;
    size_t end = i + 1;
    while (end < text.size() && is_name_char(text[end])) ++end;
    if (is_register(std::string_view(text).substr(i + 1, end - i - 1))) result += '%';
  }
  return result;
}

bool PtxNameOverlay::take_files_from(const std::string& messages) {
  bool found = false;
  std::istringstream lines(messages);
  for (std::string line; std::getline(lines, line);) {
    const size_t message = line.find(clang_message);
    if (message == std::string::npos) continue;
    const size_t column = line.rfind(':', message - 1);
    const size_t row = column == std::string::npos ? column : line.rfind(':', column - 1);
    if (row == std::string::npos) continue;
    found |= files_.insert(fs::absolute(line.substr(0, row)).lexically_normal()).second;
  }
  if (found) write_description();
  return found;
}

void PtxNameOverlay::write_description() {
  std::string entries;
  int number = 0;
  for (const fs::path& file : files_) {
    const fs::path copy = folder_ / ("overlay." + std::to_string(number++) + file.extension().string());
    std::ofstream(copy, std::ios::binary) << double_register_percents(read(file));
    entries += (entries.empty() ? "" : ",\n") + std::string("  {\"type\": \"file\", \"name\": ") +
               json_string(file.string()) + ", \"external-contents\": " + json_string(copy.string()) + "}";
  }
  description_ = folder_ / "overlay.yaml";
  std::ofstream(description_)
      << "{\"version\": 0, \"case-sensitive\": \"true\", \"use-external-names\": \"false\", \"roots\": [\n"
      << entries << "\n]}\n";
}

}  // namespace shmemu::tools::cc
