#include "emu/cpu/faults.hpp"

#include <execinfo.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <vector>

#include <fmt/format.h>

#include "emu/core/current.hpp"
#include "emu/core/world.hpp"

namespace shmemu::emu {
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr size_t kAlternateStack = 256 << 10;

std::vector<char>& alternate_stack() {
  static std::vector<char> stack(kAlternateStack);
  return stack;
}

// The innermost frame inside the program.
uint64_t faulting_site(const ucontext_t* context) {
  auto at = reinterpret_cast<void*>(context->uc_mcontext.gregs[REG_RIP]);
  if (uint64_t site = site_of(at)) return site + 1;  // not a return address
  void* frames[64];
  int n = backtrace(frames, 64);
  for (int i = 0; i < n; ++i)
    if (uint64_t site = site_of(frames[i])) return site;
  return 0;
}

std::string meaning(int signal, const siginfo_t* info) {
  auto address = reinterpret_cast<uint64_t>(info->si_addr);
  switch (signal) {
    case SIGFPE:
      return "integer division by zero or overflow";
    case SIGILL:
      return "illegal instruction";
    case SIGABRT:
      return "the program called abort()";
    default:
      break;
  }
  World& world = *g_current.world;
  if (address < 4096) {
    std::string text = fmt::format("access through a null pointer (address {:#x})", address);
    const auto& refused = g_current.pe->shmem.refused;
    if (!refused) return text;
    return fmt::format("plat.unreachable: {}; nvshmem_ptr gave one for PE {} ({}): {}; use put and get there", text,
                       refused->target.value, describe_site(refused->site),
                       world.router.why_no_load_store(g_current.pe->id, refused->target));
  }
  if (world.in_stack_guard(address))
    return fmt::format("the {} has overrun its stack; use less local memory or recursion",
                       on_device() ? "thread" : "host thread");
  if (!world.heap.contains(address) && !world.device_memory.contains(address))
    return fmt::format("access to address {:#x}, which belongs to no allocation", address);
  return fmt::format("illegal address {:#x}: {}", address, world.symbols.address(g_current.pe->id, address));
}

void on_fault(int signal, siginfo_t* info, void* context) {
  for (int s : kSignals) ::signal(s, SIG_DFL);
  if (!g_current.pe) {
    raise(signal);
    return;
  }
  fflush(stdout);
  uint64_t site = faulting_site(static_cast<ucontext_t*>(context));
  std::string text = fmt::format("shmemu: {}: {} ({})\n", who(), meaning(signal, info), describe_site(site));
  [[maybe_unused]] ssize_t n = write(2, text.data(), text.size());
  syscall(SYS_exit_group, static_cast<int>(ExitCode::program_failed));
}

}  // namespace

FaultHandler::FaultHandler() {
  void* warm[1];
  backtrace(warm, 1);  // loads the unwinder now, not in the handler
  stack_t stack{.ss_sp = alternate_stack().data(), .ss_flags = 0, .ss_size = kAlternateStack};
  sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (int s : kSignals) sigaction(s, &action, nullptr);
}

FaultHandler::~FaultHandler() {
  for (int s : kSignals) ::signal(s, SIG_DFL);
}

}  // namespace shmemu::emu
