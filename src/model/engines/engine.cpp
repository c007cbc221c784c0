#include "model/engines/engine.hpp"

#include <dlfcn.h>

#include <filesystem>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "model/engines/ports.hpp"

namespace shmemu {
namespace {

// The module lies in lib/shmemu beside bin/shmemu; SimGrid is loaded by those alone who ask for it.
std::unique_ptr<Engine> make_simgrid(const Wiring& wiring, FlowListener& listener, Told told) {
  auto module =
      std::filesystem::canonical("/proc/self/exe").parent_path().parent_path() / "lib/shmemu/libshmemu_simgrid.so";
  auto fail = [&](const std::string& why) {
    throw UserError(ExitCode::usage,
                    fmt::format("engine simgrid: {}; build shmemu where libsimgrid-dev is installed, or "
                                "take --engine ports",
                                why));
  };
  if (!std::filesystem::exists(module)) fail(fmt::format("'{}' does not exist", module.string()));
  void* handle = dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) fail(dlerror());
  using Make = Engine*(const Wiring&, FlowListener&, Told);
  auto make = reinterpret_cast<Make*>(dlsym(handle, "shmemu_make_simgrid_engine"));
  if (!make) fail(dlerror());
  return std::unique_ptr<Engine>(make(wiring, listener, told));
}

}  // namespace

std::unique_ptr<Engine> make_engine(const Wiring& wiring, FlowListener& listener, const EngineOptions& o) {
  if (o.kind == "ports") return std::make_unique<FairPorts>(wiring, listener, o.told, o.chunk);
  if (o.kind == "fifo") return std::make_unique<FifoPorts>(wiring, listener, o.told);
  if (o.kind == "simgrid") return make_simgrid(wiring, listener, o.told);
  throw UserError(ExitCode::usage, fmt::format("unknown engine '{}'; known: ports, fifo, simgrid", o.kind));
}

}  // namespace shmemu
