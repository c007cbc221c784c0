#include "emu/cpu/image.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include <fmt/format.h>

#include "base/errors.hpp"

namespace shmemu::emu {
namespace {

constexpr uint64_t kPage = 4096;

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& why) {
  throw UserError(ExitCode::usage, fmt::format("cannot run '{}': {}", file.string(), why));
}

// A debugger writes its breakpoints into the text that it sees at dlopen; that text must stay in place.
bool being_debugged() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("TracerPid:")) return std::stoi(line.substr(10)) != 0;
  return false;
}

}  // namespace

namespace {

const shmemu_kernel* kernel_in(const std::vector<const shmemu_module*>& list, std::string_view name,
                               const shmemu_module** module) {
  for (const shmemu_module* m : list)
    for (uint64_t i = 0; i < m->kernel_count; ++i)
      if (name == m->kernels[i].name) {
        if (module) *module = m;
        return &m->kernels[i];
      }
  return nullptr;
}

const shmemu_variable* variable_in(const std::vector<const shmemu_module*>& list, std::string_view name) {
  for (const shmemu_module* m : list)
    for (uint64_t i = 0; i < m->variable_count; ++i)
      if (name == m->variables[i].name) return &m->variables[i];
  return nullptr;
}

}  // namespace

const shmemu_kernel* Registry::find_kernel(const void* stub, const shmemu_module** module) const {
  auto at = kernels.find(stub);
  if (at == kernels.end()) return nullptr;
  auto unit = modules.find(at->second.unit);
  return unit == modules.end() ? nullptr : kernel_in(unit->second, at->second.name, module);
}

const shmemu_kernel* Registry::find_kernel_named(std::string_view name, const shmemu_module** module) const {
  for (auto& [unit, list] : modules)
    if (auto* kernel = kernel_in(list, name, module)) return kernel;
  return nullptr;
}

const shmemu_variable* Registry::find_variable(const void* shadow) const {
  auto at = variables.find(shadow);
  if (at == variables.end()) return nullptr;
  if (auto unit = modules.find(at->second.unit); unit != modules.end())
    if (auto* variable = variable_in(unit->second, at->second.name)) return variable;
  for (auto& [unit, list] : modules)  // an extern __device__ variable is defined in another unit
    if (auto* variable = variable_in(list, at->second.name)) return variable;
  return nullptr;
}

Image::Image(const std::filesystem::path& file) : file_(file), share_text_(!being_debugged()) {
  std::ifstream in(file, std::ios::binary);
  if (!in) refuse(file, "no such file, or it cannot be read");
  if (std::filesystem::is_directory(file)) refuse(file, "it is a folder");
  contents_.assign(std::istreambuf_iterator<char>(in), {});
  auto* header = reinterpret_cast<Elf64_Ehdr*>(contents_.data());
  const char* rebuild = "build it with `shmemu cc program.cu -o program`";
  if (contents_.size() < sizeof *header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
    refuse(file, fmt::format("it is not a program; {}", rebuild));
  if (header->e_machine != EM_X86_64 || header->e_type != ET_DYN)
    refuse(file, fmt::format("it is not a position-independent x86-64 program; {}", rebuild));
  if (header->e_phoff + uint64_t{header->e_phnum} * sizeof(Elf64_Phdr) > contents_.size())
    refuse(file, "its program headers lie outside the file: it is truncated or corrupt");
  auto* ph = reinterpret_cast<Elf64_Phdr*>(contents_.data() + header->e_phoff);
  for (int i = 0; i < header->e_phnum; ++i) {
    if (ph[i].p_type == PT_LOAD || ph[i].p_type == PT_DYNAMIC) {
      if (ph[i].p_offset + ph[i].p_filesz > contents_.size() || ph[i].p_filesz > ph[i].p_memsz)
        refuse(file, fmt::format("segment {} ends at byte {}, the file has {}: it is truncated or corrupt", i,
                                 ph[i].p_offset + ph[i].p_filesz, contents_.size()));
    }
    if (ph[i].p_type == PT_LOAD) span_ = std::max(span_, ph[i].p_vaddr + ph[i].p_memsz);
    if (ph[i].p_type != PT_DYNAMIC) continue;
    // constructors run later, when the PE exists; destructors when it ends
    for (auto* d = reinterpret_cast<Elf64_Dyn*>(contents_.data() + ph[i].p_offset); d->d_tag != DT_NULL; ++d) {
      if (d->d_tag == DT_INIT_ARRAY) init_array_ = d->d_un.d_ptr;
      if (d->d_tag == DT_INIT_ARRAYSZ) init_count_ = d->d_un.d_val / sizeof(void*);
      switch (d->d_tag) {
        case DT_INIT_ARRAY:
        case DT_INIT_ARRAYSZ:
        case DT_INIT:
        case DT_FINI:
        case DT_FINI_ARRAY:
        case DT_FINI_ARRAYSZ:
          d->d_tag = DT_DEBUG;
          break;
        default:
          break;
      }
    }
  }
  if (!span_) refuse(file, fmt::format("it has no segments to load; {}", rebuild));
  original_ = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  // one memory file per PE stays open: glibc takes equal path names for equal libraries
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
}

Image::~Image() {
  if (original_ >= 0) close(original_);
}

Image::Copy Image::load(int number) {
  Copy copy;
  copy.memory_file = memfd_create(fmt::format("pe{}:{}", number, file_.filename().string()).c_str(), MFD_CLOEXEC);
  if (copy.memory_file < 0)
    refuse(file_, fmt::format("no memory file for PE {}: {}; raise the limit on open files (ulimit -n)", number,
                              std::strerror(errno)));
  for (size_t done = 0; done < contents_.size();) {
    ssize_t n = write(copy.memory_file, contents_.data() + done, contents_.size() - done);
    if (n <= 0) refuse(file_, fmt::format("no space for the copy of PE {}: {}", number, std::strerror(errno)));
    done += static_cast<size_t>(n);
  }
  std::string path = fmt::format("/proc/{}/fd/{}", getpid(), copy.memory_file);
  copy.handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!copy.handle) {
    std::string error = dlerror();
    if (size_t at = error.find(path); at != std::string::npos) error.replace(at, path.size(), file_.string());
    if (error.find("__shmemu_register") != std::string::npos)
      refuse(file_, "it was compiled by another version of shmemu; compile it again with 'shmemu cc'");
    refuse(file_, error + "; a symbol may be missing from this version of shmemu, or the file is corrupt");
  }
  copy.base = static_cast<link_map*>(copy.handle)->l_addr;
  copy.main = reinterpret_cast<int (*)(int, char**, char**)>(dlsym(copy.handle, "main"));
  if (!copy.main) refuse(file_, "it has no main()");
  copy.reports_accesses = dlsym(copy.handle, "__shmemu_reports_accesses") != nullptr;
  if (share_text_) share_text(copy);
  auto* constructors = reinterpret_cast<void (**)(int, char**, char**)>(copy.base + init_array_);
  for (uint64_t i = 0; i < init_count_; ++i)
    if (constructors[i]) copy.constructors.push_back(constructors[i]);
  return copy;
}

// Read-only segments become mappings of the one original file, and leave the memory file.
void Image::share_text(const Copy& copy) {
  auto* header = reinterpret_cast<const Elf64_Ehdr*>(contents_.data());
  auto* ph = reinterpret_cast<const Elf64_Phdr*>(contents_.data() + header->e_phoff);
  for (int i = 0; i < header->e_phnum; ++i) {
    if (ph[i].p_type != PT_LOAD || (ph[i].p_flags & PF_W)) continue;
    uint64_t from = ph[i].p_vaddr / kPage * kPage, to = (ph[i].p_vaddr + ph[i].p_filesz + kPage - 1) / kPage * kPage;
    uint64_t offset = ph[i].p_offset / kPage * kPage;
    int protection = PROT_READ | ((ph[i].p_flags & PF_X) ? PROT_EXEC : 0);
    void* at = reinterpret_cast<void*>(copy.base + from);
    if (mmap(at, to - from, protection, MAP_PRIVATE | MAP_FIXED, original_, static_cast<off_t>(offset)) == MAP_FAILED)
      refuse(file_, fmt::format("cannot share its text: {}", std::strerror(errno)));
    uint64_t hole_end = (ph[i].p_offset + ph[i].p_filesz) / kPage * kPage;
    if (hole_end > offset)
      fallocate(copy.memory_file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                static_cast<off_t>(hole_end - offset));
  }
}

}  // namespace shmemu::emu
