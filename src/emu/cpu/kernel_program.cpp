#include "emu/cpu/kernel_program.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "emu/core/current.hpp"
#include "emu/core/world.hpp"

shmemu_thread_context* __shmemu_thread = nullptr;

namespace shmemu::emu {

Worker* WorkerPool::take() {
  if (idle_.empty()) {
    all_.push_back(std::make_unique<Worker>());
    all_.back()->fiber = stacks_.take();
    return all_.back().get();
  }
  Worker* worker = idle_.back();
  idle_.pop_back();
  return worker;
}

void WorkerPool::give(Worker* worker) { idle_.push_back(worker); }

void FiberKernel::begin(device::Cta& cta) {
  const device::Launch& l = cta.grid->launch;
  constexpr uint64_t kAlignment = 1024;  // the largest that shared memory may ask for
  uint64_t bytes = (shared_bytes(cta) + 64) / kAlignment * kAlignment + kAlignment;
  auto* state = new BlockState{};
  state->shared = static_cast<char*>(std::aligned_alloc(kAlignment, bytes));
  std::memset(state->shared, 0xcd, bytes);  // shared memory starts undefined: make its use visible
  uint32_t i = cta.index;
  state->context = {.ntid = {l.block.x, l.block.y, l.block.z},
                    .pad0 = 0,
                    .ctaid = {i % l.grid.x, i / l.grid.x % l.grid.y, i / (l.grid.x * l.grid.y)},
                    .pad1 = 0,
                    .nctaid = {l.grid.x, l.grid.y, l.grid.z},
                    .pad2 = 0,
                    .heaps_begin = reinterpret_cast<char*>(world_.heap.base(0)),
                    .heaps_bytes = world_.heap.bytes()};
  cta.context = state;
  cta.shared_begin = state->shared;
  cta.shared_end = state->shared + bytes;
}

void FiberKernel::end(device::Cta& cta) {
  auto* state = static_cast<BlockState*>(cta.context);
  std::free(state->shared);
  delete state;
  cta.context = nullptr;
}

void FiberKernel::set_thread(Worker& worker, device::Lane& lane) {
  auto* state = static_cast<BlockState*>(lane.warp->cta->context);
  const uint32_t* n = state->context.ntid;
  worker.thread = {.tid = {lane.thread % n[0], lane.thread / n[0] % n[1], lane.thread / (n[0] * n[1])},
                   .lane = lane.index,
                   .block = &state->context,
                   .shared = state->shared,
                   .dynamic_shared = state->shared + (static_shared_ + 15) / 16 * 16,
                   .work = reinterpret_cast<uint64_t*>(&lane.work)};
}

void FiberKernel::body(void* argument) {
  auto* worker = static_cast<Worker*>(argument);
  static_cast<FiberKernel*>(worker->cta->grid->program.get())->call(*worker);
  worker->lane->stop = {};
  worker->lane->stop.kind = OpKind::exit;
}

void FiberKernel::enter(Worker& worker, device::Lane* lane, device::Cta& cta) {
  Current outer = g_current;
  shmemu_thread_context* outer_thread = __shmemu_thread;
  g_current = {
      .world = &world_, .pe = &pe_, .actor = lane, .lane = lane, .cta = &cta, .native_site = worker.native_site};
  __shmemu_thread = &worker.thread;
  worker.fiber->enter();
  worker.native_site = g_current.native_site;
  __shmemu_thread = outer_thread;
  g_current = outer;
  if (!worker.fiber->stack_intact())
    throw UserError(ExitCode::program_failed,
                    fmt::format("PE {} kernel {} block {}: a thread has overrun its stack of {} KiB; use less local "
                                "memory or recursion",
                                pe_.id.value, cta.grid->launch.name, cta.index, worker.fiber->stack_bytes() >> 10));
  world_.throw_failure();
}

void FiberKernel::run(device::Lane& lane) {
  auto* worker = static_cast<Worker*>(lane.context);
  if (!worker) {
    lane.context = worker = world_.workers.take();
    worker->lane = &lane;
    worker->native_site = 0;
    worker->cta = lane.warp->cta;
    set_thread(*worker, lane);
    worker->fiber->start(body, worker);
  }
  enter(*worker, &lane, *lane.warp->cta);
  if (lane.stop.kind == OpKind::exit) {
    world_.workers.give(worker);
    lane.context = nullptr;
  }
}

CompiledKernel::CompiledKernel(World& world, Pe& pe, const shmemu_kernel& kernel, const shmemu_module& module,
                               void** arguments, uint64_t dynamic_shared)
    : FiberKernel(world, pe),
      kernel_(kernel),
      checked_(pe.shmem.holds_peer_addresses),
      dynamic_shared_(dynamic_shared) {
  static_shared_ = static_cast<uint64_t>(module.shared_end - module.shared_begin);
  std::vector<size_t> offsets;
  size_t end = 0;
  for (uint32_t i = 0; i < kernel.parameters; ++i) {
    offsets.push_back(end = (end + 15) / 16 * 16);
    end += kernel.parameter_bytes[i];
  }
  values_.resize(end + 16);
  auto base = (reinterpret_cast<uintptr_t>(values_.data()) + 15) / 16 * 16;
  for (uint32_t i = 0; i < kernel.parameters; ++i) {
    auto* to = reinterpret_cast<std::byte*>(base + offsets[i]);
    std::memcpy(to, arguments[i], kernel.parameter_bytes[i]);
    arguments_.push_back(to);
  }
}

void CompiledKernel::block_body(void* argument) {
  auto* worker = static_cast<Worker*>(argument);
  auto* self = static_cast<CompiledKernel*>(worker->cta->grid->program.get());
  self->kernel_.block(self->arguments_.data(), &worker->thread);
}

bool CompiledKernel::run_block(device::Cta& cta, std::vector<device::Work>& warps) {
  if (!kernel_.block || checked_ || world_.options.fibers) return false;
  auto* state = static_cast<BlockState*>(cta.context);
  Worker* worker = world_.workers.take();
  std::vector<shmemu_work> work(cta.grid->threads());
  worker->lane = nullptr;
  worker->cta = &cta;
  worker->thread = {.tid = {},
                    .lane = 0,
                    .block = &state->context,
                    .shared = state->shared,
                    .dynamic_shared = state->shared + (static_shared_ + 15) / 16 * 16,
                    .work = reinterpret_cast<uint64_t*>(work.data())};
  worker->fiber->start(block_body, worker);
  enter(*worker, nullptr, cta);
  world_.workers.give(worker);
  for (size_t t = 0; t < work.size(); ++t) {
    if (t % 32 == 0) warps.emplace_back();
    warps.back().join(work[t], world_.platform.gpu);
  }
  return true;
}

}  // namespace shmemu::emu
