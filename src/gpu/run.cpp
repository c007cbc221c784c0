#include "gpu/run.hpp"

#include <getopt.h>
#include <sched.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "gpu/admission.hpp"
#include "gpu/recording_endpoint.hpp"
#include "model/placement.hpp"
#include "shmemu/abi.h"
#include "transports/router.hpp"

namespace shmemu::gpu {
namespace {

constexpr uint64_t kTraceHeap = 0x1100'0000'0000;  // where traces of the CPU executor have the heaps, too
constexpr size_t kHostStack = 1 << 20;
constexpr uint64_t kLogMemory = 64 << 20;                  // pinned host memory of all rings
constexpr uint32_t kUnread = 64;                           // records of a ring that nobody reads
constexpr int kRings = 8;                                  // per PE
constexpr uint64_t kSpareStreams = 3, kLeastStreams = 32;  // per PE, of the run
constexpr int kTeams = 64, kPredefined = 6, kMembers = 1 << 20;
constexpr unsigned kPortableMapped = 3;       // cudaHostAllocPortable | cudaHostAllocMapped
constexpr uint64_t kStep = 2 << 20;           // granularity of mappings
constexpr uint64_t kRegistered = 8ull << 30;  // of a PE's range, for registered buffers

uint64_t asked_heap() {
  const char* text = std::getenv("NVSHMEM_SYMMETRIC_SIZE");
  if (!text) return 1ull << 30;  // NVSHMEM's default
  char* end = nullptr;
  double n = std::strtod(text, &end);
  uint64_t unit = 1;
  if (*end == 'k' || *end == 'K') unit = 1ull << 10;
  if (*end == 'm' || *end == 'M') unit = 1ull << 20;
  if (*end == 'g' || *end == 'G') unit = 1ull << 30;
  return static_cast<uint64_t>(n * static_cast<double>(unit));
}

std::string chosen_platform(const RunOptions& o) {
  return o.platform.empty() ? default_platform(o.platform_folder, o.pes) : o.platform;
}

template <class T>
T* pinned(const CudaLibrary& cuda, size_t count) {
  void* p = nullptr;
  check(cuda, cuda.cudaHostAlloc(&p, count * sizeof(T), kPortableMapped), "cudaHostAlloc");
  std::memset(p, 0, count * sizeof(T));
  return static_cast<T*>(p);
}

}  // namespace

namespace {

// Of the GPU at hand: the longest name of a shipped GPU that is part of CUDA's name for it.
std::optional<GpuModel> gpu_model(const std::string& name, const std::filesystem::path& folder) {
  std::optional<GpuModel> best;
  std::vector<std::filesystem::path> files;
  for (auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (auto& file : files) {
    GpuModel g = load_platform(folder, file.stem().string()).gpu;
    if (name.find(g.name) != std::string::npos && (!best || g.name.size() > best->name.size())) best = g;
  }
  return best;
}

// Nothing says whether a kernel computes or moves memory: the worse of both ratios.
double slower_than(const GpuModel& modelled, const GpuModel& real) {
  return std::max(real.clock_ghz * real.sms / (modelled.clock_ghz * modelled.sms),
                  real.hbm.bytes_per_second / modelled.hbm.bytes_per_second);
}

}  // namespace

Current& current() {
  static thread_local Current now;  // the drain and CUDA have threads of their own
  return now;
}

GpuRun::GpuRun(RunOptions given)
    : options(std::move(given)),
      platform(load_platform(options.platform_folder, chosen_platform(options))),
      placement(place(platform, options.pes, options.pes_per_node)),
      stacks_(kHostStack, static_cast<size_t>(options.pes)),
      image_(options.program) {
  auto gpu_of = [this](PeId pe) { return placement.gpu_of(pe); };
  router_ = std::make_unique<Router>(queue_, platform, placement.gpus(), gpu_of, nullptr, options.pes,
                                     read_settings([](const char* name) -> const char* { return std::getenv(name); }));
  cluster = {placement, [this](PeId a, PeId b) { return router_->load_store(a, b); }, &platform.gpu,
             read_collective_settings([](const char* name) -> const char* { return std::getenv(name); })};
  log_.clock_ghz = cuda.clock_khz / 1e6;
  if (auto real = gpu_model(cuda.gpu_name, options.platform_folder)) {
    log_.slower = slower_than(platform.gpu, *real);
  } else {
    scaling = fmt::format("no file describes an {}: its computing times are taken as those of an {}", cuda.gpu_name,
                          platform.gpu.name);
  }
  if (log_.slower != 1)
    scaling = fmt::format("computing took {:.2f} times as long as on the {} (roofline of the two GPU files)",
                          log_.slower, cuda.gpu_name);
  log_.pes.resize(static_cast<size_t>(options.pes));
  for (int i = 0; i < options.pes; ++i) {
    pes_.push_back(std::make_unique<Pe>());
    pe(i).id = i;
    Teams teams(kTeams);
    for (int other = 0; other < options.pes; ++other) {
      bool same_node = placement.node_of({i}) == placement.node_of({other});
      for (int t : {0, 5}) teams[static_cast<size_t>(t)].push_back(other);
      if (router_->load_store({i}, {other})) teams[1].push_back(other);
      if (same_node) teams[2].push_back(other);
      if (other % placement.pes_per_node == i % placement.pes_per_node) teams[3].push_back(other);
      if (other == i) teams[4].push_back(other);
    }
    log_.pes[static_cast<size_t>(i)].teams = std::make_shared<const Teams>(std::move(teams));
  }
  read_times();
  choose_gpus();
  prepare_memory();
}

GpuRun::~GpuRun() {
  current() = {};
  drain_.reset();
}

// ---- kernels timed alone ----

void GpuRun::write_times() const {
  std::ofstream out(options.write_times);
  for (const PeLog& pe : log_.pes) {
    for (const LaunchLog& l : pe.launches)
      if (!l.launch.internal) out << (l.shared ? -1 : l.measured.ps) << ' ' << l.launch.name << '\n';
    out << "end\n";
  }
}

void GpuRun::read_times() {
  if (options.read_times.empty()) return;
  log_.calibrated = true;
  std::ifstream in(options.read_times);
  size_t pe = 0;
  for (std::string line; std::getline(in, line) && pe < pes_.size();) {
    if (line == "end") {
      ++pe;
      continue;
    }
    char* name = nullptr;
    int64_t ps = std::strtoll(line.c_str(), &name, 10);
    pes_[pe]->alone.emplace_back(name + 1, ps < 0 ? std::nullopt : std::optional(Time{ps}));
  }
}

// ---- GPUs ----

void GpuRun::choose_gpus() {
  int wanted = options.gpus.value_or(cuda.gpus);
  // for tests on a machine with one GPU: it plays several, each with its own part of the PEs
  const char* parts = std::getenv("SHMEMU_GPU_PARTS");
  int there = parts ? std::atoi(parts) : cuda.gpus;
  if (parts) wanted = there;
  if (wanted < 1 || wanted > there)
    throw UserError(ExitCode::usage, fmt::format("--gpus {}: there are {} {} that see each other's memory", wanted,
                                                 there, cuda.gpu_name));
  gpus_.resize(static_cast<size_t>(std::min(wanted, pes())));
  for (size_t g = 0; g < gpus_.size(); ++g) gpus_[g].device = static_cast<int>(g) % cuda.gpus;
  for (auto& p : pes_) {
    p->gpu = gpu_of_pe(p->id, pes(), static_cast<int>(gpus_.size()));
    ++gpus_[static_cast<size_t>(p->gpu)].pes;
  }
  for (RealGpu& g : gpus_) g.own = create_stream(g);
}

void GpuRun::select(int gpu) const {
  if (gpus_.size() > 1) check(cuda, cuda.cudaSetDevice(gpus_[static_cast<size_t>(gpu)].device), "cudaSetDevice");
}

void GpuRun::map(uint64_t at, CUmemGenericAllocationHandle memory, size_t bytes) {
  check(cuda, cuda.cuMemMap(at, bytes, 0, memory, 0), "cuMemMap");
  std::vector<CUmemAccessDesc> access;
  for (const RealGpu& g : gpus_)
    if (access.size() == static_cast<size_t>(g.device))
      access.push_back({{CU_MEM_LOCATION_TYPE_DEVICE, g.device}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE});
  check(cuda, cuda.cuMemSetAccess(at, bytes, access.data(), access.size()), "cuMemSetAccess");
}

namespace {

uint64_t reserve(const CudaLibrary& cuda, uint64_t bytes) {
  CUdeviceptr at = 0;
  check(cuda, cuda.cuMemAddressReserve(&at, bytes, kStep, 0, 0), "cuMemAddressReserve");
  return at;
}
CUmemGenericAllocationHandle create(const CudaLibrary& cuda, int device, uint64_t bytes) {
  CUmemAllocationProp wanted{};
  wanted.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  wanted.location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
  CUmemGenericAllocationHandle memory = 0;
  check(cuda, cuda.cuMemCreate(&memory, bytes, &wanted, 0), fmt::format("{} B of GPU {}", bytes, device).c_str());
  return memory;
}

}  // namespace

// Memory of one GPU that all of them see.
char* GpuRun::device_memory(int gpu, size_t bytes) {
  bytes = (bytes + kStep - 1) / kStep * kStep;
  const RealGpu& g = gpus_[static_cast<size_t>(gpu)];
  uint64_t at = reserve(cuda, bytes);
  map(at, create(cuda, g.device, bytes), bytes);
  select(gpu);
  check(cuda, cuda.cudaMemsetAsync(reinterpret_cast<void*>(at), 0, bytes, g.own), "cudaMemset");
  check(cuda, cuda.cudaStreamSynchronize(g.own), "cudaStreamSynchronize");
  return reinterpret_cast<char*>(at);
}

bool GpuRun::map_into_heap(void* place, void* memory, size_t bytes) {
  CUmemGenericAllocationHandle handle = 0;
  if (cuda.cuMemRetainAllocationHandle(&handle, memory)) return false;  // not of CUDA's virtual memory
  map(reinterpret_cast<uint64_t>(place), handle, bytes);
  cuda.cuMemRelease(handle);  // the mapping keeps it
  return true;
}

void GpuRun::unmap_from_heap(void* place, size_t bytes) {
  check(cuda, cuda.cuMemUnmap(reinterpret_cast<uint64_t>(place), bytes), "cuMemUnmap");
}

void GpuRun::prepare_memory() {
  auto n = static_cast<uint64_t>(pes());
  // three quarters of what is free for the heaps; the rest is the programs'
  auto together = static_cast<uint64_t>(most_on_a_gpu(pes(), static_cast<int>(gpus_.size())));
  if (gpus_.size() > static_cast<size_t>(cuda.gpus)) together = n;
  heap_bytes_ = std::max(std::min(asked_heap(), cuda.memory / 4 * 3 / together) / kStep * kStep, kStep);
  uint64_t stride = heap_bytes_ + kRegistered;
  log_.heaps = reserve(cuda, stride * n);
  log_.stride = stride;
  for (auto& p : pes_) {
    const RealGpu& g = gpu(*p);
    map(heap(p->id), create(cuda, g.device, heap_bytes_), heap_bytes_);
    select(p->gpu);
    check(cuda, cuda.cudaMemsetAsync(reinterpret_cast<void*>(heap(p->id)), 0, heap_bytes_, g.own), "cudaMemset");
  }
  for (const RealGpu& g : gpus_) check(cuda, cuda.cudaStreamSynchronize(g.own), "cudaStreamSynchronize");
  auto device = [&](size_t bytes) { return device_memory(0, bytes); };
  log_.scratch = stride;
  log_.header.program = options.program.filename().string();
  log_.header.platform = options.platform.empty() ? platform.name : options.platform;
  log_.header.pes = pes();
  log_.header.gpus = placement.gpus();
  log_.header.heap_base = kTraceHeap;
  constexpr uint64_t kInbox = 4096;
  uint64_t scratch = CollectiveRecorder::scratch_bytes(pes(), cluster.settings);
  log_.header.heap_stride = std::bit_ceil(stride + scratch + 2 * kInbox);
  inbox_ = (stride + scratch) / kInbox * kInbox + kInbox;

  uint32_t capacity = static_cast<uint32_t>(
      std::clamp<uint64_t>(std::bit_floor(kLogMemory / (n * kRings * 16 * SHMEMU_RECORD_CHUNKS)), 64, 16384));
  if (const char* asked = std::getenv("SHMEMU_GPU_RING"))
    capacity = std::bit_ceil(static_cast<uint32_t>(std::max(4, std::atoi(asked))));
  uint64_t ring_bytes = static_cast<uint64_t>(capacity) * 16 * SHMEMU_RECORD_CHUNKS;
  slots_ = pinned<char>(cuda, ring_bytes * kRings * n);
  tails_ = pinned<unsigned long long>(cuda, kRings * n);
  stop_ = pinned<int>(cuda, 16);
  auto* numbers = pinned<uint32_t>(cuda, n * 1024);
  // what every call of a kernel touches is on its own GPU
  std::vector<char*> rings, launch_words, unread;
  for (size_t g = 0; g < gpus_.size(); ++g) {
    rings.push_back(device_memory(static_cast<int>(g), sizeof(shmemu_log_ring) * kRings * n));
    launch_words.push_back(device_memory(static_cast<int>(g), sizeof(uint32_t) * n));
    if (!options.write_times.empty())
      unread.push_back(device_memory(static_cast<int>(g), kUnread * kRings * n * 16 * SHMEMU_RECORD_CHUNKS));
  }
  auto* reach = device(n * n);
  peer_pointers_ = pinned<unsigned>(cuda, 16);
  teams_ = reinterpret_cast<shmemu_gpu_team*>(device(sizeof(shmemu_gpu_team) * kTeams * n));
  members_ = reinterpret_cast<int32_t*>(device(sizeof(int32_t) * kMembers));
  char* meetings = device(sizeof(shmemu_meeting) * 4096);
  contexts_.resize(n);
  std::vector<unsigned char> reachable(n * n);
  std::vector<RingReader> readers;
  for (uint64_t i = 0; i < n; ++i) {
    for (uint64_t k = 0; k < n; ++k)
      reachable[i * n + k] = router_->load_store({static_cast<int>(i)}, {static_cast<int>(k)});
    shmemu_gpu_context& c = contexts_[i];
    auto g = static_cast<size_t>(pe(static_cast<int>(i)).gpu);
    c.me = static_cast<int32_t>(i), c.pes = pes(), c.rings = kRings, c.teams = kTeams;
    c.gpus = static_cast<int32_t>(gpus_.size());
    c.heaps = log_.heaps, c.stride = stride, c.heap = log_.heaps + i * stride;
    c.capacity = capacity, c.mask = capacity - 1;
    c.launch = reinterpret_cast<uint32_t*>(launch_words[g]) + i;
    c.ring = reinterpret_cast<shmemu_log_ring*>(rings[g]) + i * kRings;
    c.slots = slots_ + i * kRings * ring_bytes;
    if (!unread.empty()) {  // kernels are timed: their records stay on the GPU, and the rings are never full
      c.capacity = UINT32_MAX, c.mask = kUnread - 1;
      c.slots = unread[g] + i * kRings * kUnread * 16 * SHMEMU_RECORD_CHUNKS;
    }
    c.tail = tails_ + i * kRings;
    c.stop = stop_;
    c.reach = reinterpret_cast<unsigned char*>(reach) + i * n;
    c.peer_pointers = peer_pointers_;
    c.team = teams_ + i * kTeams;
    c.members = members_;
    c.meetings = reinterpret_cast<shmemu_meeting*>(meetings);
    pe(static_cast<int>(i)).launch_numbers = numbers + i * 1024;
    readers.emplace_back(slots_ + i * kRings * ring_bytes, tails_ + i * kRings, kRings, capacity);
  }
  copy_now(reach, reachable.data(), n * n);
  upload_teams();
  load_add_kernel();
  // what CUDA sets up at first use, set up while no kernel runs
  std::vector<char> back(1 << 16);
  for (RealGpu& g : gpus_)
    for (uint64_t i = 0; i < std::max(kSpareStreams * static_cast<uint64_t>(g.pes), kLeastStreams); ++i)
      g.spare.push_back(create_stream(g));
  for (auto& p : pes_) copy_now(back.data(), reinterpret_cast<void*>(heap(p->id)), back.size());
  drain_ = std::make_unique<Drain>(std::move(readers));
}

void GpuRun::upload_teams() {
  std::vector<shmemu_gpu_team> table(static_cast<size_t>(kTeams) * pes_.size());
  for (size_t p = 0; p < pes_.size(); ++p)
    for (size_t t = 0; t < kTeams; ++t) {
      const std::vector<int>& list = (*log_.pes[p].teams)[t];
      auto me = std::find(list.begin(), list.end(), static_cast<int>(p));
      if (me == list.end()) continue;
      // equal members at equal handles meet at one place
      std::vector<int> key = list;
      key.push_back(-1 - static_cast<int>(t));
      auto place = places_of_teams_.try_emplace(key, static_cast<uint32_t>(places_of_teams_.size())).first->second;
      auto [where, fresh] = member_lists_.try_emplace(list, static_cast<uint32_t>(all_members_.size()));
      if (fresh) all_members_.insert(all_members_.end(), list.begin(), list.end());
      table[p * kTeams + t] = {static_cast<int32_t>(list.size()), static_cast<int32_t>(me - list.begin()), place,
                               where->second};
    }
  SHMEMU_ASSERT(places_of_teams_.size() <= 4096 && all_members_.size() <= kMembers, "too many teams");
  copy_now(members_, all_members_.data(), all_members_.size() * sizeof all_members_[0]);
  copy_now(teams_, table.data(), table.size() * sizeof table[0]);
}

void GpuRun::set_team(int pe, int handle, std::vector<int> members) {
  auto& teams = log_.pes[static_cast<size_t>(pe)].teams;
  Teams changed = *teams;
  changed[static_cast<size_t>(handle)] = std::move(members);
  teams = std::make_shared<const Teams>(std::move(changed));
}

int GpuRun::free_team(const std::vector<int>& pes, int except) {
  for (int t = kPredefined; t < kTeams; ++t)
    if (t != except && std::all_of(pes.begin(), pes.end(), [&](int p) { return team(pe(p), t).empty(); })) return t;
  fail(ExitCode::program_failed, fmt::format("more than {} teams at a time", kTeams));
}

void GpuRun::copy_now(void* to, const void* from, size_t bytes) {
  if (!bytes) return;
  const RealGpu& g = current().pe ? gpu(*current().pe) : gpus_[0];
  check(cuda, cuda.cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, g.own), "cudaMemcpyAsync");
  check(cuda, cuda.cudaStreamSynchronize(g.own), "cudaStreamSynchronize");
}

Time GpuRun::copy_time(const void* to, const void* from, size_t bytes, bool pageable) {
  const HostModel& h = platform.host;
  constexpr int kDevice = 2;  // cudaMemoryTypeDevice
  bool d = memory_type(cuda, to) == kDevice, s = memory_type(cuda, from) == kDevice;
  if (d && s) {
    int a = in_heap(to) ? pe_of(to) : -1, b = in_heap(from) ? pe_of(from) : -1;
    bool peers = a >= 0 && b >= 0 && placement.gpu_of({a}).value != placement.gpu_of({b}).value;
    if (peers) return platform.gpu.flight_remote + platform.gpu.nvlink_store.time_for(bytes);
    return platform.gpu.copy_start + platform.gpu.hbm.time_for(2 * bytes);
  }
  return h.copy_latency + (pageable ? h.copy_pageable : d ? h.copy_to_device : h.copy_to_host).time_for(bytes);
}

// ---- programs ----

void GpuRun::load_programs() {
  for (auto& p : pes_) {
    p->copy = image_.load(p->id);
    current() = {this, p.get()};
    select(p->gpu);
    // registers kernels and variables, and constructs the program's objects
    char* none[] = {nullptr};
    for (auto* constructor : p->copy.constructors) constructor(0, none, environ);
  }
  current() = {this, nullptr};
  set_places();
}

// Everything on the GPU before the first kernel: loading later would wait for kernels that wait for each other.
void GpuRun::set_places() {
  for (auto& p : pes_) {
    select(p->gpu);
    for (auto& [stub, name] : p->kernels) {
      alignas(16) unsigned char attributes[512] = {};
      check(cuda, cuda.cudaFuncGetAttributes(attributes, stub), fmt::format("loading kernel {}", name).c_str());
    }
    const shmemu_gpu_context& here = contexts_[static_cast<size_t>(p->id)];
    for (const void* shadow : p->places)
      check(cuda, cuda.cudaMemcpyToSymbol(shadow, &here, sizeof here, 0, cudaMemcpyHostToDevice), "cudaMemcpyToSymbol");
  }
}

void GpuRun::pe_main(void* argument) {
  Pe& pe = *static_cast<Pe*>(argument);
  GpuRun& run = *current().run;
  std::vector<std::string> words{run.options.program.string()};
  words.insert(words.end(), run.options.arguments.begin(), run.options.arguments.end());
  std::vector<char*> argv;
  for (auto& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  try {
    run.end_pe(pe, pe.copy.main(static_cast<int>(words.size()), argv.data(), environ));
  } catch (const UserError& e) {  // of the runtime itself, in a call
    run.fail(e.code(), e.what());
  } catch (const std::exception& e) {
    run.fail(ExitCode::program_failed, fmt::format("PE {}: uncaught exception in main: {}", pe.id, e.what()));
  }
}

void GpuRun::run() {
  load_programs();
  for (auto& p : pes_) {
    p->fiber = stacks_.take();
    p->fiber->start(pe_main, p.get());
  }
  last_progress_ = std::chrono::steady_clock::now();
  for (;;) {
    bool progress = false, all = true;
    for (auto& p : pes_) {
      if (p->ended) continue;
      all = false;
      if (p->waits_for && !p->waits_for()) continue;
      p->waits_for = nullptr;
      current() = {this, p.get()};
      select(p->gpu);
      optind = p->option_index;
      p->fiber->enter();
      p->option_index = optind;
      current() = {this, nullptr};
      if (failure_) break;
      progress = true;
    }
    if (failure_) {
      *stop_ = 1;
      throw *failure_;
    }
    progress |= pump();
    if (all) {
      bool idle = true;
      for (auto& p : pes_)
        for (auto& [handle, s] : p->streams) idle &= s->idle();
      if (idle) return;
    }
    watch(progress);
  }
}

void GpuRun::wait(Pe& pe, std::string what, std::function<bool()> until) {
  pe.waiting = std::move(what);
  pe.waits_for = std::move(until);
  emu::Fiber::leave();
}

void GpuRun::wait_for(Pe& pe, const CommandRef& command) {
  if (!command) return;
  if (!command->finished) wait(pe, fmt::format("waits for {}", command->name), [command] { return command->finished; });
  traces::HostEntry e;
  e.since = std::exchange(pe.since, {});
  e.op.kind = OpKind::stream_wait;
  e.op.issuer = e.op.target = PeId{pe.id};
  e.awaited = static_cast<int64_t>(command->number);
  log(pe).host.push_back(e);
}

void GpuRun::wait_for_all(Pe& pe) {
  for (auto& [handle, s] : pe.streams) wait_for(pe, s->tail);
}

void GpuRun::end_pe(Pe& pe, int code) {
  while (!pe.exit_handlers.empty()) {
    auto [f, argument] = pe.exit_handlers.back();
    pe.exit_handlers.pop_back();
    f(argument);
  }
  std::fflush(stdout);
  pe.exit_code = code & 0xff;
  pe.ended = true;
  traces::HostEntry e;
  e.since = std::exchange(pe.since, {});
  e.op.kind = OpKind::exit;
  e.op.issuer = e.op.target = PeId{pe.id};
  log(pe).host.push_back(e);
  emu::Fiber::leave();
  std::abort();
}

void GpuRun::fail(ExitCode code, const std::string& message) {
  failure_.emplace(code, message);
  if (!current().pe) throw *failure_;
  emu::Fiber::leave();
  std::abort();
}

void GpuRun::meet(Pe& pe, int handle, const std::string& what, const std::function<void()>& last) {
  meet(pe, team(pe, handle), handle, what, last);
}

void GpuRun::meet(Pe& pe, std::vector<int> key, int number_of_list, const std::string& what,
                  const std::function<void()>& last) {
  size_t size = key.size();
  key.push_back(-1 - number_of_list);
  Meeting& m = meetings_[key];
  uint64_t number = m.number;
  if (++m.arrived < size) {
    wait(pe, fmt::format("waits in {} for {} of {} PEs", what, size - m.arrived, size),
         [&m, number] { return m.number > number; });
    return;
  }
  if (last) last();
  m.arrived = 0;
  ++m.number;
}

// ---- messages between hosts, as the CPU executor sends them (emu/core/messages.cpp) ----

void GpuRun::log_message(Pe& pe, int to, uint64_t bytes) {
  uint64_t inbox = log_.header.heap_base + static_cast<uint64_t>(to) * log_.header.heap_stride + inbox_;
  traces::HostEntry e;
  e.since = std::exchange(pe.since, {});
  e.op.kind = OpKind::put_signal;
  e.op.flags = Op::kCopyEngine;
  e.op.issuer = {pe.id};
  e.op.target = {to};
  e.op.bytes = bytes + 1;  // and a mark
  e.op.signal = inbox;
  e.op.value = 1;
  e.op.signal_op = Op::kSignalAdd;
  log(pe).host.push_back(e);
}

void GpuRun::log_arrival(Pe& pe) {
  traces::HostEntry e;
  e.since = std::exchange(pe.since, {});
  e.op.kind = OpKind::wait;
  e.op.issuer = e.op.target = {pe.id};
  e.op.type = SHMEMU_U64;
  e.op.function = Op::kAtLeast;
  e.op.bytes = sizeof(uint64_t);
  e.op.remote = log_.header.heap_base + static_cast<uint64_t>(pe.id) * log_.header.heap_stride + inbox_;
  e.op.value = ++pe.messages;
  log(pe).host.push_back(e);
}

double GpuRun::host_clock(Pe& pe) {
  if (options.real_time)
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  auto look = std::make_shared<Command>();  // of no duration, in a stream that has nothing else to do
  look->name = "clock";
  traces::HostEntry entry;
  entry.kind = OpKind::host_work;
  submit(pe, internal_stream(pe), look, std::move(entry));
  wait(pe, "looks at the clock", [look] { return look->finished; });
  return ended(pe, *look).us() * 1e-6;
}

static const std::string kWaitsForTime = "waits until its time is known";

bool GpuRun::timed(const Pe& pe) const {
  auto i = static_cast<size_t>(pe.id);
  return times_ && times_->entries[i] == log_.pes[i].host.size();
}

// All PEs are blocked, have ended, or wait for their times: what has happened so far can be timed.
bool GpuRun::quiet() const {
  return std::all_of(pes_.begin(), pes_.end(), [](auto& p) {
    for (auto& [handle, s] : p->streams)
      if (s->runs()) return false;
    return p->ended || p->waiting == kWaitsForTime || (p->waits_for && !p->waits_for());
  });
}

// ---- a run that does not move ----

void GpuRun::watch(bool progress) {
  auto now = std::chrono::steady_clock::now();
  if (progress || drain_->count() != last_count_) {
    last_count_ = drain_->count();
    last_progress_ = now;
    return;
  }
  double still = std::chrono::duration<double>(now - last_progress_).count();
  if (still > options.patience) stop_kernels();
  if (still > 0.001) std::this_thread::sleep_for(std::chrono::microseconds(20));
}

bool GpuRun::on_gpu(const Pe& pe) const {
  return std::any_of(pe.streams.begin(), pe.streams.end(), [this](auto& s) {
    return s.second->real && cuda.cudaStreamQuery(s.second->real) == cudaErrorNotReady;
  });
}

void GpuRun::stop_kernels() {
  *stop_ = 1;
  // waiting threads log where they stood and end; kernels that spin by themselves never do
  auto until = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  while (std::chrono::steady_clock::now() < until) {
    if (!std::any_of(pes_.begin(), pes_.end(), [this](auto& p) { return on_gpu(*p); })) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::vector<std::vector<shmemu_log_record>> stuck(pes_.size());
  for (auto& p : pes_)
    for (const shmemu_log_record& r : drain_->take(p->id))
      if (r.kind == SHMEMU_LOG_STUCK) stuck[static_cast<size_t>(p->id)].push_back(r);
  std::string text = fmt::format("nothing has moved for {:.0f} s\n", options.patience);
  bool waits = false;
  for (auto& p : pes_) {
    if (p->ended) continue;
    text += fmt::format("  PE {}: host {}\n", p->id, p->waits_for ? p->waiting : "runs");
    waits = true;
    for (auto& c : p->running)
      text += fmt::format("    kernel {} (number {}) {}\n", c->name, c->launch,
                          on_gpu(*p) ? "goes on although the run is stopped: it spins without NVSHMEM's waits, or "
                                       "computes (then give a longer --patience)"
                                     : "was stopped");
    size_t shown = 0;
    for (const shmemu_log_record& r : stuck[static_cast<size_t>(p->id)]) {
      if (shown++ >= 8) continue;
      static constexpr const char* kComparisons[] = {"==", "!=", ">", "<=", "<", ">="};
      uint64_t offset = r.remote - heap(p->id);
      std::string where = offset < stride() ? fmt::format("heap offset {}", offset) : fmt::format("{:#x}", r.remote);
      text += fmt::format("    kernel {} block {} thread {} waits for the word at {} to be {} {}; it is {}\n",
                          r.launch < log(*p).launches.size() ? log(*p).launches[r.launch].launch.name : "?", r.block,
                          r.thread, where, kComparisons[std::min<int>(r.function, 5)], static_cast<int64_t>(r.value),
                          static_cast<int64_t>(r.compare));
    }
    if (shown > 8) text += fmt::format("    and {} more threads\n", shown - 8);
    for (auto& [handle, s] : p->streams)
      if (s->queue.size() > 1 || (!s->queue.empty() && !s->queue.front()->started))
        text += fmt::format("    stream {}: {} commands have not begun ({})\n", s->number, s->queue.size(),
                            s->queue.back()->name);
  }
  for (const RealGpu& g : gpus_)
    if (g.kernels >= kMostKernels)
      text +=
          fmt::format("  {} kernels are on GPU {}, as many as it runs at a time; further ones wait until one ends\n",
                      g.kernels, g.device);
  throw UserError(waits ? ExitCode::deadlock : ExitCode::program_failed, "deadlock: " + text);
}

// ---- results ----

void GpuRun::collect(Pe& pe) {
  auto& launches = log(pe).launches;
  for (const shmemu_log_record& r : drain_->take(pe.id))
    if (r.launch < launches.size()) launches[r.launch].records.push_back(r);
}

Time GpuRun::ended(Pe& pe, const Command& command) {
  wait(pe, kWaitsForTime, [this, &pe] { return timed(pe) || quiet(); });
  if (!timed(pe)) {
    std::vector<size_t> entries(pes_.size());
    for (auto& p : pes_)
      if (p->waiting == kWaitsForTime) entries[static_cast<size_t>(p->id)] = log(*p).host.size();
    RunReport nobody_reads_it;
    std::vector<std::string> notes;
    auto played = replay(nobody_reads_it, notes);
    times_ = Times{std::move(entries), std::move(played)};
  }
  pe.waiting.clear();
  return times_->of.commands.at(static_cast<size_t>(pe.id)).at(command.number);
}

traces::ReplayResult GpuRun::replay(RunReport& report, std::vector<std::string>& notes,
                                    const std::filesystem::path& record) {
  for (auto& p : pes_) collect(*p);
  Decoded d = decode(log_, cluster, !record.empty());
  notes = d.notes;
  if (*peer_pointers_)
    d.incomplete.push_back("kernels used nvshmem_ptr: plain loads and stores through it are not logged");
  if (!d.incomplete.empty()) {
    std::string why = "no times, the log is incomplete: ";
    for (size_t i = 0; i < d.incomplete.size() && i < 4; ++i) why += (i ? "; " : "") + d.incomplete[i];
    throw UserError(ExitCode::program_failed, why);
  }
  if (!record.empty()) traces::write_trace(record, d.trace);
  try {
    return traces::replay(d.trace, platform, report);
  } catch (const UserError& e) {
    throw UserError(ExitCode::program_failed,
                    fmt::format("no times: what kernels logged cannot be played again, probably because {}: {}",
                                d.fetches ? "answers of fetching atomics came in another order than on the GPU"
                                          : "a flag was written by a plain store, a copy or a memset",
                                e.what()));
  }
}

}  // namespace shmemu::gpu
