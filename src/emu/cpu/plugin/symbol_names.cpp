#include "symbol_names.hpp"

#include <cstdlib>

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/xxhash.h"
#include "passes.hpp"

using namespace llvm;

namespace shmemu::plugin {
namespace {

bool keeps_name(const GlobalValue& value) {
  const StringRef name = value.getName();
  if (name.starts_with("llvm.")) return true;
  if (!value.isDeclaration()) return false;
  return name.starts_with("__shmemu_") || name.starts_with("nvshmem") || name.starts_with("__nv_") ||
         name.starts_with("__cxa_") || name == "__dso_handle" || name.starts_with("__start_") || is_libc_name(name);
}

/// Builds the set from a base name list, with the float ("f") variants of libm functions.
StringSet<> build_libc_names() {
  StringSet<> names;
  for (const char* name : {"memcpy", "memmove", "memset", "memcmp", "memchr", "strlen", "strcmp", "strncmp", "strcpy",
                           "strncpy", "strcat", "strchr", "abort", "abs", "labs", "llabs", "qsort", "bsearch"})
    names.insert(name);
  for (const char* name :
       {"acos",   "acosh",   "asin",   "asinh",     "atan",      "atan2", "atanh",     "cbrt",   "ceil",   "copysign",
        "cos",    "cosh",    "erf",    "erfc",      "exp",       "exp10", "exp2",      "expm1",  "fabs",   "fdim",
        "floor",  "fma",     "fmax",   "fmin",      "fmod",      "frexp", "hypot",     "ilogb",  "j0",     "j1",
        "jn",     "ldexp",   "lgamma", "llrint",    "llround",   "log",   "log10",     "log1p",  "log2",   "logb",
        "lrint",  "lround",  "modf",   "nearbyint", "nextafter", "pow",   "remainder", "remquo", "rint",   "round",
        "scalbn", "scalbln", "sin",    "sincos",    "sinh",      "sqrt",  "tan",       "tanh",   "tgamma", "trunc",
        "y0",     "y1",      "yn",     "nan"}) {
    names.insert(name);
    names.insert(std::string(name) + "f");
  }
  return names;
}

}  // namespace

std::string unit_name() {
  const char* unit = std::getenv("SHMEMU_UNIT");
  return unit ? unit : "unnamed";
}

bool is_local_in_cxx(StringRef name) { return name.starts_with("_ZL") || name.contains("_GLOBAL__N_"); }

std::string device_symbol(StringRef name) {
  const std::string symbol = device_prefix + name.str();
  return is_local_in_cxx(name) ? symbol + ".u" + utohexstr(xxh3_64bits(unit_name()), /*LowerCase=*/true) : symbol;
}

bool is_libc_name(StringRef name) {
  static const StringSet<> names = build_libc_names();
  return names.contains(name);
}

void rename_symbols(Module& module) {
  for (GlobalValue& value : module.global_values()) {
    if (value.hasLocalLinkage() || value.getName().empty()) continue;
    value.setDSOLocal(value.hasHiddenVisibility());
    if (keeps_name(value)) continue;
    value.setName(device_symbol(value.getName()));
    if (auto* object = dyn_cast<GlobalObject>(&value); object && object->hasComdat()) {
      Comdat* comdat = module.getOrInsertComdat(object->getName());
      comdat->setSelectionKind(object->getComdat()->getSelectionKind());
      object->setComdat(comdat);
    }
  }
}

}  // namespace shmemu::plugin
