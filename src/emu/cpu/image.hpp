// A program built by `shmemu cc`, loaded once per PE: private data, shared text. Every copy has its own host and device
// globals, constructors and registration tables.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "shmemu/abi.h"

namespace shmemu::emu {

// What the constructors of one copy have registered, by name.
struct Registry {
  std::map<std::string, std::vector<const shmemu_module*>> modules;  // by unit
  struct Stub {
    std::string unit, name;
  };
  std::map<const void*, Stub> kernels;    // host stub → device kernel
  std::map<const void*, Stub> variables;  // host shadow → device variable
  const shmemu_kernel* find_kernel(const void* stub, const shmemu_module** module) const;
  const shmemu_kernel* find_kernel_named(std::string_view name, const shmemu_module** module) const;
  const shmemu_variable* find_variable(const void* shadow) const;
};

class Image {
 public:
  // Reads and checks the file. UserError when it is missing or not a program of `shmemu cc`.
  explicit Image(const std::filesystem::path& file);
  ~Image();
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;

  struct Copy {
    uint64_t base = 0;
    int (*main)(int, char**, char**) = nullptr;
    std::vector<void (*)(int, char**, char**)> constructors;
    int memory_file = -1;
    void* handle = nullptr;
    bool reports_accesses = false;  // built by `cc --check`
  };
  // Maps one more copy; its constructors have not run yet.
  Copy load(int number);
  const std::filesystem::path& file() const { return file_; }
  uint64_t span() const { return span_; }  // bytes of address space of a copy

 private:
  void share_text(const Copy& copy);
  std::filesystem::path file_;
  bool share_text_;
  int original_ = -1;
  std::vector<char> contents_;  // with the constructor tags taken out
  uint64_t span_ = 0, init_array_ = 0, init_count_ = 0;
};

}  // namespace shmemu::emu
