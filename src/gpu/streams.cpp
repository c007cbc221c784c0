// Software streams of the PEs and what they give to the GPU.
#include <algorithm>

#include <fmt/format.h>

#include "collectives/chooser.hpp"
#include "gpu/admission.hpp"
#include "gpu/run.hpp"

namespace shmemu::gpu {
namespace {

constexpr unsigned kNonBlocking = 1;  // cudaStreamNonBlocking
constexpr int kQueues = 32;           // as many as cuda_library.cpp asks for

// A kernel that runs alone and does not end may wait for others: then they start after all.
bool alone_too_long(const RealGpu& gpu) {
  return std::chrono::steady_clock::now() - gpu.since > std::chrono::milliseconds(50);
}

}  // namespace

cudaStream_t GpuRun::create_stream(RealGpu& gpu) {
  cudaStream_t stream = nullptr;
  select(static_cast<int>(&gpu - gpus_.data()));
  check(cuda, cuda.cudaStreamCreateWithFlags(&stream, kNonBlocking), "cudaStreamCreate");
  return stream;
}

void GpuRun::real_stream(Pe& pe, Stream& stream) {
  RealGpu& g = gpus_[static_cast<size_t>(pe.gpu)];
  if (g.spare.empty()) g.spare.push_back(create_stream(g));
  stream.real = g.spare.back();
  g.spare.pop_back();
  ++g.real_streams;
}

Stream& GpuRun::new_stream(Pe& pe, bool blocking) {
  auto stream = std::make_unique<Stream>();
  real_stream(pe, *stream);
  stream->number = pe.next_stream++;
  stream->blocking = blocking;
  void* key = stream.get();
  return *(pe.streams[key] = std::move(stream));
}

Stream* GpuRun::find_stream(Pe& pe, void* handle) {
  auto value = reinterpret_cast<uintptr_t>(handle);
  void* key = value == 1 || value == 2 ? nullptr : handle;  // cudaStreamLegacy, cudaStreamPerThread
  if (auto at = pe.streams.find(key); at != pe.streams.end()) return at->second.get();
  if (key) return nullptr;
  auto stream = std::make_unique<Stream>();
  real_stream(pe, *stream);
  return (pe.streams[nullptr] = std::move(stream)).get();
}

Stream& GpuRun::internal_stream(Pe& pe) {
  static char key;
  if (auto at = pe.streams.find(&key); at != pe.streams.end()) return *at->second;
  auto stream = std::make_unique<Stream>();  // none of the GPU's: only the host works for it
  stream->number = pe.next_stream++;
  stream->blocking = false;
  return *(pe.streams[&key] = std::move(stream));
}

CommandRef GpuRun::submit(Pe& pe, Stream& stream, CommandRef command, traces::HostEntry entry) {
  // the legacy default stream and the blocking ones wait for each other
  for (auto& [handle, other] : pe.streams)
    if (other.get() != &stream && other->blocking && stream.blocking && (other->number == 0 || stream.number == 0) &&
        other->tail && !other->tail->finished)
      command->after.push_back(other->tail);
  entry.submit = true;
  entry.since = std::exchange(pe.since, {});
  entry.name = command->name;
  entry.stream = stream.number;
  entry.blocking = stream.blocking;
  for (auto& other : command->after)
    if (entry.also.empty() || entry.also.back() != other->number) entry.also.push_back(other->number);
  command->number = pe.commands++;
  log(pe).host.push_back(std::move(entry));
  stream.queue.push_back(command);
  stream.tail = command;
  return command;
}

bool GpuRun::may_start(const Pe& pe, const Command& command) {
  for (auto& other : command.after)
    if (!other->finished) return false;
  if (!command.kernel) return true;
  const RealGpu& g = gpu(pe);
  if (g.kernels >= kMostKernels) return false;
  return options.write_times.empty() || !g.kernels || command.may_wait || alone_too_long(g);
}

bool GpuRun::pump() {
  bool progress = false;
  for (auto& p : pes_)
    for (auto& [handle, s] : p->streams) {
      if (!s->queue.empty()) select(p->gpu);
      while (!s->queue.empty()) {
        CommandRef c = s->queue.front();
        if (!c->started) {
          if (!may_start(*p, *c)) break;
          c->started = true;
          progress = true;
          if (c->start) c->start();
        }
        if (c->done && !c->done()) break;
        c->finished = true;
        c->start = nullptr;
        s->queue.pop_front();
        progress = true;
      }
    }
  return progress;
}

int GpuRun::occupancy(const void* stub, dim3 block, size_t shared) {
  int each = 0;
  if (cuda.cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, stub, static_cast<int>(block.x * block.y * block.z),
                                                         shared)) {
    cuda.cudaGetLastError();
    return 0;
  }
  return each * cuda.sms;
}

namespace {

// Parameters of a kernel, copied: it may start after the call has returned.
struct Parameters {
  std::vector<std::vector<char>> values;
  std::vector<void*> pointers;
};

Parameters copy_parameters(const CudaLibrary& cuda, void* function, void** arguments) {
  Parameters p;
  size_t offset = 0, bytes = 0;
  for (size_t i = 0; cuda.cuFuncGetParamInfo(function, i, &offset, &bytes) == 0; ++i) {
    auto* from = static_cast<char*>(arguments[i]);
    p.values.emplace_back(from, from + bytes);
  }
  for (auto& v : p.values) p.pointers.push_back(v.data());
  return p;
}

}  // namespace

traces::HostEntry GpuRun::launch_entry(const Pe& pe, const device::Launch& launch) const {
  traces::HostEntry entry;
  entry.kind = OpKind::launch;
  entry.latency = platform.gpu.launch_latency;
  entry.has_launch = true;
  entry.launch = launch;
  entry.gpu = placement.gpu_of({pe.id}).value;
  return entry;
}

CommandRef GpuRun::launch(Pe& pe, Stream& stream, const void* stub, dim3 grid, dim3 block, void** arguments,
                          size_t shared, bool cooperative, bool collective) {
  void* function = nullptr;
  if (int e = cuda.cudaGetFuncBySymbol(&function, stub)) return pe.last_error = e, nullptr;
  auto command = std::make_shared<Command>();
  auto at = pe.kernels.find(stub);
  command->name = at == pe.kernels.end() ? "kernel" : at->second;
  uint64_t blocks = uint64_t{grid.x} * grid.y * grid.z, threads = uint64_t{block.x} * block.y * block.z;
  if (!blocks || !threads || threads > 1024) return pe.last_error = cudaErrorInvalidConfiguration, nullptr;
  auto parameters = std::make_shared<Parameters>(copy_parameters(cuda, function, arguments));
  if (capture(pe, stream, [=, this, &pe](Stream& s) {
        launch(pe, s, stub, grid, block, parameters->pointers.data(), shared, cooperative, collective);
      }))
    return command;
  if (collective || cooperative) {
    Demand d{command->name, blocks, threads, static_cast<uint64_t>(occupancy(stub, block, shared)),
             collective ? gpu(pe).pes : 1};
    if (!tightest || most_pes(d) < most_pes(*tightest)) tightest = d;
    if (auto why = refusal(d))
      fail(ExitCode::program_failed, fmt::format("launch.not-coresident: PE {}: {}", pe.id, *why));
  }
  if (collective) {  // as in the CPU executor: the stream joins the library's
    traces::HostEntry join;
    join.kind = OpKind::host_work;
    join.latency = platform.gpu.launch_latency;
    join.has_duration = true;
    join.duration = platform.gpu.stream_join;
    auto joined = std::make_shared<Command>();
    joined->name = "join";
    submit(pe, stream, joined, std::move(join));
  }
  auto& launches = log(pe).launches;
  command->launch = static_cast<int>(launches.size());
  command->kernel = true;
  command->may_wait = collective || cooperative;
  LaunchLog record;
  record.teams = log(pe).teams;
  record.launch.name = command->name;
  record.launch.grid = {grid.x, grid.y, grid.z};
  record.launch.block = {block.x, block.y, block.z};
  record.launch.shared_bytes = shared;
  record.launch.cooperative = cooperative;
  record.finished = false;
  if (auto k = pe.kernels_launched++; k < pe.alone.size() && pe.alone[k].first == command->name)
    record.alone = pe.alone[k].second;
  traces::HostEntry entry = launch_entry(pe, record.launch);
  launches.push_back(std::move(record));

  struct Marks {
    bool exact = false;
    cudaEvent_t from = nullptr, to = nullptr;
    std::chrono::steady_clock::time_point since;
  };
  auto marks = std::make_shared<Marks>();
  Command* self = command.get();
  std::weak_ptr<Command> weak = command;
  Stream* s = &stream;
  command->start = [=, this, &pe] {
    auto& launches_now = log(pe).launches;
    if (!pe.running.empty()) {  // the number of the running kernel is one word per PE
      launches_now[static_cast<size_t>(self->launch)].overlapped = true;
      for (auto& other : pe.running) launches_now[static_cast<size_t>(other->launch)].overlapped = true;
    }
    pe.running.push_back(weak.lock());
    RealGpu& g = gpus_[static_cast<size_t>(pe.gpu)];
    if (++g.kernels > 1)  // they share the SMs
      for (auto& other : pes_)
        if (other->gpu == pe.gpu)
          for (auto& c : other->running) log(*other).launches[static_cast<size_t>(c->launch)].shared = true;
    g.since = std::chrono::steady_clock::now();
    uint32_t* number = pe.launch_numbers + self->launch % 1024;
    *number = static_cast<uint32_t>(self->launch);
    auto* word = const_cast<uint32_t*>(contexts_[static_cast<size_t>(pe.id)].launch);
    check(cuda, cuda.cudaMemcpyAsync(word, number, sizeof *number, cudaMemcpyHostToDevice, s->real), "cudaMemcpyAsync");
    // A mark behind a kernel waits in the hardware queue; that is harmless while no other stream needs the queue, when
    // no other kernel runs, and behind a kernel that waits for nobody.
    marks->exact =
        g.real_streams < kQueues || (!options.write_times.empty() && g.kernels == 1) || pe.silent.contains(self->name);
    marks->since = std::chrono::steady_clock::now();
    if (marks->exact) {
      cuda.cudaEventCreateWithFlags(&marks->from, 0);
      cuda.cudaEventCreateWithFlags(&marks->to, 0);
      cuda.cudaEventRecord(marks->from, s->real);
    }
    int e = cooperative
                ? cuda.cuLaunchCooperativeKernel(function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                                 static_cast<unsigned>(shared), s->real, parameters->pointers.data())
                : cuda.cuLaunchKernel(function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                      static_cast<unsigned>(shared), s->real, parameters->pointers.data(), nullptr);
    if (e)
      throw UserError(ExitCode::program_failed,
                      fmt::format("PE {}: kernel {} could not be launched: {}", pe.id, self->name,
                                  cuda.cudaGetErrorString(static_cast<cudaError_t>(e))));
    if (marks->exact) cuda.cudaEventRecord(marks->to, s->real);
  };
  command->done = [=, this, &pe] {
    int e = cuda.cudaStreamQuery(s->real);
    if (e == cudaErrorNotReady) return false;
    if (e)
      throw UserError(ExitCode::program_failed, fmt::format("PE {}: kernel {} failed: {}", pe.id, self->name,
                                                            cuda.cudaGetErrorString(static_cast<cudaError_t>(e))));
    float ms = std::chrono::duration<float, std::milli>(std::chrono::steady_clock::now() - marks->since).count();
    if (marks->exact) {
      cuda.cudaEventElapsedTime(&ms, marks->from, marks->to);
      cuda.cudaEventDestroy(marks->from);
      cuda.cudaEventDestroy(marks->to);
    }
    finish_launch(pe, *self, ms, marks->exact);
    return true;
  };
  return submit(pe, stream, command, std::move(entry));
}

void GpuRun::finish_launch(Pe& pe, Command& command, float ms, bool exact) {
  std::erase_if(pe.running, [&](auto& c) { return c.get() == &command; });
  RealGpu& g = gpus_[static_cast<size_t>(pe.gpu)];
  --g.kernels;
  LaunchLog& l = log(pe).launches[static_cast<size_t>(command.launch)];
  Time empty;
  if (exact) {  // marks take time themselves: what an empty kernel takes is the model's
    empty = platform.gpu.kernel_start + platform.gpu.cta_start + platform.gpu.kernel_end;
    ms = std::max(ms - g.empty_ms, 0.0f);
  }
  l.measured = empty + Time{static_cast<int64_t>(static_cast<double>(ms) * 1e9)};
  l.exact = exact;
  collect(pe);
  l.finished = true;
  if (l.records.empty() && options.write_times.empty()) pe.silent.insert(command.name);
}

void GpuRun::measure_empty_kernel(RealGpu& g) {
  if (!g.add_kernel) return;
  cudaEvent_t from = nullptr, to = nullptr;
  check(cuda, cuda.cudaEventCreateWithFlags(&from, 0), "cudaEventCreate");
  check(cuda, cuda.cudaEventCreateWithFlags(&to, 0), "cudaEventCreate");
  auto* word =
      reinterpret_cast<uint64_t*>(heap(static_cast<int>(&g - gpus_.data()) * pes() / static_cast<int>(gpus_.size())));
  g.empty_ms = 1;
  for (int i = 0; i < 10; ++i) {
    uint64_t nothing = 0;
    void* arguments[] = {&word, &nothing};
    cuda.cudaEventRecord(from, g.own);
    check(cuda, cuda.cuLaunchKernel(g.add_kernel, 1, 1, 1, 1, 1, 1, 0, g.own, arguments, nullptr), "empty kernel");
    cuda.cudaEventRecord(to, g.own);
    check(cuda, cuda.cudaStreamSynchronize(g.own), "cudaStreamSynchronize");
    float ms = 0;
    cuda.cudaEventElapsedTime(&ms, from, to);
    g.empty_ms = std::min(g.empty_ms, ms);
  }
  cuda.cudaEventDestroy(from);
  cuda.cudaEventDestroy(to);
}

CommandRef GpuRun::launch_collective(Pe& pe, Stream& stream, const HostCollective& call, std::string name,
                                     std::function<void()> start, std::function<bool()> done) {
  auto command = std::make_shared<Command>();
  command->name = std::move(name);
  auto& launches = log(pe).launches;
  command->launch = -1;  // it is no kernel of the GPU
  LaunchLog record;
  record.teams = log(pe).teams;
  record.launch.name = command->name;
  record.launch.block.x =
      stream_shape(
          {.collective = static_cast<Collective>(call.kind), .count = call.count, .element_bytes = call.element_bytes},
          {})
          .threads;
  record.launch.internal = true;
  record.collective = call;
  record.finished = false;
  traces::HostEntry entry = launch_entry(pe, record.launch);
  launches.push_back(std::move(record));
  size_t number = launches.size() - 1;
  command->start = std::move(start);
  command->meets = true;
  command->done = [this, &pe, number, done = std::move(done)] {
    if (!done()) return false;
    return log(pe).launches[number].finished = true;
  };
  return submit(pe, stream, command, std::move(entry));
}

CommandRef GpuRun::launch_operations(Pe& pe, Stream& stream, std::string name,
                                     std::vector<traces::LaneEntry> operations, std::function<void(cudaStream_t)> start,
                                     bool kernel) {
  auto command = std::make_shared<Command>();
  command->name = std::move(name);
  auto kept_operations = std::make_shared<std::vector<traces::LaneEntry>>(std::move(operations));
  auto copied = [kept_operations] {
    std::vector<traces::LaneEntry> list;
    for (const traces::LaneEntry& e : *kept_operations)
      list.push_back({e.op, Payload(e.payload.data(), e.payload.size()), e.gap, e.work});
    return list;
  };
  if (capture(pe, stream, [=, this, &pe, label = command->name](Stream& s) {
        launch_operations(pe, s, label, copied(), start, kernel);
      }))
    return command;
  LaunchLog record;
  record.teams = log(pe).teams;
  record.launch.name = command->name;
  record.launch.internal = true;
  record.operations = copied();
  traces::HostEntry entry = launch_entry(pe, record.launch);
  log(pe).launches.push_back(std::move(record));
  Stream* s = &stream;
  command->kernel = kernel;
  RealGpu& g = gpus_[static_cast<size_t>(pe.gpu)];
  command->start = [s, &g, kernel, start = std::move(start)] {
    g.kernels += kernel;
    start(s->real);
  };
  command->done = [this, s, &g, kernel, name = command->name] {
    int e = cuda.cudaStreamQuery(s->real);
    if (e == cudaErrorNotReady) return false;
    check(cuda, e, name.c_str());
    g.kernels -= kernel;
    return true;
  };
  return submit(pe, stream, command, std::move(entry));
}

// ---- the runtime's own kernel ----

namespace {

constexpr const char* kAddKernel = R"(
.version 6.0
.target sm_70
.address_size 64
.visible .entry add(.param .u64 word, .param .u64 value) {
  .reg .u64 %at, %much;
  ld.param.u64 %at, [word];
  ld.param.u64 %much, [value];
  red.relaxed.sys.global.add.u64 [%at], %much;
  ret;
}
)";

}  // namespace

void GpuRun::load_add_kernel() {
  for (RealGpu& g : gpus_) {
    select(static_cast<int>(&g - gpus_.data()));
    void* module = nullptr;
    if (cuda.cuModuleLoadData(&module, kAddKernel) || cuda.cuModuleGetFunction(&g.add_kernel, module, "add"))
      g.add_kernel = nullptr;  // a driver without its compiler for PTX: an error for programs that need it
    measure_empty_kernel(g);
  }
}

void GpuRun::add_on_stream(const Pe& pe, uint64_t* word, uint64_t value, cudaStream_t stream) {
  void* kernel = gpu(pe).add_kernel;
  if (!kernel)
    throw UserError(ExitCode::program_failed,
                    "a signal that adds on a stream needs the driver's PTX compiler (libnvidia-ptxjitcompiler), which "
                    "this machine lacks; use --executor cpu");
  void* arguments[] = {&word, &value};
  check(cuda, cuda.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr), "signal add");
}

}  // namespace shmemu::gpu
