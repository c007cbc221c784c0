// Messages between the host threads of PEs: what a job's launcher and MPI carry. A message travels as one host
// operation (put with signal) to the receiver's inbox, so that it takes virtual time, wakes the receiver and is in
// every trace. The inbox of a PE keeps messages in the order in which each sender sent them; they can be taken once
// they have arrived.
#pragma once
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>

#include "base/ids.hpp"

namespace shmemu::emu {

struct Message {
  PeId from;
  uint64_t context = 0;  // who may take it: a communicator, an initialisation
  int tag = 0;
  uint64_t bytes = 0;
  std::unique_ptr<std::byte[]> data;  // and one byte more, which the arrival sets
  bool arrived() const { return data[bytes] != std::byte{0}; }
};

struct Inbox {
  std::list<Message> messages;
  uint64_t counter = 0;  // heap offset of the word that counts arrivals
};

// By the running host. Returns when `data` may be reused.
void send_message(PeId to, uint64_t context, int tag, const void* data, uint64_t bytes, uint64_t site);
// The first message for which `wanted` holds and no earlier one of the same sender is wanted; null when none has
// arrived.
template <class F>
Message* find_message(Inbox& inbox, F wanted) {
  for (auto at = inbox.messages.begin(); at != inbox.messages.end(); ++at) {
    if (!at->arrived() || !wanted(*at)) continue;
    bool overtakes = false;
    for (auto earlier = inbox.messages.begin(); earlier != at; ++earlier)
      overtakes |= earlier->from == at->from && wanted(*earlier);
    if (!overtakes) return &*at;
  }
  return nullptr;
}
Message take_message(Inbox& inbox, const Message* message);
// Stops the host until one more message arrives than have by now.
void wait_for_message(uint64_t site);
// Stops the host for one look at the inbox, so that what arrives meanwhile is seen.
void look_for_messages(uint64_t site);

}  // namespace shmemu::emu
