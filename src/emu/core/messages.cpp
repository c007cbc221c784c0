#include "emu/core/messages.hpp"

#include <algorithm>
#include <cstring>

#include "emu/core/current.hpp"
#include "emu/core/world.hpp"
#include "shmemu/abi.h"

namespace shmemu::emu {
namespace {

uint64_t counter_address(const Pe& pe) { return pe.world.heap.base(pe.id.value) + pe.inbox.counter; }

}  // namespace

void send_message(PeId to, uint64_t context, int tag, const void* data, uint64_t bytes, uint64_t site) {
  Pe& me = *g_current.pe;
  Pe& receiver = *me.world.all_pes[static_cast<size_t>(to.value)];
  receiver.inbox.messages.push_back({me.id, context, tag, bytes, std::make_unique<std::byte[]>(bytes + 1)});
  auto with_mark = std::make_unique<std::byte[]>(bytes + 1);
  if (bytes) std::memcpy(with_mark.get(), data, bytes);
  with_mark[bytes] = std::byte{1};
  Op op;
  op.kind = OpKind::put_signal;
  op.flags = Op::kCopyEngine;
  op.site = site;
  op.target = to;
  op.bytes = bytes + 1;
  op.local = reinterpret_cast<uint64_t>(with_mark.get());
  op.remote = reinterpret_cast<uint64_t>(receiver.inbox.messages.back().data.get());
  op.signal = counter_address(receiver);
  op.value = 1;
  op.signal_op = Op::kSignalAdd;
  stop(op);
}

Message take_message(Inbox& inbox, const Message* message) {
  auto at = std::find_if(inbox.messages.begin(), inbox.messages.end(), [&](const Message& m) { return &m == message; });
  if (auto& checker = g_current.world->checker) checker->learned(g_current.pe->host, counter_address(*g_current.pe));
  Message taken = std::move(*at);
  inbox.messages.erase(at);
  return taken;
}

void wait_for_message(uint64_t site) {
  Pe& me = *g_current.pe;
  uint64_t arrived;
  std::memcpy(&arrived, reinterpret_cast<const void*>(counter_address(me)), sizeof arrived);
  Op op;
  op.kind = OpKind::wait;
  op.site = site;
  op.type = SHMEMU_U64;
  op.function = Op::kAtLeast;
  op.bytes = sizeof arrived;
  op.remote = counter_address(me);
  op.value = arrived + 1;
  stop(op);
}

void look_for_messages(uint64_t site) {
  Op op;
  op.kind = OpKind::host_work;
  op.site = site;
  op.value = static_cast<uint64_t>(g_current.world->platform.host.api_call.ps);
  stop(op);
}

}  // namespace shmemu::emu
