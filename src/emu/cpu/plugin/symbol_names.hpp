// How device symbols are named in the x86-64 object.
//
// A __host__ __device__ function exists twice with one mangled name, so everything defined for the device gets the
// prefix "__dev_", and so do references to it from other translation units. Only names that the runtime or the C
// library provides stay as they are. Symbols that C++ keeps local to a file but clang made external (kernels and
// variables that the host refers to) get the unit's name behind them, so that two files do not collide.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/GlobalValue.h"

namespace shmemu::plugin {

constexpr const char* device_prefix = "__dev_";

/// Function attribute that marks a kernel and holds its CUDA (mangled) name.
constexpr const char* kernel_attribute = "shmemu-kernel";
/// Function attribute with the thread count of __launch_bounds__.
constexpr const char* bound_attribute = "shmemu-max-threads";
/// What follows the name of a function whose accesses are checked for peer memory (peer_accesses.cpp).
constexpr const char* checked_suffix = ".checked";
/// Named metadata that lists {variable, CUDA name} for the variable table.
constexpr const char* variables_metadata = "shmemu.variables";

/// The translation unit's identity, from SHMEMU_UNIT.
std::string unit_name();

/// The mangled name belongs to a `static` or to an anonymous namespace.
bool is_local_in_cxx(llvm::StringRef name);

/// The symbol of a device function or variable with this CUDA name.
std::string device_symbol(llvm::StringRef name);

/// A function of the C library or libm that device code may call under its own name.
bool is_libc_name(llvm::StringRef);

}  // namespace shmemu::plugin
