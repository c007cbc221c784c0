// Entry point of libshmemu_clang.so.
//
// clang is run three times per CUDA file and loads this plugin each time; SHMEMU_STAGE says for what:
//   retarget  device IR as clang's CUDA front end leaves it (NVPTX flavour) -> x86-64 IR, before any optimisation
//   lower     the optimised result -> code that the runtime can start, wait in and measure
//   host      host code: polls for loops that spin on volatile or atomic memory; one copy of managed variables
// Without the variable the plugin does nothing.
#include <cstdlib>

#include "llvm_compat.hpp"
#include "passes.hpp"

extern "C" __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "shmemu", "1", [](llvm::PassBuilder& builder) {
            using namespace shmemu::plugin;
            const char* variable = std::getenv("SHMEMU_STAGE");
            const llvm::StringRef stage = variable ? variable : "";
            if (stage == "retarget") run_first<RetargetPass>(builder);
            if (stage == "lower") run_first<LowerPass>(builder);
            if (stage == "host") {
              run_first<HostVariablesPass>(builder);
              run_last<HostPollsPass>(builder);
            }
          }};
}
