// OpenSHMEM 1.5, 9.12: distributed locks, first come first served (the queue of Mellor-Crummey and Scott). Of the
// symmetric long, one half on PE 0 names the last in the queue; the other half on each PE says who comes next and
// whether it still has to wait. A PE waits on its own memory, so a lock that nobody clears is found as a deadlock.
#include "emu/api/checks.hpp"
#include "shmem.h"

using namespace shmemu;
using namespace shmemu::emu;

namespace {

constexpr int kHome = 0;
constexpr uint32_t kMustWait = 1u << 31;  // in `mine`; the rest is the next PE + 1

struct Lock {
  int32_t* last;  // PE + 1, on the home PE
  int32_t* mine;
};

Lock halves(long* lock) {
  auto* words = reinterpret_cast<int32_t*>(lock);
  return {words, words + 1};
}

uint64_t checked(long* lock, const char* call, uint64_t site) {
  translate(lock, sizeof *lock, g_current.pe->id, call, "the lock", site);
  return static_cast<uint64_t>(shmem_pe(call, site).shmem.rank) + 1;
}

// Changes the caller's own half, and is done when it returns.
void change_own(int32_t* word, int amo, uint64_t value) {
  __shmemu_atomic(word, amo | SHMEMU_AMO_RESULT, SHMEMU_U32, value, 0, g_current.pe->shmem.rank);
}

}  // namespace

extern "C" {

void shmem_set_lock(long* lock) {
  uint64_t me = checked(lock, "shmem_set_lock", SHMEMU_SITE());
  Outer outer(SHMEMU_SITE());
  auto [last, mine] = halves(lock);
  change_own(mine, SHMEMU_AMO_SWAP, 0);
  uint64_t before = __shmemu_atomic(last, SHMEMU_AMO_SWAP | SHMEMU_AMO_RESULT, SHMEMU_U32, me, 0, kHome);
  if (!before) return;
  change_own(mine, SHMEMU_AMO_OR, kMustWait);  // before the one in front can see it and let it in
  __shmemu_atomic(mine, SHMEMU_AMO_ADD, SHMEMU_U32, me, 0, static_cast<int>(before) - 1);
  __shmemu_wait_until(mine, SHMEMU_I32, SHMEM_CMP_GE, 0);
}

void shmem_clear_lock(long* lock) {
  uint64_t me = checked(lock, "shmem_clear_lock", SHMEMU_SITE());
  Outer outer(SHMEMU_SITE());
  auto [last, mine] = halves(lock);
  shmem_quiet();  // what was done under the lock is done
  uint64_t found = __shmemu_atomic(last, SHMEMU_AMO_COMPARE_SWAP | SHMEMU_AMO_RESULT, SHMEMU_U32, 0, me, kHome);
  if (found == me) return;
  if (!found) program_error(SHMEMU_SITE(), "shmem_clear_lock: nobody holds this lock");
  __shmemu_wait_until(mine, SHMEMU_I32, SHMEM_CMP_NE, 0);  // the next one has the lock's end, and is about to say so
  auto next = static_cast<int>(*mine) - 1;
  __shmemu_atomic(mine, SHMEMU_AMO_AND, SHMEMU_U32, ~kMustWait, 0, next);
}

int shmem_test_lock(long* lock) {
  uint64_t me = checked(lock, "shmem_test_lock", SHMEMU_SITE());
  Outer outer(SHMEMU_SITE());
  auto [last, mine] = halves(lock);
  change_own(mine, SHMEMU_AMO_SWAP, 0);
  return __shmemu_atomic(last, SHMEMU_AMO_COMPARE_SWAP | SHMEMU_AMO_RESULT, SHMEMU_U32, me, 0, kHome) != 0;
}

}  // extern "C"
