// Recursive exchange: with n = k^P PEs, in phase p a PE swaps its vector with the k-1 others that differ from it in
// digit p, and all add the k vectors in the same order. PEs beyond the largest k^P give their vector to one of the
// others first and get the result at the end. The two halves of the work space take turns: a partner can be one call
// ahead, never two.
#include "collectives/algorithms.hpp"

namespace shmemu {

void reduce_exchange(Endpoint& at, const Call& call, int radix) {
  int n = at.size(), me = at.me();
  int phases = exchange_phases(n, radix), whole = 1;
  for (int p = 0; p < phases; ++p) whole *= radix;
  uint64_t bytes = call.bytes();
  Overhead element = call.element_bytes > 4 ? Overhead::combine_wide : Overhead::combine;
  if (at.leader()) ++at.state(Tally::exchanges);
  char* half = next_half(at);
  uint64_t number = at.state(Tally::exchanges);
  auto place = [&](int i) { return half + static_cast<uint64_t>(i) * bytes; };
  at.spend(Overhead::exchange_entry);
  if (at.leader() && call.dest != call.source) at.copy(call.dest, call.source, bytes);
  at.spend(element, call.count);
  at.group_sync();
  int extra = me / whole - 1;  // of the PEs beyond `whole` that share a partner
  if (extra >= 0) {
    at.spend(Overhead::exchange_round);
    at.put({place(extra), call.dest, bytes, me % whole});
    at.group_sync();
    if (at.leader()) {
      at.fence();
      at.signal({slots::turn(number) + slots::kFold + extra, me % whole, number});
      at.wait(slots::turn(number) + slots::kUnfold, number);
    }
    at.group_sync();
    return;
  }
  std::vector<SignalWait> folded;
  for (int p = me + whole; p < n; p += whole)
    folded.push_back({slots::turn(number) + slots::kFold + static_cast<int>(folded.size()), number});
  if (!folded.empty()) {
    at.wait_each(folded);
    at.group_sync();
    if (at.leader())
      for (size_t i = 0; i < folded.size(); ++i) at.combine(call.dest, place(static_cast<int>(i)), call.count);
    for (size_t i = 0; i < folded.size(); ++i) at.spend(element, call.count);
    at.group_sync();
  }
  for (int phase = 0, distance = 1; phase < phases; ++phase, distance *= radix) {
    int digit = me / distance % radix, base = me - digit * distance, first = (radix - 1) * (1 + phase);
    int slot = slots::turn(number) + slots::kExchange + phase * (radix - 1);
    // what PE `from` sends to me lies at first + its place among my partners, in the order of their digits
    auto place_of = [](int from_digit, int to_digit) { return from_digit < to_digit ? from_digit : from_digit - 1; };
    at.spend(Overhead::exchange_round);
    char* sent = place((radix - 1) * (1 + phases) + phase);  // an adapter may read it after the sum has changed
    if (at.leader()) at.copy(sent, call.dest, bytes);
    at.spend(element, call.count);
    at.group_sync();
    std::vector<Signal> signals;
    std::vector<SignalWait> waits;
    for (int d = 0; d < radix; ++d) {
      if (d == digit) continue;
      at.put({place(first + place_of(digit, d)), sent, bytes, base + d * distance});
      signals.push_back({slot + place_of(digit, d), base + d * distance, number});
      waits.push_back({slot + place_of(d, digit), number});
    }
    at.group_sync();
    if (at.leader()) at.fence();
    at.group_sync();
    at.signal_each(signals);
    at.wait_each(waits);
    at.group_sync();
    if (at.leader()) {
      // in the order of the digits, so that all get the same rounding
      char* mine = at.scratch(Area::staging);
      if (digit > 0) {
        at.copy(mine, call.dest, bytes);
        at.copy(call.dest, place(first), bytes);
      }
      for (int d = 1; d < radix; ++d)
        at.combine(call.dest, d == digit ? mine : place(first + place_of(d, digit)), call.count);
    }
    for (int d = 1; d < radix; ++d) at.spend(element, call.count);
    at.group_sync();
  }
  if (!folded.empty()) {
    std::vector<Signal> signals;
    for (int p = me + whole; p < n; p += whole) {
      at.put({call.dest, call.dest, bytes, p});
      signals.push_back({slots::turn(number) + slots::kUnfold, p, number});
    }
    at.group_sync();
    if (at.leader()) at.fence();
    at.group_sync();
    at.signal_each(signals);
    at.group_sync();
    if (at.leader()) at.quiet();  // the caller may change the result
  }
  at.group_sync();
}

}  // namespace shmemu
