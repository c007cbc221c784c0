// Streams of the Machine: when a command may start and what its end sets free.
#include <algorithm>

#include "device/machine.hpp"

namespace shmemu::device {

// `all` are the PE's streams: a command of the default stream waits for every blocking stream, and the other way round
// (CUDA programming guide, "default stream").
void Machine::submit(Host& host, Stream& stream, const std::vector<Stream*>& all, CommandRef command, Time latency,
                     const std::vector<CommandRef>& also) {
  command->pe = host.pe;
  command->stream = stream.number;
  command->number = host.commands++;
  if (options_.recorder) options_.recorder->submit(host, stream, *command, latency, also, host.gap);
  command->submitted = host.time + host.gap;
  if (options_.witness) options_.witness->submitted(host, *command);
  auto depend = [&](const CommandRef& on) {
    if (on && on != command && options_.witness) options_.witness->follows(*command, *on);
    if (!on || on->finished || on == command) return;
    on->dependents.push_back(command);
    ++command->missing;
  };
  depend(stream.tail);
  for (Stream* other : all) {
    if (other == &stream || !other->blocking || !stream.blocking) continue;
    if (stream.number == 0 || other->number == 0) depend(other->tail);
  }
  for (const CommandRef& c : also) depend(c);
  stream.tail = command;
  queue_.at(command->submitted + latency, Rank::agent, [this, command] { begin(command); });
}

void Machine::begin(const CommandRef& command) {
  if (--command->missing > 0) return;
  progress();
  command->begun = queue_.now();
  if (options_.witness) options_.witness->began(*command);
  if (command->start) return command->start();
  finish(command);
}

void Machine::finish(const CommandRef& command) {
  progress();
  command->finished = true;
  command->ended = queue_.now();
  if (options_.witness) options_.witness->finished(*command);
  command->start = nullptr;
  if (options_.observer)
    options_.observer->command(command->pe, command->stream, command->kind, command->name, command->begun,
                               command->ended);
  for (Actor* waiter : command->waiters) resume_one(*waiter, queue_.now() + platform_.host.sync_return);
  command->waiters.clear();
  for (CommandRef& next : std::exchange(command->dependents, {})) begin(next);
}

void Machine::finish_later(const CommandRef& command, Time delay) {
  queue_.at(queue_.now() + delay, Rank::memory, [this, command] { finish(command); });
}

}  // namespace shmemu::device
