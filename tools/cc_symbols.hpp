// The link check: a program may leave symbols undefined only if the runtime provides them.
//
// Programs are linked as shared objects against a runtime that is not there yet, so the linker accepts any undefined
// symbol; a misspelt or missing function would show up only when the program is loaded. This reads the ELF file and
// names what nobody provides.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace shmemu::tools::cc {

/// Undefined, non-weak symbols of `program` that none of its libraries and not the runtime defines, as the source
/// spells them. `library_folders` are searched before the system's.
std::vector<std::string> missing_symbols(const std::filesystem::path& program,
                                         const std::vector<std::filesystem::path>& library_folders,
                                         const std::filesystem::path& runtime_symbols);

}  // namespace shmemu::tools::cc
