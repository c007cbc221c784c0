// NVSHMEM's host side on real GPUs: the names that programs compiled by `shmemu cc --gpu` call.
#include <algorithm>
#include <cstring>
#include <map>

#include <fmt/format.h>

#include "emu/api/reductions.hpp"
#include "emu/core/first_fit.hpp"
#include "gpu/run.hpp"
#include "shmemu/gpu/host_calls.h"
#include "shmemu/nvshmem/types_constants.h"

namespace shmemu::gpu {
namespace {

GpuRun& run() { return *current().run; }
Pe& me() { return *current().pe; }

Pe& initialised(const char* call) {
  Pe& pe = me();
  if (!pe.initialised)
    run().fail(ExitCode::program_failed,
               fmt::format("PE {}: {} was called before nvshmem_init or after nvshmem_finalize", pe.id, call));
  return pe;
}

// ---- collectives that the host asks for ----

constexpr const char* kNames[] = {"barrier", "sync", "broadcast", "fcollect", "alltoall", "reduce", "reducescatter"};

// The n-th collective of a team: who has come, with which buffers.
struct Gathering {
  size_t arrived = 0;
  std::vector<HostCollective> calls;
  bool over = false;
};
using GatheringRef = std::shared_ptr<Gathering>;
using Gatherings = std::map<std::vector<int>, std::map<uint64_t, GatheringRef>>;  // by members and handle, then number

// Moves the data for everybody, through host memory where something is to be computed.
void perform(const std::vector<int>& members, const Gathering& g) {
  GpuRun& r = run();
  const HostCollective& c = g.calls[0];
  size_t n = members.size(), bytes = c.count * c.element_bytes;
  auto source = [&](size_t m) { return reinterpret_cast<char*>(g.calls[m].source); };
  auto dest = [&](size_t m) { return reinterpret_cast<char*>(g.calls[m].dest); };
  auto copy = [&](char* to, char* from) {
    if (to != from) r.copy_now(to, from, bytes);
  };
  auto reduced = [&](size_t first) {
    std::vector<char> sum(bytes), next(bytes);
    for (size_t m = 0; m < n; ++m) {
      r.copy_now((m ? next : sum).data(), source(m) + first, bytes);
      if (m) emu::reduce_elements(c.type, c.op, sum.data(), next.data(), c.count);
    }
    return sum;
  };
  switch (c.kind) {
    case SHMEMU_COLL_BROADCAST:
      for (size_t m = 0; m < n; ++m) copy(dest(m), source(static_cast<size_t>(c.root)));
      break;
    case SHMEMU_COLL_FCOLLECT:
      for (size_t m = 0; m < n; ++m)
        for (size_t k = 0; k < n; ++k) copy(dest(m) + k * bytes, source(k));
      break;
    case SHMEMU_COLL_ALLTOALL:
      for (size_t m = 0; m < n; ++m)
        for (size_t k = 0; k < n; ++k) copy(dest(m) + k * bytes, source(k) + m * bytes);
      break;
    case SHMEMU_COLL_REDUCE: {
      std::vector<char> sum = reduced(0);
      for (size_t m = 0; m < n; ++m) r.copy_now(dest(m), sum.data(), bytes);
      break;
    }
    case SHMEMU_COLL_REDUCESCATTER: {
      std::vector<std::vector<char>> parts;
      for (size_t m = 0; m < n; ++m) parts.push_back(reduced(m * bytes));
      for (size_t m = 0; m < n; ++m) r.copy_now(dest(m), parts[m].data(), bytes);
      break;
    }
    default:
      break;
  }
}

CommandRef collective_on(Stream& stream, const HostCollective& call, const char* name) {
  Pe& pe = me();
  if (run().capture(pe, stream, [call, name](Stream& s) { collective_on(s, call, name); })) return nullptr;
  const std::vector<int>& members = run().team(pe, call.team);
  std::vector<int> key = members;
  key.push_back(-1 - call.team);
  uint64_t number = pe.collectives[key]++;
  GatheringRef g = run().kept<Gatherings>()[key][number];
  if (!g) {
    g = run().kept<Gatherings>()[key][number] = std::make_shared<Gathering>();
    g->calls.resize(members.size());
  }
  auto rank = static_cast<size_t>(std::find(members.begin(), members.end(), pe.id) - members.begin());
  HostCollective& mine = g->calls[rank];
  for (const HostCollective& other : g->calls)
    if (other.element_bytes && (other.kind != call.kind || other.count != call.count || other.root != call.root))
      run().fail(
          ExitCode::program_failed,
          fmt::format("coll.mismatch: collective {} of team {}: PE {} calls {} with {} elements, another PE {} with {}",
                      number, call.team, pe.id, kNames[call.kind], call.count, kNames[other.kind], other.count));
  mine = call;
  if (!mine.element_bytes) mine.element_bytes = 1;
  return run().launch_collective(
      pe, stream, call, name,
      [g, members, key, number] {
        if (++g->arrived < members.size()) return;
        perform(members, *g);
        g->over = true;
        run().kept<Gatherings>()[key].erase(number);
      },
      [g] { return g->over; });
}

void host_collective(const HostCollective& call, const char* name) {
  Pe& pe = me();
  run().wait_for(pe, collective_on(run().internal_stream(pe), call, name));
}
void host_barrier(const char* name) { host_collective({.kind = SHMEMU_COLL_BARRIER}, name); }

Stream& stream_of(void* handle, const char* call) {
  Stream* s = run().find_stream(me(), handle);
  if (!s) run().fail(ExitCode::program_failed, fmt::format("PE {}: {} on a stream that does not exist", me().id, call));
  return *s;
}

// ---- the symmetric heap ----

using Heaps = std::map<int, emu::FirstFit>;  // by PE
struct RegisteredPlaces : Heaps {};          // behind the heap

void* allocate(size_t bytes, size_t alignment, bool clear, const char* call) {
  Pe& pe = initialised(call);
  GpuRun& r = run();
  if (!bytes) return nullptr;
  auto& heap = r.kept<Heaps>().try_emplace(pe.id, emu::FirstFit(r.heap_bytes())).first->second;
  auto offset = heap.allocate(bytes, std::max<size_t>(alignment, emu::FirstFit::kAlignment));
  char* p = offset ? reinterpret_cast<char*>(r.heap(pe.id) + *offset) : nullptr;
  if (p) pe.allocations[*offset] = bytes;
  if (p && clear) {
    const std::vector<char> zeros(std::min<size_t>(bytes, 1 << 20));
    for (size_t at = 0; at < bytes; at += zeros.size())
      r.copy_now(p + at, zeros.data(), std::min(zeros.size(), bytes - at));
  }
  host_barrier(call);
  return p;
}

void free_heap(void* p, const char* call) {
  Pe& pe = initialised(call);
  if (!p) return;
  uint64_t offset = reinterpret_cast<uint64_t>(p) - run().heap(pe.id);
  auto at = pe.allocations.find(offset);
  if (at == pe.allocations.end())
    run().fail(ExitCode::program_failed,
               fmt::format("PE {}: {}: {} was not returned by nvshmem_malloc on this PE", pe.id, call, p));
  host_barrier(call);
  run().kept<Heaps>().at(pe.id).release(offset, at->second);
  pe.allocations.erase(at);
}

void enter(const char* call) {
  if (me().initialised++ == 0) host_barrier(call);
}

// ---- point to point by the host ----

void host_op(OpKind kind, const void* remote, const void* local, uint64_t bytes, int target, uint64_t value = 0) {
  Pe& pe = me();
  GpuRun& r = run();
  traces::HostEntry e;
  e.since = std::exchange(pe.since, {});
  e.op.kind = kind;
  e.op.flags = Op::kCopyEngine;
  e.op.issuer = {pe.id};
  e.op.target = {target};
  e.op.bytes = bytes;
  e.op.value = value;
  if (remote) e.op.remote = r.trace_address(target, r.at_peer(pe, static_cast<const char*>(remote), target));
  e.op.local = r.trace_address(pe.id, local);
  r.log(pe).host.push_back(e);
}

Op stream_op(OpKind kind, const void* remote, const void* local, uint64_t bytes, int target) {
  Pe& pe = me();
  GpuRun& r = run();
  Op op;
  op.kind = kind;
  op.flags = Op::kCopyEngine;
  op.issuer = {pe.id};
  op.target = {target};
  op.bytes = bytes;
  if (remote) op.remote = r.trace_address(target, r.at_peer(pe, static_cast<const char*>(remote), target));
  op.local = r.trace_address(pe.id, local);
  return op;
}
Op quiet_op() {
  Op op;
  op.kind = OpKind::quiet;
  op.issuer = op.target = {me().id};
  return op;
}
std::vector<traces::LaneEntry> entries(std::initializer_list<Op> ops) {
  std::vector<traces::LaneEntry> list;
  for (const Op& op : ops) list.push_back({op, {}, {}, {}});
  return list;
}

[[noreturn]] void not_there(const char* call) {
  run().fail(ExitCode::program_failed,
             fmt::format("PE {}: {} is not supported on real GPUs yet; use --executor cpu", me().id, call));
}

size_t word_bytes(int type) {
  return type == SHMEMU_I32 || type == SHMEMU_U32 ? 4 : type == SHMEMU_I16 || type == SHMEMU_U16 ? 2 : 8;
}
uint64_t word(const volatile void* at, int type) {
  uint64_t value = 0;
  run().copy_now(&value, const_cast<const void*>(at), word_bytes(type));
  return value;
}
bool holds(int type, uint64_t a, int cmp, uint64_t b) {
  auto compare = [cmp](auto x, auto y) {
    bool answers[] = {x == y, x != y, x > y, x <= y, x < y, x >= y};
    return answers[cmp];
  };
  switch (type) {
    case SHMEMU_I16:
      return compare(static_cast<int16_t>(a), static_cast<int16_t>(b));
    case SHMEMU_I32:
      return compare(static_cast<int32_t>(a), static_cast<int32_t>(b));
    case SHMEMU_I64:
      return compare(static_cast<int64_t>(a), static_cast<int64_t>(b));
    default:
      return compare(a, b);
  }
}

// What a wait in a stream is for: words of this PE's heap, each with the value it is compared with.
using AwaitedWords = std::vector<std::pair<const void*, uint64_t>>;

// `words` is asked when all before it in the stream has ended: what it reads may be written by the stream until then.
void wait_on_stream(const char* call, std::function<AwaitedWords()> words, int type, int cmp, Stream& stream) {
  Pe& pe = initialised(call);
  if (run().capture(pe, stream, [=](Stream& s) { wait_on_stream(call, words, type, cmp, s); })) return;
  size_t number = run().log(pe).launches.size();
  auto awaited = std::make_shared<AwaitedWords>();
  auto start = [=, &pe, words = std::move(words)](cudaStream_t) {
    *awaited = words();
    for (auto& [at, value] : *awaited) {
      Op op;
      op.kind = OpKind::wait;
      op.issuer = op.target = {pe.id};
      op.remote = run().trace_address(pe.id, at);
      op.bytes = word_bytes(type);
      op.type = static_cast<uint8_t>(type);
      op.function = static_cast<uint8_t>(cmp);
      op.value = value;
      run().log(pe).launches[number].operations.push_back({op, {}, {}, {}});
    }
  };
  auto command = run().launch_operations(pe, stream, call, {}, std::move(start));
  command->meets = true;
  command->done = [=] {
    return std::all_of(awaited->begin(), awaited->end(),
                       [&](auto& w) { return holds(type, word(w.first, type), cmp, w.second); });
  };
}

// Gives the change of a signal word to the stream. Sums are made on the GPU: other PEs add at the same time.
struct SignalChange {
  int issuer;
  uint64_t* word;
  uint64_t value;
  bool add;
  std::shared_ptr<uint64_t> kept = std::make_shared<uint64_t>(value);  // source of the copy
  void operator()(cudaStream_t s) const {
    GpuRun& r = run();
    if (add) return r.add_on_stream(r.pe(issuer), word, value, s);
    check(r.cuda, r.cuda.cudaMemcpyAsync(word, kept.get(), sizeof *kept, cudaMemcpyDefault, s), "cudaMemcpyAsync");
  }
};

void strided_on_stream(OpKind kind, const char* call, void* dest, const void* source, ptrdiff_t dest_stride,
                       ptrdiff_t source_stride, size_t elements, size_t size, int pe, cudaStream_t stream) {
  bool put = kind == OpKind::iput;
  Pe& mine = initialised(call);
  Op op = stream_op(kind, put ? dest : source, put ? source : dest, elements * size, pe);
  op.flags = 0;
  op.elements = elements;
  op.remote_stride = (put ? dest_stride : source_stride) * static_cast<int64_t>(size);
  op.local_stride = (put ? source_stride : dest_stride) * static_cast<int64_t>(size);
  if (put) dest = run().at_peer(mine, static_cast<char*>(dest), pe);
  if (!put) source = run().at_peer(mine, static_cast<const char*>(source), pe);
  size_t to_pitch = static_cast<size_t>(dest_stride) * size, from_pitch = static_cast<size_t>(source_stride) * size;
  run().launch_operations(
      mine, stream_of(stream, call), call, entries({op, quiet_op()}), [=, &r = run()](cudaStream_t s) {
        check(r.cuda,
              r.cuda.cudaMemcpy2DAsync(dest, to_pitch, source, from_pitch, size, elements, cudaMemcpyDefault, s),
              "cudaMemcpy2DAsync");
      });
}

// ---- teams ----

struct Split {
  std::vector<std::vector<std::vector<int>>> wanted;  // by PE of the run: members of each new team, empty = none
  std::vector<int> handles;
};
using Splits =
    std::map<std::pair<std::vector<int>, uint64_t>, std::shared_ptr<Split>>;  // by parent's members, and number

// Every member of `parent` says which teams it wants; they get equal handles everywhere.
std::vector<int> split(int parent, std::vector<std::vector<int>> wanted) {
  GpuRun& r = run();
  Pe& pe = me();
  const std::vector<int> members = r.team(pe, parent);
  std::vector<int> key = members;
  key.push_back(-1 - parent);
  auto& s = r.kept<Splits>()[{key, pe.splits[key]++}];
  if (!s) s = std::make_shared<Split>();
  if (s->wanted.empty()) s->wanted.resize(static_cast<size_t>(r.pes()));
  size_t teams = wanted.size();
  s->wanted[static_cast<size_t>(pe.id)] = std::move(wanted);
  std::shared_ptr<Split> mine = s;
  r.meet(pe, parent, "nvshmem_team_split", [&] {
    for (size_t t = 0; t < teams; ++t) mine->handles.push_back(r.free_team(members, t ? mine->handles[0] : -1));
    for (int m : members)
      for (size_t t = 0; t < teams; ++t) r.set_team(m, mine->handles[t], mine->wanted[static_cast<size_t>(m)][t]);
    r.upload_teams();
  });
  host_collective({.kind = SHMEMU_COLL_SYNC, .team = parent}, "nvshmem_team_split");
  std::vector<int> result;
  for (size_t t = 0; t < teams; ++t)
    result.push_back(mine->wanted[static_cast<size_t>(pe.id)][t].empty() ? NVSHMEM_TEAM_INVALID : mine->handles[t]);
  return result;
}

// A team of PEs that an id brings together.
struct Init {
  std::vector<int> members;
  int come = 0, handle = NVSHMEM_TEAM_INVALID;
};
struct Inits {
  uint64_t ids = 0;
  std::map<uint64_t, std::shared_ptr<Init>> of;
};

bool valid_team(int team) { return team >= 0 && team < 64 && !run().team(me(), team).empty(); }

}  // namespace
}  // namespace shmemu::gpu

using namespace shmemu;
using namespace shmemu::gpu;

extern "C" {

// ---- start, end ----
void nvshmem_init() { enter("nvshmem_init"); }
int nvshmem_init_thread(int, int* provided) {
  enter("nvshmem_init_thread");
  if (provided) *provided = NVSHMEM_THREAD_SERIALIZED;
  return 0;
}
void nvshmem_query_thread(int* provided) { *provided = NVSHMEM_THREAD_SERIALIZED; }
int nvshmemx_init_status() { return me().initialised ? NVSHMEM_STATUS_IS_INITIALIZED : NVSHMEM_STATUS_NOT_INITIALIZED; }
void nvshmem_finalize() {
  if (initialised("nvshmem_finalize").initialised == 1) host_barrier("nvshmem_finalize");
  --me().initialised;
}
void shmemu_host_global_exit(int status) {
  run().fail(status ? ExitCode::program_failed : ExitCode::fine,
             fmt::format("PE {}: called nvshmem_global_exit({})", me().id, status));
}
int shmemu_host_my_pe() { return initialised("nvshmem_my_pe").id; }
int shmemu_host_n_pes() { return initialised("nvshmem_n_pes"), run().pes(); }

// ---- memory ----
void* nvshmem_malloc(size_t bytes) { return allocate(bytes, 0, false, "nvshmem_malloc"); }
void* nvshmem_calloc(size_t count, size_t size) { return allocate(count * size, 0, true, "nvshmem_calloc"); }
void* nvshmem_align(size_t alignment, size_t bytes) { return allocate(bytes, alignment, false, "nvshmem_align"); }
void nvshmem_free(void* p) { free_heap(p, "nvshmem_free"); }
void* shmemu_host_pointer(const void* mine, int pe) {
  GpuRun& r = run();
  uint64_t offset = reinterpret_cast<uint64_t>(mine) - r.heap(me().id);
  if (pe < 0 || pe >= r.pes() || offset >= r.stride() || !r.cluster.load_store({me().id}, {pe})) return nullptr;
  return r.at_peer(me(), static_cast<char*>(const_cast<void*>(mine)), pe);
}
// Memory of CUDA's virtual memory management under a second address, which is the same offset on all PEs. Collective.
void* nvshmemx_buffer_register_symmetric(void* buffer, size_t bytes, int flags) {
  Pe& pe = initialised("nvshmemx_buffer_register_symmetric");
  GpuRun& r = run();
  constexpr uint64_t kGranularity = 2 << 20;
  if (flags || !bytes || bytes % kGranularity) return nullptr;
  auto& places =
      r.kept<RegisteredPlaces>().try_emplace(pe.id, emu::FirstFit(r.stride() - r.heap_bytes())).first->second;
  auto offset = places.allocate(bytes, kGranularity);
  char* place = offset ? reinterpret_cast<char*>(r.heap(pe.id) + r.heap_bytes() + *offset) : nullptr;
  if (!place || !r.map_into_heap(place, buffer, bytes)) return nullptr;
  pe.registered[place] = bytes;
  host_barrier("nvshmemx_buffer_register_symmetric");  // one for the place, one for the mapping, as in the CPU executor
  host_barrier("nvshmemx_buffer_register_symmetric");
  return place;
}
int nvshmemx_buffer_unregister_symmetric(void* place, size_t bytes) {
  Pe& pe = initialised("nvshmemx_buffer_unregister_symmetric");
  auto at = pe.registered.find(place);
  if (at == pe.registered.end() || at->second != bytes) return NVSHMEMX_ERROR_INVALID_VALUE;
  pe.registered.erase(at);
  host_barrier("nvshmemx_buffer_unregister_symmetric");  // nobody uses it any more
  run().unmap_from_heap(place, bytes);
  uint64_t offset = reinterpret_cast<uint64_t>(place) - run().heap(pe.id) - run().heap_bytes();
  run().kept<RegisteredPlaces>().at(pe.id).release(offset, bytes);
  host_barrier("nvshmemx_buffer_unregister_symmetric");
  return NVSHMEMX_SUCCESS;
}
int nvshmemx_buffer_register(void*, size_t) { return 0; }
int nvshmemx_buffer_unregister(void*) { return 0; }
void nvshmemx_buffer_unregister_all() {}

// ---- teams ----
int shmemu_host_team_field(int team, int size) {
  initialised("nvshmem_team_my_pe");
  if (!valid_team(team)) return -1;
  const std::vector<int>& members = run().team(me(), team);
  if (size) return static_cast<int>(members.size());
  return static_cast<int>(std::find(members.begin(), members.end(), me().id) - members.begin());
}
int shmemu_host_translate(int from, int pe, int to) {
  if (!valid_team(from) || !valid_team(to)) return -1;
  const std::vector<int>&a = run().team(me(), from), &b = run().team(me(), to);
  if (pe < 0 || pe >= static_cast<int>(a.size())) return -1;
  auto at = std::find(b.begin(), b.end(), a[static_cast<size_t>(pe)]);
  return at == b.end() ? -1 : static_cast<int>(at - b.begin());
}
int nvshmem_team_split_strided(int parent, int start, int stride, int size, const nvshmem_team_config_t*, long,
                               int* out) {
  initialised("nvshmem_team_split_strided");
  *out = NVSHMEM_TEAM_INVALID;
  if (!valid_team(parent) || start < 0 || stride < 1 || size < 1) return -1;
  const std::vector<int>& all = run().team(me(), parent);
  std::vector<int> members;
  for (int i = 0; i < size; ++i) {
    int at = start + i * stride;
    if (at < 0 || at >= static_cast<int>(all.size())) return -1;
    members.push_back(all[static_cast<size_t>(at)]);
  }
  bool in = std::find(members.begin(), members.end(), me().id) != members.end();
  *out = split(parent, {in ? members : std::vector<int>{}})[0];
  return 0;
}
int nvshmem_team_split_2d(int parent, int xrange, const nvshmem_team_config_t*, long, int* x,
                          const nvshmem_team_config_t*, long, int* y) {
  initialised("nvshmem_team_split_2d");
  *x = *y = NVSHMEM_TEAM_INVALID;
  if (!valid_team(parent) || xrange < 1) return -1;
  const std::vector<int>& all = run().team(me(), parent);
  int n = static_cast<int>(all.size()), range = std::min(xrange, n);
  int rank = static_cast<int>(std::find(all.begin(), all.end(), me().id) - all.begin());
  std::vector<int> row, column;
  for (int i = 0; i < n; ++i) {
    if (i / range == rank / range) row.push_back(all[static_cast<size_t>(i)]);
    if (i % range == rank % range) column.push_back(all[static_cast<size_t>(i)]);
  }
  std::vector<int> handles = split(parent, {row, column});
  *x = handles[0], *y = handles[1];
  return 0;
}
int nvshmemx_team_get_uniqueid(nvshmemx_team_uniqueid_t* id) {
  *id = static_cast<uint64_t>(initialised("nvshmemx_team_get_uniqueid").id) << 32 | run().kept<Inits>().ids++;
  return 0;
}
int nvshmemx_team_init(int* out, nvshmem_team_config_t* config, long mask, int pes, int index) {
  Pe& pe = initialised("nvshmemx_team_init");
  *out = NVSHMEM_TEAM_INVALID;
  bool named = config && mask & NVSHMEM_TEAM_CONFIG_MASK_UNIQUEID;
  if (!named || index < 0 || index >= pes) return NVSHMEMX_ERROR_INVALID_VALUE;
  auto& init = run().kept<Inits>().of[config->uniqueid];
  if (!init) init = std::make_shared<Init>();
  init->members.resize(static_cast<size_t>(pes));
  init->members[static_cast<size_t>(index)] = pe.id;
  std::shared_ptr<Init> mine = init;
  if (++mine->come < pes) {
    run().wait(pe, "waits in nvshmemx_team_init", [mine] { return mine->handle >= 0; });
    run().log_arrival(pe);
  } else {
    for (int m : mine->members)
      if (m != pe.id) run().log_message(pe, m, static_cast<uint64_t>(pes) * sizeof(int));
    int handle = run().free_team(mine->members);
    for (int m : mine->members) run().set_team(m, handle, mine->members);
    run().upload_teams();
    mine->handle = handle;
    run().kept<Inits>().of.erase(config->uniqueid);
  }
  *out = mine->handle;
  host_collective({.kind = SHMEMU_COLL_SYNC, .team = mine->handle}, "nvshmemx_team_init");
  return 0;
}
void nvshmem_team_get_config(int, nvshmem_team_config_t* config) { config->num_contexts = 0; }
void nvshmem_team_destroy(int team) {
  if (team < NVSHMEM_TEAMS_MIN || !valid_team(team)) return;
  host_collective({.kind = SHMEMU_COLL_SYNC, .team = team}, "nvshmem_team_destroy");
  run().set_team(me().id, team, {});
  run().upload_teams();
}

// ---- collectives ----
int shmemu_host_collective(int kind, int team, void* dest, const void* source, size_t count, size_t element_bytes,
                           int type, int op, int root, int) {
  initialised(kNames[kind]);
  if (!valid_team(team)) return -1;
  host_collective({kind, team, reinterpret_cast<uint64_t>(dest), reinterpret_cast<uint64_t>(source), count,
                   element_bytes, type, op, root},
                  kNames[kind]);
  return 0;
}
int __shmemu_collective_on_stream(int kind, int team, void* dest, const void* source, size_t count,
                                  size_t element_bytes, int type, int op, int root, struct CUstream_st* stream) {
  initialised(kNames[kind]);
  if (!valid_team(team)) return -1;
  collective_on(stream_of(stream, kNames[kind]),
                {kind, team, reinterpret_cast<uint64_t>(dest), reinterpret_cast<uint64_t>(source), count, element_bytes,
                 type, op, root},
                kNames[kind]);
  me().since += run().platform.host.launch_call;
  return 0;
}

// ---- point to point ----
void shmemu_host_put(void* dest, const void* source, size_t bytes, int pe, int, int) {
  host_op(OpKind::put, dest, source, bytes, pe);
  run().copy_now(run().at_peer(initialised("put"), static_cast<char*>(dest), pe), source, bytes);
}
void shmemu_host_get(void* dest, const void* source, size_t bytes, int pe, int, int) {
  host_op(OpKind::get, source, dest, bytes, pe);
  run().copy_now(dest, run().at_peer(initialised("get"), static_cast<const char*>(source), pe), bytes);
}
void shmemu_host_p(void* dest, const void* value, size_t bytes, int pe) {
  shmemu_host_put(dest, value, bytes, pe, 0, 0);
}
void shmemu_host_g(void* result, const void* source, size_t bytes, int pe) {
  shmemu_host_get(result, source, bytes, pe, 0, 0);
}
void shmemu_host_strided(int kind, void* dest, const void* source, ptrdiff_t dest_stride, ptrdiff_t source_stride,
                         size_t elements, size_t element_bytes, int pe, int) {
  for (size_t i = 0; i < elements; ++i) {
    char* to = static_cast<char*>(dest) + static_cast<ptrdiff_t>(i * element_bytes) * dest_stride;
    const char* from = static_cast<const char*>(source) + static_cast<ptrdiff_t>(i * element_bytes) * source_stride;
    if (kind == SHMEMU_LOG_IPUT) {
      shmemu_host_put(to, from, element_bytes, pe, 0, 0);
    } else {
      shmemu_host_get(to, from, element_bytes, pe, 0, 0);
    }
  }
}
void shmemu_host_quiet() {
  traces::HostEntry e;
  e.since = std::exchange(me().since, {});
  e.op = quiet_op();
  run().log(me()).host.push_back(e);
}
uint64_t shmemu_host_signal_fetch(const uint64_t* at) { return word(at, SHMEMU_U64); }
int shmemu_host_test(const volatile void* at, int type, int cmp, uint64_t value) {
  run().wait(me(), "tests a flag", [] { return true; });
  return holds(type, word(at, type), cmp, value);
}
uint64_t shmemu_host_wait(const volatile void*, int, int, uint64_t) { not_there("a wait called by the host"); }
size_t shmemu_host_wait_set(int, int, const volatile void*, size_t, size_t*, const int*, int, int, uint64_t,
                            const void*) {
  not_there("a wait called by the host");
}
void shmemu_host_put_signal(void*, const void*, size_t, uint64_t*, uint64_t, int, int, int, int) {
  not_there("put_signal called by the host");
}
void shmemu_host_signal_op(uint64_t*, uint64_t, int, int) { not_there("signal_op called by the host"); }
uint64_t shmemu_host_atomic(void*, int, int, uint64_t, uint64_t, int) { not_there("an atomic called by the host"); }

// ---- on streams ----
void __shmemu_put_on_stream(void* dest, const void* source, size_t bytes, int pe, int, struct CUstream_st* stream) {
  void* to = run().at_peer(initialised("put_on_stream"), static_cast<char*>(dest), pe);
  run().launch_operations(me(), stream_of(stream, "put_on_stream"), "put_on_stream",
                          entries({stream_op(OpKind::put, dest, source, bytes, pe), quiet_op()}),
                          [&r = run(), to, source, bytes](cudaStream_t s) {
                            r.cuda.cudaMemcpyAsync(to, source, bytes, cudaMemcpyDefault, s);
                          });
}
void __shmemu_get_on_stream(void* dest, const void* source, size_t bytes, int pe, int, struct CUstream_st* stream) {
  const void* from = run().at_peer(initialised("get_on_stream"), static_cast<const char*>(source), pe);
  run().launch_operations(me(), stream_of(stream, "get_on_stream"), "get_on_stream",
                          entries({stream_op(OpKind::get, source, dest, bytes, pe)}),
                          [&r = run(), dest, from, bytes](cudaStream_t s) {
                            r.cuda.cudaMemcpyAsync(dest, from, bytes, cudaMemcpyDefault, s);
                          });
}
void __shmemu_p_on_stream(void* dest, const void* value, size_t bytes, int pe, struct CUstream_st* stream) {
  void* to = run().at_peer(initialised("p_on_stream"), static_cast<char*>(dest), pe);
  auto kept =
      std::make_shared<std::vector<char>>(static_cast<const char*>(value), static_cast<const char*>(value) + bytes);
  Op op = stream_op(OpKind::p, dest, nullptr, bytes, pe);
  op.flags = 0;
  auto list = entries({op, quiet_op()});
  list[0].payload = Payload(kept->data(), bytes);
  run().launch_operations(me(), stream_of(stream, "p_on_stream"), "p_on_stream", std::move(list),
                          [&r = run(), to, kept](cudaStream_t s) {
                            r.cuda.cudaMemcpyAsync(to, kept->data(), kept->size(), cudaMemcpyDefault, s);
                          });
}
void __shmemu_quiet_on_stream(struct CUstream_st* stream) {
  run().launch_operations(me(), stream_of(stream, "quiet_on_stream"), "quiet_on_stream", entries({quiet_op()}),
                          [](cudaStream_t) {});
}
void __shmemu_put_signal_on_stream(void* dest, const void* source, size_t bytes, uint64_t* signal, uint64_t value,
                                   int signal_op, int pe, int, struct CUstream_st* stream) {
  char* to = run().at_peer(initialised("put_signal_on_stream"), static_cast<char*>(dest), pe);
  SignalChange change{me().id, run().at_peer(me(), signal, pe), value, signal_op == NVSHMEM_SIGNAL_ADD};
  Op op = stream_op(OpKind::put_signal, dest, source, bytes, pe);
  op.signal = run().trace_address(pe, change.word);
  op.value = value;
  op.signal_op = static_cast<uint8_t>(signal_op);
  run().launch_operations(
      me(), stream_of(stream, "put_signal_on_stream"), "put_signal_on_stream", entries({op, quiet_op()}),
      [&r = run(), to, source, bytes, change](cudaStream_t s) {
        if (bytes) check(r.cuda, r.cuda.cudaMemcpyAsync(to, source, bytes, cudaMemcpyDefault, s), "cudaMemcpyAsync");
        change(s);
      },
      change.add);
}
void __shmemu_signal_op_on_stream(uint64_t* signal, uint64_t value, int signal_op, int pe, struct CUstream_st* stream) {
  SignalChange change{me().id, run().at_peer(initialised("signal_op_on_stream"), signal, pe), value,
                      signal_op == NVSHMEM_SIGNAL_ADD};
  Op op = stream_op(OpKind::signal, signal, nullptr, 0, pe);
  op.flags = 0, op.local = 0;
  op.signal = op.remote;
  op.value = value;
  op.signal_op = static_cast<uint8_t>(signal_op);
  run().launch_operations(me(), stream_of(stream, "signal_op_on_stream"), "signal_op_on_stream",
                          entries({op, quiet_op()}), change, change.add);
}
void __shmemu_iput_on_stream(void* dest, const void* source, ptrdiff_t dest_stride, ptrdiff_t source_stride,
                             size_t elements, size_t size, int pe, struct CUstream_st* stream) {
  strided_on_stream(OpKind::iput, "iput_on_stream", dest, source, dest_stride, source_stride, elements, size, pe,
                    stream);
}
void __shmemu_iget_on_stream(void* dest, const void* source, ptrdiff_t dest_stride, ptrdiff_t source_stride,
                             size_t elements, size_t size, int pe, struct CUstream_st* stream) {
  strided_on_stream(OpKind::iget, "iget_on_stream", dest, source, dest_stride, source_stride, elements, size, pe,
                    stream);
}
void __shmemu_wait_until_on_stream(void* at, int type, int cmp, uint64_t value, struct CUstream_st* stream) {
  wait_on_stream(
      "wait_until_on_stream",
      [=] {
        return AwaitedWords{{at, value}};
      },
      type, cmp, stream_of(stream, "wait_until_on_stream"));
}
void __shmemu_signal_wait_until_on_stream(uint64_t* at, int cmp, uint64_t value, struct CUstream_st* stream) {
  wait_on_stream(
      "signal_wait_until_on_stream",
      [=] {
        return AwaitedWords{{at, value}};
      },
      SHMEMU_U64, cmp, stream_of(stream, "signal_wait_until_on_stream"));
}
// `status` and `values` are arrays of the GPU.
void __shmemu_wait_set_on_stream(void* at, size_t elements, const int* status, int type, int cmp, uint64_t value,
                                 const void* values, struct CUstream_st* stream) {
  auto words = [=] {
    std::vector<int> left_out(elements);
    if (status) run().copy_now(left_out.data(), status, elements * sizeof(int));
    AwaitedWords list;
    size_t bytes = word_bytes(type);
    for (size_t i = 0; i < elements; ++i)
      if (!left_out[i])
        list.emplace_back(static_cast<char*>(at) + i * bytes,
                          values ? word(static_cast<const char*>(values) + i * bytes, type) : value);
    return list;
  };
  wait_on_stream("wait_until_all_on_stream", words, type, cmp, stream_of(stream, "wait_until_all_on_stream"));
}
// The value is returned by the call: it waits for the stream.
void __shmemu_g_on_stream(void* result, const void* source, size_t bytes, int pe, struct CUstream_st* stream) {
  const void* from = run().at_peer(initialised("g_on_stream"), static_cast<const char*>(source), pe);
  Op op = stream_op(OpKind::g, source, nullptr, bytes, pe);
  op.flags = 0, op.local = 0;
  auto command = run().launch_operations(
      me(), stream_of(stream, "g_on_stream"), "g_on_stream", entries({op}),
      [&r = run(), result, from, bytes](cudaStream_t s) {
        check(r.cuda, r.cuda.cudaMemcpyAsync(result, from, bytes, cudaMemcpyDefault, s), "cudaMemcpyAsync");
      });
  run().wait_for(me(), command);
}

// ---- collective launch ----
int nvshmemx_collective_launch_query_gridsize(const void* stub, dim3 block, void**, size_t shared, int* grid) {
  initialised("nvshmemx_collective_launch_query_gridsize");
  int fits = run().occupancy(stub, block, shared) / run().gpu(me()).pes;  // the PEs of a GPU share it
  if (!grid || fits < 1) return NVSHMEMX_ERROR_INVALID_VALUE;
  *grid = fits;
  return NVSHMEMX_SUCCESS;
}
int nvshmemx_collective_launch(const void* stub, dim3 grid, dim3 block, void** arguments, size_t shared,
                               cudaStream_t stream) {
  Pe& pe = initialised("nvshmemx_collective_launch");
  GpuRun& r = run();
  if (grid.x == 0 && grid.y == 0 && grid.z == 0) {
    int fits = 0;
    if (nvshmemx_collective_launch_query_gridsize(stub, block, arguments, shared, &fits))
      return NVSHMEMX_ERROR_INVALID_VALUE;
    grid = dim3(static_cast<unsigned>(fits));
  }
  pe.since += r.platform.host.collective_launch_call;
  return r.launch(pe, stream_of(stream, "nvshmemx_collective_launch"), stub, grid, block, arguments, shared, true, true)
             ? NVSHMEMX_SUCCESS
             : NVSHMEMX_ERROR_COLLECTIVE_LAUNCH_FAILED;
}

}  // extern "C"
