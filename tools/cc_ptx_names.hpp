// nvcc lets inline PTX name a special register as "%laneid"; clang insists on "%%laneid" and stops with an error.
//
// When that error shows up, the files it names are copied with the percent signs doubled, and clang is told by an
// overlay to read the copies under the original names. Files without the error are never touched.
#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace shmemu::tools::cc {

class PtxNameOverlay {
 public:
  /// Copies and the overlay description go to `folder`.
  explicit PtxNameOverlay(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Takes the files that clang's messages complain about; false when there is no new one.
  bool take_files_from(const std::string& messages);

  /// The overlay description for -ivfsoverlay; empty when no file needed a copy.
  const std::filesystem::path& description() const { return description_; }

 private:
  void write_description();

  std::filesystem::path folder_, description_;
  std::set<std::filesystem::path> files_;
};

/// The text with every single "%" in front of a special register's name doubled.
std::string double_register_percents(const std::string& text);

}  // namespace shmemu::tools::cc
