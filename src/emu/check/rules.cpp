#include "emu/check/rules.hpp"

#include "shmemu/abi.h"

namespace shmemu::emu::checks {
namespace {

bool is_local(const Access& a) { return a.how == How::load || a.how == How::store; }
bool is_flag_write(const Access& a) {
  return a.how == How::update || (a.how == How::remote_write && a.is_flag_sized());
}
bool is_update(const Access& a) { return a.how == How::update; }
bool is_signal(const Access& a) { return is_update(a) && (a.op == OpKind::signal || a.op == OpKind::put_signal); }

}  // namespace

bool conflict(const Access& a, const Access& b) {
  if (!a.writes() && !b.writes()) return false;
  // threads of one PE among themselves are ordered by CUDA's means; only those that meet remote operations are judged
  if (!a.ticket && !b.ticket) return false;
  // a wait orders itself by the value it sees
  if (a.how == How::wait || b.how == How::wait) return false;
  // atomics and signals add up, in any order; of two values that are set by one PE, the last one stays
  auto replaces = [](const Access& x) { return x.sets_signal && x.known_value; };
  bool overtakes =
      replaces(a) && replaces(b) && a.value != b.value && a.event.pe == b.event.pe && a.address == b.address;
  if (is_update(a) && is_update(b) && !overtakes) return false;
  auto polled = [](const Access& read, const Access& write) {
    return read.how == How::load && read.is_volatile && is_flag_write(write);
  };
  if (polled(a, b) || polled(b, a)) return false;
  // several PEs that set a flag to the same value
  if (is_flag_write(a) && is_flag_write(b) && a.known_value && b.known_value && a.value == b.value &&
      a.address == b.address && a.bytes == b.bytes)
    return false;
  return true;
}

bool operators_differ(const Access& a, const Access& b) {
  return is_signal(a) && is_signal(b) && a.sets_signal != b.sets_signal && a.address == b.address;
}

bool widths_differ(const Access& a, const Access& b) {
  auto atomic = [](const Access& x) { return x.how == How::update || x.how == How::wait; };
  return atomic(a) && atomic(b) && (is_update(a) || is_update(b)) && a.bytes != b.bytes;
}

bool types_differ(const Access& a, const Access& b) {
  auto waits = [](const Access& x) { return x.how == How::wait && x.bytes == 8 && x.type != SHMEMU_U64; };
  return (is_signal(a) && waits(b)) || (waits(a) && is_signal(b));
}

Verdict judge(const Access& earlier, const Access& later, const Situation& s) {
  const Access& local = is_local(earlier) ? earlier : later;
  const Access& remote = is_local(earlier) ? later : earlier;
  if (earlier.how == How::source || later.how == How::source) {
    return {"order.source-reuse", "the source of a non-blocking operation changes before the operation is complete",
            "call nvshmem_quiet before the source is written again, or use the blocking form"};
  }
  if (s.executed && s.fenced_elsewhere && earlier.posted)
    return {
        "order.scope",
        "a fence or quiet stands between the two, but the thread that called it need not come after the thread that "
        "issued the operation",
        "let the issuing thread call nvshmem_fence or nvshmem_quiet, or join the threads first (__syncthreads, a grid "
        "barrier)"};
  if (earlier.how == How::landing)
    return {"order.missing-quiet", "the result of a non-blocking get is used before it must be there",
            "call nvshmem_quiet before, or use the blocking get"};
  bool both_write = earlier.writes() && later.writes();
  if (both_write && earlier.is_remote() && later.is_remote()) {
    bool same = earlier.event.pe == later.event.pe && s.executed;
    return {
        "order.overlap",
        same ? "two operations of one PE write the same bytes and nothing says which arrives last"
             : "operations of two threads write the same bytes and nothing orders them",
        same ? "put nvshmem_fence between them; a blocking put returns when its source may be reused, not when it has "
               "arrived"
             : "let the second one wait for a signal or a barrier that follows the first"};
  }
  if (s.executed && earlier.posted) {
    if (earlier.event.pe == later.event.pe)
      return {"order.missing-quiet", "a PE uses what its own earlier operation changes, before that is complete",
              "call nvshmem_quiet between them; a fence does not order gets and local accesses"};
    if (s.after_sync)
      return {"order.missing-fence", "data is used after a team sync, which does not complete the puts before it",
              "use nvshmem_barrier (or nvshmem_quiet before the sync): sync is not barrier"};
    return {"order.missing-fence", "the flag that announces the data may overtake it",
            "put nvshmem_fence between data and flag, or send both with one put_signal"};
  }
  if (is_local(earlier) || is_local(later)) {
    std::string what =
        local.writes() ? (local.op == OpKind::fill   ? "a memset is unordered with a remote operation on the same bytes"
                          : local.op == OpKind::copy ? "a copy is unordered with a remote operation on the same bytes"
                                                     : "a local store is unordered with a remote operation on the same "
                                                       "bytes")
                       : (remote.how == How::update ? "a plain load is unordered with a remote update of the same bytes"
                                                    : "local memory is read while a remote operation may change it");
    return {"order.local-race", what,
            "synchronise the PEs between the two: a signal that is waited for, or a barrier after the local work has "
            "ended"};
  }
  return {"order.overlap", "a remote read and a remote write of the same bytes are unordered",
          "let the second one wait for a signal or a barrier that follows the first"};
}

}  // namespace shmemu::emu::checks
