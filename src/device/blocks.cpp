// Blocks: when they become resident, run, leave, and when a kernel has ended.
#include <algorithm>

#include "base/errors.hpp"
#include "device/machine.hpp"

namespace shmemu::device {
namespace {

// Under adverse schedules kernels start up to this late: other PEs may be anywhere.
constexpr uint64_t kStartJitterPs = 20'000'000;

}  // namespace

// Half of the time none.
Time Machine::adverse_pause() {
  if (!options_.adverse || options_.random->below(2) == 0) return {};
  return {static_cast<int64_t>(options_.random->below(kStartJitterPs))};
}

void Machine::start_grid(std::unique_ptr<Grid> owned) {
  Grid& grid = *owned;
  grid.started = queue_.now();
  if (options_.witness) options_.witness->started(grid);
  grids_.push_back(std::move(owned));
  Time jitter;
  if (options_.adverse && !grid.launch.internal)
    jitter = {static_cast<int64_t>(options_.random->below(kStartJitterPs))};
  queue_.at(queue_.now() + gpu_model_.kernel_start + jitter, Rank::agent, [this, g = &grid] {
    Gpu& gpu = gpu_of(*g);
    gpu.waiting.push_back(g);
    dispatch(gpu);
  });
}

void Machine::dispatch(Gpu& gpu) {
  while (!gpu.waiting.empty()) {
    Grid& grid = *gpu.waiting.front();
    if (grid.next_block == grid.blocks()) {
      gpu.waiting.pop_front();
      continue;
    }
    int sm = gpu.find_room(grid);
    if (sm < 0) return;
    start_block(grid, sm);
  }
}

void Machine::start_block(Grid& grid, int sm) {
  gpu_of(grid).occupy(sm, grid, +1);
  grid.live.push_back(std::make_unique<Cta>());
  Cta& cta = *grid.live.back();
  cta.grid = &grid;
  cta.index = static_cast<uint32_t>(grid.next_block++);
  cta.sm = sm;
  queue_.at(queue_.now() + gpu_model_.cta_start, Rank::agent, [this, c = &cta] {
    Grid& g = *c->grid;
    progress();
    g.program->begin(*c);
    std::vector<Work> work;
    if (g.program->run_block(*c, work)) {
      if (options_.recorder) options_.recorder->block_work(*c, work);
      return block_exited(*c, block_time(*c, work));
    }
    uint32_t threads = g.threads();
    c->live = threads;
    c->threads.resize(threads);
    c->warps.resize((threads + 31) / 32);
    c->barriers.resize(Cta::kBarriers);
    for (uint32_t t = 0; t < threads; ++t) {
      Lane& lane = c->threads[t];
      lane.pe = g.pe;
      lane.time = queue_.now();
      lane.warp = &c->warps[t / 32];
      lane.index = static_cast<uint8_t>(t % 32);
      lane.thread = t;
    }
    for (size_t w = 0; w < c->warps.size(); ++w) {
      Warp& warp = c->warps[w];
      warp.cta = c;
      warp.number = static_cast<uint32_t>(w);
      uint32_t count = std::min<uint32_t>(32, threads - static_cast<uint32_t>(w) * 32);
      warp.lanes = warp.live = warp.runnable = count == 32 ? ~0u : (1u << count) - 1;
    }
    for (Warp& warp : c->warps) run_warp(warp);
  });
}

// When a block is through whose threads all ran at once.
Time Machine::block_time(const Cta& cta, const std::vector<Work>& warps) {
  Grid& grid = *cta.grid;
  Gpu& gpu = gpu_of(grid);
  Time from = queue_.now(), end = from;
  for (const Work& work : warps) {
    bool beyond_l2 = gpu.beyond_l2(grid);
    end = std::max(
        {end, from + chain_time(gpu_model_, work, beyond_l2),
         gpu.compute.phase_end(cta.sm, from, from, work.quarter_slots, work.bytes, beyond_l2, gpu.sharers(cta.sm))});
    grid.footprint.add(gpu_model_.l2, work.bytes);
  }
  return end;
}

void Machine::block_exited(Cta& cta, Time end) {
  Grid& grid = *cta.grid;
  cta.finished = true;
  queue_.at(end, Rank::agent, [this, c = &cta, g = &grid] {
    progress();
    if (options_.witness) options_.witness->ended(*c);
    g->program->end(*c);
    Gpu& gpu = gpu_of(*g);
    gpu.occupy(c->sm, *g, -1);
    ++g->finished_blocks;
    c->left = true;
    forget_if_quiet(*c);
    recheck_pe(g->pe);
    maybe_end(*g);
    dispatch(gpu);
  });
}

// A block that has left is kept only while its operations are under way.
void Machine::forget_if_quiet(Cta& cta) {
  if (!cta.left || cta.outstanding.size()) return;
  std::erase_if(cta.grid->live, [&](auto& other) { return other.get() == &cta; });
}

// A kernel ends when its blocks have left and, as long as its stores go over load/store paths, have been acknowledged.
// Under adverse delivery its end promises nothing to other PEs.
void Machine::maybe_end(Grid& grid) {
  if (grid.finished_blocks < grid.blocks() || (grid.stores_in_flight > 0 && !options_.adverse)) return;
  if (!grid.ended) {
    grid.ended = true;
    if (grid.footprint.bytes()) gpu_of(grid).footprint_before = grid.footprint.bytes();
    Time end = queue_.now() + gpu_model_.kernel_end;
    queue_.at(end, Rank::agent, [this, on_end = std::move(grid.on_end)] {
      progress();
      on_end();
    });
  }
  if (grid.in_flight == 0) grids_.remove_if([&](auto& other) { return other.get() == &grid; });
}

}  // namespace shmemu::device
