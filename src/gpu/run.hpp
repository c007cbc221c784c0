// A run on a real GPU: one process, every PE a fiber with its own copy of the program, all heaps in one device
// allocation. CUDA's streams are fed from software queues: a command goes to the GPU when all before it has ended, so
// no command waits inside a hardware queue that other PEs need, and no call of one PE blocks the others. The C API
// finds the run through `current()`.
#pragma once
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <typeindex>
#include <vector>

#include "base/errors.hpp"
#include "emu/cpu/fiber.hpp"
#include "emu/cpu/image.hpp"
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
  std::optional<int> pes_per_node;
  std::string platform;
  std::filesystem::path platform_folder, program, record, timeline;
  std::vector<std::string> arguments;
  bool json = false, quiet = false, real_time = false;
  double patience = 10;  // seconds without any progress until the run is stopped
};

struct Command {
  std::string name;
  std::function<void()> start;  // gives the work to the GPU
  std::function<bool()> done;   // has it ended? absent: with `start`
  std::vector<std::shared_ptr<Command>> after;
  uint64_t number = 0;  // of the PE, as in the trace
  int launch = -1;      // number of the kernel
  bool kernel = false;  // one of those of which a GPU runs so many at a time
  bool meets = false;   // waits for other PEs, not for the GPU
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

struct Pe {
  int id = 0;
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
  };
  std::map<void*, std::unique_ptr<Event>> events;
  int device = 0;
  int last_error = 0;
  std::map<const void*, std::string> kernels;  // host stub → name
  std::vector<const void*> places;             // host shadows of __shmemu_gpu_here
  std::vector<CommandRef> running;             // kernels on the GPU

  uint64_t commands = 0;
  Time since;                                // host time that has passed since the last stop
  std::map<uint64_t, uint64_t> allocations;  // of the heap: offset → bytes
  // by members and handle of a team: how many collectives, and splits, it has made
  std::map<std::vector<int>, uint64_t> collectives, splits;
  bool initialised = false;
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
  // Others are blocked, have ended, or wait here as well: what has happened so far can be timed.
  void wait_until_quiet(Pe& pe);

  // --- streams ---
  Stream* find_stream(Pe& pe, void* handle);
  Stream& new_stream(Pe& pe, bool blocking);
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
  void add_on_stream(uint64_t* word, uint64_t value, cudaStream_t stream);  // by a kernel of the runtime's own
  Stream& internal_stream(Pe& pe);
  int occupancy(const void* stub, dim3 block, size_t shared);  // blocks that the GPU holds

  const std::vector<int>& team(const Pe& pe, int handle) {
    return log_.pes[static_cast<size_t>(pe.id)].teams->at(static_cast<size_t>(handle));
  }
  // A handle that is free on all of `pes`; set_team gives it members, upload_teams makes kernels see it.
  int free_team(const std::vector<int>& pes, int except = -1);
  void set_team(int pe, int handle, std::vector<int> members);
  void upload_teams();
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
  uint64_t stride() const { return log_.stride; }
  uint64_t trace_address(int pe, const void* p) const {
    uint64_t offset = reinterpret_cast<uint64_t>(p) - heap(pe);
    return offset < log_.stride ? log_.header.heap_base + static_cast<uint64_t>(pe) * log_.header.heap_stride + offset
                                : reinterpret_cast<uint64_t>(p);
  }
  void copy_now(void* to, const void* from, size_t bytes);  // on a stream of the runtime's own
  Time copy_time(const void* to, const void* from, size_t bytes);
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
  int most_resident = 0;

 private:
  void prepare_memory();
  void load_add_kernel();
  void load_programs();
  void set_places();
  bool pump();
  void watch(bool progress);
  [[noreturn]] void stop_kernels();
  bool on_gpu(const Pe& pe) const;  // something that was given to the GPU has not ended
  void finish_launch(Pe& pe, Command& command, float ms);
  cudaStream_t create_stream();
  void real_stream(Stream& stream);
  static void pe_main(void* p);
  void collect(Pe& pe);

  RunLog log_;
  EventQueue queue_;
  std::unique_ptr<Router> router_;
  emu::StackPool stacks_;
  emu::Image image_;
  std::vector<std::unique_ptr<Pe>> pes_;
  std::unique_ptr<Drain> drain_;
  cudaStream_t own_ = nullptr;
  // device and pinned memory
  char* heaps_ = nullptr;
  uint32_t* launch_words_ = nullptr;  // by PE: number of the kernel that runs
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
  std::vector<cudaStream_t> spare_streams_;  // made before the first kernel: a new hardware queue may wait for kernels
  void* add_kernel_ = nullptr;               // the driver's handle
  int running_kernels_ = 0, real_streams_ = 1;
  struct Times {
    uint64_t entries = 0, records = 0;
    traces::ReplayResult of;
  };
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
