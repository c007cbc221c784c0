// Turns call sites and addresses into names: source lines through addr2line, heap addresses through the allocation
// lists. Only asked when something is printed. Owner: the World.
#pragma once
#include <filesystem>
#include <map>
#include <string>

#include "device/machine.hpp"

namespace shmemu::emu {

class World;

// A line of the source; the file as the compiler was given it, empty when unknown.
struct SourceLine {
  std::string file;
  int line = 0;
};

class Symbols : public device::Namer {
 public:
  Symbols(const World& world, std::filesystem::path program, std::filesystem::path include_folder)
      : world_(world), program_(std::move(program)), include_folder_(std::move(include_folder)) {}
  std::string site(PeId pe, uint64_t site) const override;
  SourceLine line(uint64_t site) const;
  std::string address(PeId pe, uint64_t address) const override;

 private:
  struct Found {
    std::string text;
    SourceLine line;
  };
  Found look_up(uint64_t site) const;
  const Found& found(uint64_t site) const;
  const World& world_;
  std::filesystem::path program_, include_folder_;
  mutable std::map<uint64_t, Found> cache_;
};

}  // namespace shmemu::emu
