// A run on real GPUs: one process, every PE a fiber with its own copy of the program, all heaps in one range of
// addresses that every GPU sees. CUDA's streams are fed from software queues: a command goes to the GPU when all before
// it has ended, so no command waits inside a hardware queue that other PEs need, and no call of one PE blocks the
// others. The C API finds the run through `current()`.
#pragma once
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <typeindex>
#include <vector>

#include "base/errors.hpp"
#include "emu/cpu/fiber.hpp"
#include "emu/cpu/image.hpp"
#include "gpu/admission.hpp"
#include "gpu/cuda_library.hpp"
#include "gpu/decode.hpp"
#include "gpu/rings.hpp"
#include "gpu/run_log.hpp"
#include "model/event_queue.hpp"
#include "model/platform.hpp"
#include "report/run_report.hpp"
#include "traces/replayer.hpp"
#include "transports/router.hpp"

namespace shmemu::gpu {

struct RunOptions {
  int pes = 1;
  std::optional<int> pes_per_node, gpus;  // gpus: real ones; absent = all
  std::string platform;
  std::filesystem::path platform_folder, program, record, timeline;
  std::vector<std::string> arguments;
  bool json = false, quiet = false, real_time = false;
  // Two runs: the first one times every kernel that does not wait for others alone and without logging, for the second
  // one, whose log is used.
  std::filesystem::path write_times, read_times;
  double patience = 10;  // seconds without any progress until the run is stopped
};

struct Command {
  std::string name;
  std::function<void()> start;  // gives the work to the GPU
  std::function<bool()> done;   // has it ended? absent: with `start`
  std::vector<std::shared_ptr<Command>> after;
  uint64_t number = 0;    // of the PE, as in the trace
  int launch = -1;        // number of the kernel
  bool kernel = false;    // one of those of which a GPU runs so many at a time
  bool meets = false;     // waits for other PEs, not for the GPU
  bool may_wait = false;  // a kernel that may wait for other PEs' kernels: it was launched collectively
  bool started = false, finished = false;
};
using CommandRef = std::shared_ptr<Command>;

struct Stream {
  cudaStream_t real = nullptr;
  int number = 0;
  bool blocking = true;
  std::deque<CommandRef> queue;
  CommandRef tail;
  bool idle() const { return queue.empty(); }
  bool runs() const {
    return !queue.empty() && !(queue.front()->started && queue.front()->meets);
  }  // on the GPU, or soon
};

// One of the GPUs at hand.
struct RealGpu {
  int device = 0;                     // CUDA's number
  int pes = 0;                        // placed there
  cudaStream_t own = nullptr;         // of the runtime itself
  std::vector<cudaStream_t> spare;    // made before the first kernel: a new hardware queue may wait for kernels
  void* add_kernel = nullptr;         // the driver's handle
  float empty_ms = 0;                 // what two marks around a kernel of no work say
  int kernels = 0, real_streams = 1;  // that run, that exist
  std::chrono::steady_clock::time_point since;  // of the last start of a kernel
};

struct Pe {
  int id = 0, gpu = 0;  // gpu: a real one
  emu::Fiber* fiber = nullptr;
  emu::Image::Copy copy;
  std::function<bool()> waits_for;  // absent: can run
  std::string waiting;              // what for, in words
  bool ended = false;
  int exit_code = 0;
  std::vector<std::pair<void (*)(void*), void*>> exit_handlers;
  int option_index = 1;

  std::map<void*, std::unique_ptr<Stream>> streams;  // by handle; null = legacy default stream
  int next_stream = 1;
  struct Event {
    CommandRef recorded;
    cudaEvent_t real = nullptr;  // with --time real
    bool timing = true;
  };
  std::map<void*, std::unique_ptr<Event>> events;
  int device = 0;  // of the modelled node
  int last_error = 0;
  std::map<const void*, std::string> kernels;                      // host stub → name
  std::vector<const void*> places;                                 // host shadows of __shmemu_gpu_here
  std::vector<std::pair<std::string, std::optional<Time>>> alone;  // of its kernels, in order: name, time
  std::set<std::string> silent;     // names of kernels that have logged nothing: they wait for nobody
  std::vector<CommandRef> running;  // kernels on the GPU

  uint64_t commands = 0, kernels_launched = 0;
  Time since;                                // host time that has passed since the last stop
  std::map<uint64_t, uint64_t> allocations;  // of the heap: offset → bytes
  std::map<void*, size_t> registered;        // buffers, by place in the heap
  // by members and handle of a team: how many collectives, and splits, it has made
  std::map<std::vector<int>, uint64_t> collectives, splits;
  int initialised = 0;                 // how often
  uint64_t messages = 0;               // of the host that it has received
  uint32_t* launch_numbers = nullptr;  // pinned: source of the number that a kernel's records carry
};

class GpuRun {
 public:
  explicit GpuRun(RunOptions options);
  ~GpuRun();
  void run();  // until all PEs have ended; UserError otherwise
  // The trace of what has happened, and its times on the platform. UserError when it cannot be replayed.
  traces::ReplayResult replay(RunReport& report, std::vector<std::string>& notes,
                              const std::filesystem::path& record = {});

  Pe& pe(int i) { return *pes_[static_cast<size_t>(i)]; }
  PeLog& log(const Pe& pe) { return log_.pes[static_cast<size_t>(pe.id)]; }
  int pes() const { return options.pes; }
  uint64_t records() const { return drain_->count(); }

  // --- called on a PE's fiber ---
  void wait(Pe& pe, std::string what, std::function<bool()> until);
  void wait_for(Pe& pe, const CommandRef& command);
  void wait_for_all(Pe& pe);
  [[noreturn]] void end_pe(Pe& pe, int code);
  [[noreturn]] void fail(ExitCode code, const std::string& message);
  // All members of the team have called the n-th time; the last one runs `last`.
  void meet(Pe& pe, int team, const std::string& what, const std::function<void()>& last = {});
  // The same by any list of PEs; `number` tells lists with equal members apart.
  void meet(Pe& pe, std::vector<int> members, int number, const std::string& what, const std::function<void()>& last);
  // A message between hosts, in the log only.
  void log_message(Pe& pe, int to, uint64_t bytes);
  void log_arrival(Pe& pe);
  double host_clock(Pe& pe);  // seconds of virtual time, or real ones

  // --- streams ---
  Stream* find_stream(Pe& pe, void* handle);
  Stream& new_stream(Pe& pe, bool blocking);
  // If the stream is captured, the call becomes part of the graph: true, and nothing happens now.
  bool capture(Pe& pe, Stream& stream, std::function<void(Stream&)> again);
  bool capture_event(Pe& pe, Stream& stream, Pe::Event& event);
  bool capture_wait(Pe& pe, Stream& stream, Pe::Event& event);
  CommandRef submit(Pe& pe, Stream& stream, CommandRef command, traces::HostEntry entry);
  CommandRef launch(Pe& pe, Stream& stream, const void* stub, dim3 grid, dim3 block, void** arguments, size_t shared,
                    bool cooperative, bool collective);
  // A collective, or an operation of one thread, that the host puts into a stream.
  // The host's side of a launch.
  traces::HostEntry launch_entry(const Pe& pe, const device::Launch& launch) const;
  CommandRef launch_collective(Pe& pe, Stream& stream, const HostCollective& call, std::string name,
                               std::function<void()> start, std::function<bool()> done);
  CommandRef launch_operations(Pe& pe, Stream& stream, std::string name, std::vector<traces::LaneEntry> operations,
                               std::function<void(cudaStream_t)> start, bool kernel = false);
  void add_on_stream(const Pe& pe, uint64_t* word, uint64_t value,
                     cudaStream_t stream);  // by a kernel of the runtime's own
  Stream& internal_stream(Pe& pe);
  int occupancy(const void* stub, dim3 block, size_t shared);  // blocks that the GPU holds

  const std::vector<int>& team(const Pe& pe, int handle) {
    return log_.pes[static_cast<size_t>(pe.id)].teams->at(static_cast<size_t>(handle));
  }
  // A handle that is free on all of `pes`; set_team gives it members, upload_teams makes kernels see it.
  int free_team(const std::vector<int>& pes, int except = -1);
  void set_team(int pe, int handle, std::vector<int> members);
  void upload_teams();
  const RealGpu& gpu(const Pe& pe) const { return gpus_[static_cast<size_t>(pe.gpu)]; }
  size_t real_gpus() const { return gpus_.size(); }
  // Makes the second mapping of `bytes` of CUDA's virtual memory at a place of the heap, and ends it.
  bool map_into_heap(void* place, void* memory, size_t bytes);
  void unmap_from_heap(void* place, size_t bytes);
  bool in_heap(const void* p) const {
    return reinterpret_cast<uint64_t>(p) - log_.heaps < log_.stride * static_cast<uint64_t>(pes());
  }
  // Whether code at this address belongs to the program, not to a library that a PE has called.
  bool in_program(const Pe& pe, const void* code) const {
    return reinterpret_cast<uint64_t>(code) - pe.copy.base < image_.span();
  }
  template <class T>
  T* at_peer(const Pe& pe, T* p, int target) const {
    uint64_t offset = reinterpret_cast<uint64_t>(p) - log_.heaps - static_cast<uint64_t>(pe.id) * log_.stride;
    return reinterpret_cast<T*>(log_.heaps + static_cast<uint64_t>(target) * log_.stride + offset);
  }
  uint64_t heap(int pe) const { return log_.heaps + static_cast<uint64_t>(pe) * log_.stride; }
  uint64_t stride() const { return log_.stride; }  // of heaps
  uint64_t heap_bytes() const {
    return heap_bytes_;
  }  // what has memory; the rest of a stride is for registered buffers
  uint64_t trace_address(int pe, const void* p) const {
    uint64_t offset = reinterpret_cast<uint64_t>(p) - heap(pe);
    return offset < log_.stride ? log_.header.heap_base + static_cast<uint64_t>(pe) * log_.header.heap_stride + offset
                                : reinterpret_cast<uint64_t>(p);
  }
  void copy_now(void* to, const void* from, size_t bytes);  // on a stream of the runtime's own
  int pe_of(const void* in_heap) const {
    return static_cast<int>((reinterpret_cast<uint64_t>(in_heap) - log_.heaps) / log_.stride);
  }
  Time copy_time(const void* to, const void* from, size_t bytes, bool pageable);
  // When a finished command of the PE ended in virtual time; waits until that can be said.
  Time ended(Pe& pe, const Command& command);

  // What one file of C functions keeps for the run: made at first use.
  template <class T>
  T& kept() {
    auto& slot = kept_[typeid(T)];
    if (!slot) slot = std::make_shared<T>();
    return *static_cast<T*>(slot.get());
  }

  const RunOptions options;
  CudaLibrary cuda;
  const Platform platform;
  const Placement placement;
  Cluster cluster;
  std::optional<Demand> tightest;  // of the collective launches: the one that the fewest PEs of a GPU can make
  void write_times() const;
  std::string scaling;  // what was done about computing times of another GPU; empty: nothing

 private:
  void read_times();
  void choose_gpus();
  void select(int gpu) const;  // as CUDA's current device
  char* device_memory(int gpu, size_t bytes);
  void map(uint64_t at, CUmemGenericAllocationHandle memory, size_t bytes);  // for all GPUs
  void prepare_memory();
  void load_add_kernel();
  void load_programs();
  void set_places();
  bool pump();
  bool may_start(const Pe& pe, const Command& command);
  void watch(bool progress);
  [[noreturn]] void stop_kernels();
  bool on_gpu(const Pe& pe) const;  // something that was given to the GPU has not ended
  void finish_launch(Pe& pe, Command& command, float ms, bool exact);
  void measure_empty_kernel(RealGpu& gpu);
  cudaStream_t create_stream(RealGpu& gpu);
  void real_stream(Pe& pe, Stream& stream);
  static void pe_main(void* p);
  void collect(Pe& pe);

  RunLog log_;
  EventQueue queue_;
  std::unique_ptr<Router> router_;
  emu::StackPool stacks_;
  emu::Image image_;
  std::vector<std::unique_ptr<Pe>> pes_;
  std::unique_ptr<Drain> drain_;
  std::vector<RealGpu> gpus_;
  // device and pinned memory
  uint64_t heap_bytes_ = 0;
  uint64_t inbox_ = 0;  // offset in a heap of the trace: counts the messages that a host has got
  std::vector<shmemu_gpu_context> contexts_;
  char* slots_ = nullptr;
  volatile unsigned long long* tails_ = nullptr;
  volatile int* stop_ = nullptr;
  unsigned* peer_pointers_ = nullptr;
  shmemu_gpu_team* teams_ = nullptr;
  int32_t* members_ = nullptr;
  std::map<std::vector<int>, uint32_t> places_of_teams_;
  std::map<std::vector<int>, uint32_t> member_lists_;  // where they are in members_
  std::vector<int32_t> all_members_;
  struct Meeting {
    uint64_t arrived = 0, number = 0;
  };
  std::map<std::vector<int>, Meeting> meetings_;
  std::map<std::type_index, std::shared_ptr<void>> kept_;
  struct Times {
    std::vector<size_t> entries;  // of each PE that waited for its times then; others: 0
    traces::ReplayResult of;
  };
  bool timed(const Pe& pe) const;  // all that the PE's host has done so far
  bool quiet() const;
  std::optional<Times> times_;  // of what had happened then
  std::optional<UserError> failure_;
  std::chrono::steady_clock::time_point last_progress_;
  uint64_t last_count_ = 0;
};

// The run and the PE whose code runs now; null outside.
struct Current {
  GpuRun* run = nullptr;
  Pe* pe = nullptr;
};
Current& current();

}  // namespace shmemu::gpu
