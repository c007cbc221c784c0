#include "emu/core/world.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "emu/api/init.hpp"
#include "emu/check/deadlock.hpp"
#include "emu/core/current.hpp"
#include "emu/cpu/faults.hpp"
#include "emu/cpu/libc.hpp"
#include "emu/cuda/runtime_state.hpp"
#include "shmemu/heap_range.h"

namespace shmemu::emu {
namespace {

// Fixed places in the 47-bit user address space, clear of the executable (0x55…), shared libraries (0x7f…), and
// AddressSanitizer's shadow (below 0x1001…) and allocator (0x60…-0x64…).
constexpr uint64_t kHeapBase = SHMEMU_HEAPS_BEGIN, kHeapSpan = SHMEMU_HEAPS_SPAN;
constexpr uint64_t kDeviceBase = 0x6800'0000'0000, kDeviceSpan = 1ull << 44;
constexpr uint64_t kDefaultHeap = 128ull << 30;  // NVSHMEM_MAX_MEMORY_PER_GPU
constexpr size_t kHostStack = 1 << 20, kThreadStack = 64 << 10;
// PEs of a real job do not start in the same instant; this order of start only breaks ties.
constexpr Time kStart{};

uint64_t heap_stride(int pes) { return std::bit_floor(std::min(kDefaultHeap, kHeapSpan / static_cast<uint64_t>(pes))); }

std::string chosen_platform(const RunOptions& o) {
  return o.platform.empty() ? default_platform(o.platform_folder, o.pes) : o.platform;
}

RunOptions checked(RunOptions o) {
  if (o.pes < 1 || o.pes > 16384)
    throw UserError(ExitCode::usage, fmt::format("-n {}: the number of PEs must be between 1 and 16384", o.pes));
  return o;
}

}  // namespace

World::World(RunOptions given)
    : options(checked(std::move(given))),
      platform(load_platform(options.platform_folder, chosen_platform(options))),
      placement(place(platform, options.pes, options.pes_per_node, true)),
      settings(read_settings([](const char* name) { return std::getenv(name); })),
      collective_settings(read_collective_settings([](const char* name) -> const char* { return std::getenv(name); })),
      scratch(options.pes, collective_settings),
      random(options.seed),
      heap(kHeapBase, heap_stride(options.pes), options.pes),
      device_memory(kDeviceBase,
                    std::bit_floor(
                        std::min(std::bit_ceil(platform.gpu.memory), kDeviceSpan / static_cast<uint64_t>(gpu_count()))),
                    gpu_count()),
      symbols(*this, options.program, options.include_folder),
      checker(options.check ? std::make_unique<checks::Checker>(*this) : nullptr),
      router(
          queue, platform, gpu_count(), [this](PeId pe) { return all_pes[static_cast<size_t>(pe.value)]->gpu; },
          options.adverse ? &random : nullptr, options.pes, settings),
      machine(queue, platform, router, memory_, gpu_count(),
              {.adverse = options.adverse,
               .random = &random,
               .observer = &report,
               .recorder = options.recorder,
               .namer = &symbols,
               .witness = checker.get()}),
      workers(kThreadStack),
      host_stacks_(kHostStack, static_cast<size_t>(options.pes)),
      image_(std::make_unique<Image>(options.program)) {
  if (options.timeline) report.open_timeline(*options.timeline);
  all_pes.reserve(static_cast<size_t>(options.pes));
  for (int i = 0; i < options.pes; ++i) {
    all_pes.push_back(std::make_unique<Pe>(*this, i));
    all_pes.back()->gpu = placement.gpu_of(PeId{i});
    all_pes.back()->shmem = new_shmem_state(heap, i, scratch, column_part() + 1);
    all_pes.back()->inbox.counter = reserve_inbox_counter(heap, i);
  }
}

World::~World() { g_current = {}; }

void World::throw_failure() {
  if (failure) throw *failure;
}

void World::run() {
  FaultHandler faults;
  for (auto& pe : all_pes) {
    pe->copy = image_->load(pe->id.value);
    pe->fiber = host_stacks_.take();
    pe->fiber->start([](void* p) { static_cast<Pe*>(p)->world.pe_main(*static_cast<Pe*>(p)); }, pe.get());
    machine.add_host(pe->host, *this, kStart);
  }
  try {
    machine.run();
  } catch (const UserError& e) {
    if (e.code() != ExitCode::deadlock) throw;
    explain_deadlock(*this);
    if (!astray) throw;
    std::string text = e.what();
    for (const std::string& write : astray->writes) text += "  sync.never: " + write + "\n";
    throw UserError(e.code(), text);
  }
}

// Scheduler → a PE's host thread, with the process-wide state of that PE in place.
void World::run(device::Host& host) {
  Pe& pe = *all_pes[static_cast<size_t>(host.pe.value)];
  Current outer = g_current;
  g_current = {.world = this, .pe = &pe, .actor = &host};
  enter_libc(pe.libc);
  pe.fiber->enter();
  leave_libc(pe.libc);
  g_current = outer;
  throw_failure();
  if (host.stop.kind == OpKind::exit) {
    report.pe_ended(pe.id, host.time + host.gap, host.exit_code);
    host_stacks_.give(pe.fiber);
  }
}

void World::pe_main(Pe& pe) {
  std::vector<std::string> words{options.program.string()};
  words.insert(words.end(), options.arguments.begin(), options.arguments.end());
  std::vector<char*> argv;
  for (auto& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  int argc = static_cast<int>(words.size());
  for (auto* constructor : pe.copy.constructors) constructor(argc, argv.data(), environ);
  try {
    end_program(pe.copy.main(argc, argv.data(), environ));
  } catch (const std::exception& e) {
    fail(ExitCode::program_failed, fmt::format("{}: uncaught exception in main: {}", who(), e.what()));
  } catch (...) {
    fail(ExitCode::program_failed, fmt::format("{}: uncaught exception in main", who()));
  }
}

}  // namespace shmemu::emu
