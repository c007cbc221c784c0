// OpenSHMEM 1.5, 9.4 and 9.5: teams, which are NVSHMEM's, and contexts, which remember a team.
#include <memory>
#include <set>

#include "emu/api/checks.hpp"
#include "emu/api/teams.hpp"
#include "emu/cuda/runtime_state.hpp"
#include "shmem.h"

using namespace shmemu;
using namespace shmemu::emu;

namespace {

struct Contexts {
  std::map<shmem_ctx_t, std::unique_ptr<shmem_context>> made;
};

bool is_member(Pe& pe, int team) {
  const Members& members = team_members(pe, team);
  return members && index_in(*members, pe.id).has_value();
}

}  // namespace

extern "C" {

shmem_context shmemu_default_context = {SHMEM_TEAM_WORLD, 0};

int __shmemu_context_pe(shmem_ctx_t ctx, int number) {
  uint64_t site = SHMEMU_SITE();
  Pe& pe = shmem_pe("an operation with a context", site);
  if (!ctx) program_error(site, "the context is SHMEM_CTX_INVALID");
  if (ctx->team == SHMEM_TEAM_WORLD) return number;
  const Members& members = team_members(pe, ctx->team);
  if (!members || number < 0 || static_cast<size_t>(number) >= members->size())
    program_error(site, "PE {} does not exist in the team of this context, which has {} PEs", number,
                  members ? members->size() : 0);
  return index_in(pe.shmem.job->members, (*members)[static_cast<size_t>(number)]).value_or(-1);
}

int shmem_team_my_pe(shmem_team_t team) {
  Pe& pe = shmem_pe("shmem_team_my_pe", SHMEMU_SITE());
  const Members& members = team_members(pe, team);
  return members ? index_in(*members, pe.id).value_or(-1) : -1;
}

int shmem_team_n_pes(shmem_team_t team) {
  Pe& pe = shmem_pe("shmem_team_n_pes", SHMEMU_SITE());
  return is_member(pe, team) ? static_cast<int>(team_members(pe, team)->size()) : -1;
}

int shmem_team_get_config(shmem_team_t team, long, shmem_team_config_t* config) {
  Pe& pe = shmem_pe("shmem_team_get_config", SHMEMU_SITE());
  if (!is_member(pe, team)) return -1;
  if (config) config->num_contexts = 0;
  return 0;
}

int shmem_team_translate_pe(shmem_team_t from_team, int number, shmem_team_t to_team) {
  Pe& pe = shmem_pe("shmem_team_translate_pe", SHMEMU_SITE());
  const Members &from = team_members(pe, from_team), &to = team_members(pe, to_team);
  if (!from || !to || number < 0 || number >= static_cast<int>(from->size())) return -1;
  return index_in(*to, (*from)[static_cast<size_t>(number)]).value_or(-1);
}

int shmem_team_split_strided(shmem_team_t parent, int start, int stride, int size, const shmem_team_config_t*, long,
                             shmem_team_t* out) {
  return split_strided(parent, start, stride, size, out, "shmem_team_split_strided", SHMEMU_SITE());
}

int shmem_team_split_2d(shmem_team_t parent, int xrange, const shmem_team_config_t*, long, shmem_team_t* x,
                        const shmem_team_config_t*, long, shmem_team_t* y) {
  return split_2d(parent, xrange, x, y, "shmem_team_split_2d", SHMEMU_SITE());
}

void shmem_team_destroy(shmem_team_t team) { destroy_team(team, "shmem_team_destroy", SHMEMU_SITE()); }

int shmem_team_create_ctx(shmem_team_t team, long options, shmem_ctx_t* out) {
  Pe& pe = shmem_pe("shmem_team_create_ctx", SHMEMU_SITE());
  *out = SHMEM_CTX_INVALID;
  if (!is_member(pe, team)) return -1;
  auto made = std::make_unique<shmem_context>(shmem_context{team, options});
  *out = made.get();
  kept<Contexts>(pe).made[*out] = std::move(made);
  return 0;
}

int shmem_ctx_create(long options, shmem_ctx_t* out) { return shmem_team_create_ctx(SHMEM_TEAM_WORLD, options, out); }

// Completes what was issued on it (9.5.2).
void shmem_ctx_destroy(shmem_ctx_t ctx) {
  uint64_t site = SHMEMU_SITE();
  Pe& pe = shmem_pe("shmem_ctx_destroy", site);
  if (!ctx) return;
  if (!kept<Contexts>(pe).made.contains(ctx))
    program_error(site, "shmem_ctx_destroy: this context is the default one or has been destroyed");
  shmem_ctx_quiet(ctx);
  kept<Contexts>(pe).made.erase(ctx);
}

int shmem_ctx_get_team(shmem_ctx_t ctx, shmem_team_t* out) {
  shmem_pe("shmem_ctx_get_team", SHMEMU_SITE());
  *out = ctx ? ctx->team : SHMEM_TEAM_INVALID;
  return ctx ? 0 : -1;
}

}  // extern "C"
