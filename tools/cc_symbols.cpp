#include "cc_symbols.hpp"

#include <cxxabi.h>
#include <elf.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>

namespace shmemu::tools::cc {
namespace {

/// The dynamic symbols of a 64-bit little-endian ELF file.
class ElfFile {
 public:
  static std::optional<ElfFile> read(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream bytes;
    bytes << file.rdbuf();
    ElfFile elf(bytes.str());
    if (!file || !elf.find_sections()) return std::nullopt;
    return elf;
  }

  struct Symbol {
    std::string name;
    bool defined, weak, versioned;
  };

  std::vector<Symbol> symbols() const {
    std::vector<Symbol> result;
    if (!symbols_) return result;
    for (uint64_t i = 1; i < symbols_->sh_size / sizeof(Elf64_Sym); ++i) {
      const auto* symbol = at<Elf64_Sym>(symbols_->sh_offset + i * sizeof(Elf64_Sym));
      if (!symbol || ELF64_ST_BIND(symbol->st_info) == STB_LOCAL) continue;
      // 0 and 1 are "no version"; a symbol found in a versioned library has its version's number
      const auto* version = versions_ ? at<Elf64_Half>(versions_->sh_offset + i * sizeof(Elf64_Half)) : nullptr;
      result.push_back({text(symbol->st_name), symbol->st_shndx != SHN_UNDEF,
                        ELF64_ST_BIND(symbol->st_info) == STB_WEAK, version && (*version & 0x7fff) > 1});
    }
    return result;
  }

  std::vector<std::string> needed_libraries() const {
    std::vector<std::string> result;
    if (!dynamic_) return result;
    for (uint64_t i = 0; i < dynamic_->sh_size / sizeof(Elf64_Dyn); ++i) {
      const auto* entry = at<Elf64_Dyn>(dynamic_->sh_offset + i * sizeof(Elf64_Dyn));
      if (entry && entry->d_tag == DT_NEEDED) result.push_back(text(entry->d_un.d_val));
    }
    return result;
  }

 private:
  explicit ElfFile(std::string bytes) : bytes_(std::move(bytes)) {}

  template <class T>
  const T* at(uint64_t offset) const {
    return offset + sizeof(T) <= bytes_.size() ? reinterpret_cast<const T*>(bytes_.data() + offset) : nullptr;
  }

  std::string text(uint64_t offset) const {
    const uint64_t position = strings_->sh_offset + offset;
    return position < bytes_.size() ? std::string(bytes_.c_str() + position) : "";
  }

  bool find_sections() {
    const auto* header = at<Elf64_Ehdr>(0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64)
      return false;
    const auto section = [&](uint64_t index) { return at<Elf64_Shdr>(header->e_shoff + index * header->e_shentsize); };
    for (unsigned i = 0; i < header->e_shnum; ++i) {
      const Elf64_Shdr* found = section(i);
      if (!found) return false;
      if (found->sh_type == SHT_DYNSYM) {
        symbols_ = *found;
        if (const Elf64_Shdr* strings = section(found->sh_link)) strings_ = *strings;
      }
      if (found->sh_type == SHT_GNU_versym) versions_ = *found;
      if (found->sh_type == SHT_DYNAMIC) dynamic_ = *found;
    }
    return strings_.has_value();
  }

  std::string bytes_;
  std::optional<Elf64_Shdr> symbols_, strings_, versions_, dynamic_;
};

/// Names in the runtime's list. Without the list, the families of names that the runtime is there for are accepted.
class RuntimeNames {
 public:
  explicit RuntimeNames(const std::filesystem::path& list) {
    std::ifstream file(list);
    listed_ = file.is_open();
    for (std::string line; std::getline(file, line);) names_.insert(line);
  }

  bool contains(const std::string& name) const {
    if (listed_) return names_.contains(name);
    for (const char* prefix : {"__shmemu_", "nvshmem", "cuda", "__cuda", "__nv_", "nvml", "nvtx"})
      if (name.starts_with(prefix)) return true;
    return name.size() > 2 && name.starts_with("cu") && std::isupper(static_cast<unsigned char>(name[2]));
  }

 private:
  std::set<std::string> names_;
  bool listed_ = false;
};

std::optional<ElfFile> find_library(const std::string& name, const std::vector<std::filesystem::path>& folders) {
  for (const auto& folder : folders)
    if (std::optional<ElfFile> elf = ElfFile::read(folder / name)) return elf;
  for (const char* folder : {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64",
                             "/usr/local/lib", "/usr/lib", "/lib"})
    if (std::optional<ElfFile> elf = ElfFile::read(std::filesystem::path(folder) / name)) return elf;
  return std::nullopt;
}

/// "__dev__Z3fooi" -> "device foo(int)"
std::string as_written(std::string_view name) {
  const bool device = name.starts_with("__dev_");
  const std::string mangled(device ? name.substr(std::strlen("__dev_")) : name);
  if (!mangled.starts_with("_Z")) return (device ? "__device__ " : "") + mangled;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status),
                                                    std::free);
  return (device ? "__device__ " : "") + (status == 0 ? std::string(text.get()) : mangled);
}

}  // namespace

std::vector<std::string> missing_symbols(const std::filesystem::path& program,
                                         const std::vector<std::filesystem::path>& library_folders,
                                         const std::filesystem::path& runtime_symbols) {
  const std::optional<ElfFile> elf = ElfFile::read(program);
  if (!elf) return {};
  const RuntimeNames runtime(runtime_symbols);
  std::set<std::string> missing;
  for (const ElfFile::Symbol& symbol : elf->symbols())
    if (!symbol.defined && !symbol.weak && !symbol.versioned && !runtime.contains(symbol.name))
      missing.insert(symbol.name);
  if (missing.empty()) return {};
  for (const std::string& name : elf->needed_libraries()) {
    const std::optional<ElfFile> library = find_library(name, library_folders);
    if (!library) return {};  // cannot know what it defines
    for (const ElfFile::Symbol& symbol : library->symbols())
      if (symbol.defined) missing.erase(symbol.name);
  }
  std::vector<std::string> names;
  for (const std::string& name : missing) names.push_back(as_written(name));
  return names;
}

}  // namespace shmemu::tools::cc
