// Roles of a channel, as in the source: eight NVLink senders (one per forwarding GPU of their node), 24 forwarder warps
// shared out over the owners' nodes, sixteen RDMA receivers at the owner. A unit is one RDMA chunk of an owner's list
// for a node.
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "deepep/accounting.hpp"
#include "deepep/high_throughput.hpp"
#include "deepep/internode.hpp"
#include "deepep/rdma_path.hpp"
#include "deepep/sizes.hpp"

namespace shmemu::deepep {
namespace {

constexpr int kGpus = 8;
constexpr int kForwarderWarps = 24;
constexpr int kReceiverWarps = 16;

class Run : public WireSink, HighThroughput {
 public:
  Run(const Platform& platform, const Costs& costs, const Setup& setup, const Channels& channels,
      const std::vector<Time>& starts)
      : HighThroughput(platform, costs, setup, channels, starts),
        path_(events_, platform, costs, setup, channels.count, *this),
        trips_(combine_trips(setup)),
        warps_(std::max(1, kForwarderWarps / channels.nodes)),
        chunk_(setup.rdma_chunk_combine),
        record_(ht_combine_record(setup)),
        senders_(static_cast<size_t>(setup.ep * channels.count * kGpus)),
        forwarders_(static_cast<size_t>(setup.ep * channels.count * channels.nodes)),
        owners_(static_cast<size_t>(setup.ep * channels.count)),
        forwarded_(starts) {
    for (Sender& s : senders_)
      s.units.resize(static_cast<size_t>(channels.nodes)), s.in_ring.resize(static_cast<size_t>(channels.nodes));
    for (Owner& o : owners_) o.arrived.resize(static_cast<size_t>(channels.nodes)), o.consumed = o.credited = o.arrived;
    for (int g = 0; g < setup.ep; ++g)
      for (int c = 0; c < channels.count; ++c)
        for (int n = 0; n < channels.nodes; ++n)
          forwarder(g, c, n).delivered.resize(static_cast<size_t>(units(list(g, c, n).size())));
    for (int x = 0; x < setup.ep; ++x)
      for (int c = 0; c < channels.count; ++c)
        for (int g = 0; g < kGpus; ++g)
          events_.at(starts[static_cast<size_t>(x)] + costs.ht.prologue, shmemu::Rank::agent,
                     [=, this] { send(x, c, g); });
  }

  uint64_t run() {
    uint64_t processed = run_events();
    for (int r = 0; r < setup_.ep; ++r)
      for (int c = 0; c < channels_.count; ++c)
        SHMEMU_ASSERT(owner(r, c).done == channels_.tokens(r, c).size(),
                      fmt::format("rank {} channel {}: {} of {} tokens combined", r, c, owner(r, c).done,
                                  channels_.tokens(r, c).size()));
    return processed;
  }

  OpResult result() const {
    OpResult out;
    out.name = "combine", out.ranks = setup_.ep;
    Time latest = latest_start();
    for (size_t r = 0; r < ends_.size(); ++r) {
      Time forwarded = std::max(issued_[r], forwarded_[r]), arrived = std::max(forwarded, arrived_[r]);
      // the sum over the node comes before the network here
      out.samples.push_back({starts_[r], latest, issued_[r], arrived, arrived, std::max(arrived, ends_[r])});
    }
    Loads loads(platform_, setup_, costs_);
    std::vector<Time> send, forward, receive;
    for (const Sender& s : senders_) send.push_back(s.busy);
    for (const Forwarder& f : forwarders_) forward.push_back(f.busy);
    for (const Owner& o : owners_) receive.push_back(o.busy);
    loads.busy("SM warps, NVLink senders", send), loads.busy("SM warps, forwarders", forward);
    loads.busy("SM warps, receivers", receive);
    for (int r = 0; r < setup_.ep; ++r)
      for (int c = 0; c < channels_.count; ++c)
        for (int n = 0; n < channels_.nodes; ++n) {
          const auto& masks = channels_.masks(r, c, n);
          int at = n * kGpus + r % kGpus;
          if (n != r / kGpus) {
            loads.adapter(at, r, masks.size(), record_);
            loads.atomics(at, r, static_cast<uint64_t>(units(masks.size())), Time{});
          }
          for (uint8_t mask : masks)
            for (int x = 0; x < kGpus; ++x)
              if (x != r % kGpus && mask >> x & 1) loads.nvlink(n * kGpus + x, at, 1, nvl_combine_bytes(setup_));
        }
    out.logical_bytes = per_rank(channels_.node_tokens, counted_combine(setup_));
    out.logical_nvl_bytes = per_rank(channels_.rank_tokens, counted_combine(setup_));
    loads.fill(out);
    out.messages = path_.wire().totals().messages, out.doorbells = path_.wire().totals().doorbells;
    return out;
  }

 private:
  struct Sender {                     // GPU x to forwarding GPU g of its node
    std::vector<int> units, in_ring;  // by the owner's node: units sent, tokens not yet taken
    int node = 0;
    bool busy_now = false;
    Time busy;
  };
  struct Forwarder {                     // GPU g for the owner on node n
    std::vector<uint8_t> delivered;      // senders that have passed a unit
    int unit = 0, issued = 0, head = 0;  // head: tokens the owner has taken
    bool busy_now = false;
    Time busy;
  };
  struct Owner {
    size_t done = 0;
    std::vector<int> arrived, consumed, credited;  // by the node that summed
    bool busy_now = false;
    Time busy;
  };
  Sender& sender(int x, int c, int g) { return senders_[static_cast<size_t>((x * channels_.count + c) * kGpus + g)]; }
  Forwarder& forwarder(int g, int c, int n) {
    return forwarders_[static_cast<size_t>((g * channels_.count + c) * channels_.nodes + n)];
  }
  Owner& owner(int r, int c) { return owners_[static_cast<size_t>(r * channels_.count + c)]; }
  static int peer(int r, int node) { return node * kGpus + r % kGpus; }
  // Tokens of the owner on node n that GPU g's node has rows of.
  const std::vector<uint8_t>& list(int g, int c, int n) const { return channels_.masks(peer(g, n), c, g / kGpus); }
  int units(size_t tokens) const { return (static_cast<int>(tokens) + chunk_ - 1) / chunk_; }
  int own_tokens(const std::vector<uint8_t>& masks, int unit, int gpu) const {
    int n = 0;
    for (int i = unit * chunk_; i < std::min((unit + 1) * chunk_, static_cast<int>(masks.size())); ++i)
      n += masks[static_cast<size_t>(i)] >> gpu & 1;
    return n;
  }

  // The next owner's node whose part of the ring has room for a unit.
  void send(int x, int c, int index) {
    Sender& s = sender(x, c, index);
    if (s.busy_now) return;
    int g = x / kGpus * kGpus + index;
    for (int i = 0; i < channels_.nodes; ++i) {
      int n = (s.node + i) % channels_.nodes;
      const auto& masks = list(g, c, n);
      int unit = s.units[static_cast<size_t>(n)];
      if (unit == units(masks.size())) continue;
      int own = own_tokens(masks, unit, x % kGpus);
      int& in_ring = s.in_ring[static_cast<size_t>(n)];
      if (in_ring + own > setup_.nvl_ring / channels_.nodes || unit > forwarder(g, c, n).unit + 1) continue;
      s.node = (n + 1) % channels_.nodes;
      ++s.units[static_cast<size_t>(n)], in_ring += own;
      Time now = events_.now(), end = now;
      if (own) {
        int chunks = (own + setup_.nvl_chunk_combine - 1) / setup_.nvl_chunk_combine;
        end += costs_.ht.memory_step * (own * trips_) + costs_.ht.chunk_step * chunks / 2;
        s.busy += end - now;
        if (g != x)
          end = std::max(end, links_.carry(x, g, nvl_combine_bytes(setup_) * static_cast<uint64_t>(own), now));
      }
      s.busy_now = true;
      events_.at(end, shmemu::Rank::agent, [=, this] {
        sender(x, c, index).busy_now = false;
        raise(issued_, x, events_.now());
        ++forwarder(g, c, n).delivered[static_cast<size_t>(unit)];
        forward(g, c, n);
        send(x, c, index);
      });
      return;
    }
  }

  void forward(int g, int c, int n) {
    Forwarder& f = forwarder(g, c, n);
    const auto& masks = list(g, c, n);
    if (f.busy_now || f.unit == units(masks.size()) || f.delivered[static_cast<size_t>(f.unit)] < kGpus) return;
    int unit = f.unit, count = std::min(chunk_, static_cast<int>(masks.size()) - unit * chunk_);
    if (f.issued + count - f.head > setup_.rdma_ring) return;
    int parts = 0;
    for (int i = unit * chunk_; i < unit * chunk_ + count; ++i) parts += std::popcount(masks[static_cast<size_t>(i)]);
    Time one = costs_.ht.l2_step * (parts * trips_ / (2 * count) + 4);
    Time all = costs_.ht.l2_step * (parts * trips_ / 2 + 4 * count) / warps_;
    Time busy = std::max(one, all);
    f.busy_now = true, f.issued += count, f.busy += busy;
    events_.at(events_.now() + busy, shmemu::Rank::agent, [=, this] {
      Forwarder& same = forwarder(g, c, n);
      same.busy_now = false, ++same.unit;
      raise(forwarded_, g, events_.now());
      uint64_t tag = static_cast<uint64_t>(c) << 32 | static_cast<uint32_t>(count);
      int to = peer(g, n);
      if (to == g)
        events_.at(events_.now() + costs_.ht.own_tail / 2, shmemu::Rank::memory, [=, this] { arrived(g, g, tag); });
      else
        events_.at(events_.now() + path_.post_time(), shmemu::Rank::agent,
                   [=, this] { path_.send(g, to, c, record_ * static_cast<uint64_t>(count), tag); });
      for (int x = 0; x < kGpus; ++x) {
        int rank = g / kGpus * kGpus + x;
        sender(rank, c, g % kGpus).in_ring[static_cast<size_t>(n)] -= own_tokens(list(g, c, n), unit, x);
        send(rank, c, g % kGpus);
      }
      forward(g, c, n);
    });
  }

  void arrived(int from, int to, uint64_t tag) override {
    auto c = static_cast<int>(tag >> 32), count = static_cast<int>(tag & 0xffffffff);
    owner(to, c).arrived[static_cast<size_t>(from / kGpus)] += count;
    raise(arrived_, to, events_.now());
    receive(to, c);
  }

  // Tokens in order, as soon as all their nodes have sent their sums.
  void receive(int r, int c) {
    Owner& o = owner(r, c);
    if (o.busy_now) return;
    const auto& tokens = channels_.tokens(r, c);
    size_t upto = o.done;
    int steps = 0;
    for (; upto < tokens.size() && upto < o.done + kReceiverWarps; ++upto) {
      bool ready = true;
      for (int n = 0; n < channels_.nodes && ready; ++n)
        if (tokens[upto] >> n & 1) ready = o.consumed[static_cast<size_t>(n)] < o.arrived[static_cast<size_t>(n)];
      if (!ready) break;
      for (int n = 0; n < channels_.nodes; ++n) o.consumed[static_cast<size_t>(n)] += tokens[upto] >> n & 1;
      steps += std::popcount(tokens[upto]) * trips_ / 2 + 4;
    }
    if (upto == o.done) return;
    Time busy = costs_.ht.l2_step * steps / kReceiverWarps;
    o.busy_now = true, o.busy += busy;
    events_.at(events_.now() + busy, shmemu::Rank::agent, [=, this] {
      Owner& same = owner(r, c);
      same.done = upto, same.busy_now = false;
      raise(ends_, r, events_.now());
      for (int n = 0; n < channels_.nodes; ++n) credit(r, c, n);
      receive(r, c);
    });
  }

  void credit(int r, int c, int n) {
    Owner& o = owner(r, c);
    int consumed = o.consumed[static_cast<size_t>(n)];
    int& credited = o.credited[static_cast<size_t>(n)];
    if (consumed == credited) return;
    if (consumed - credited < chunk_ && consumed < static_cast<int>(channels_.masks(r, c, n).size())) return;
    credited = consumed;
    int g = peer(r, n);
    Time seen = g == r ? events_.now() + costs_.ht.l2_step : path_.credit_seen(r, g);
    events_.at(seen + costs_.ht.credit_sleep, shmemu::Rank::memory, [=, this] {
      forwarder(g, c, r / kGpus).head = consumed;
      forward(g, c, r / kGpus);
    });
  }

  RdmaPath path_;
  int trips_, warps_, chunk_;
  uint64_t record_;
  std::vector<Sender> senders_;
  std::vector<Forwarder> forwarders_;
  std::vector<Owner> owners_;
  std::vector<Time> forwarded_;
};

}  // namespace

OpResult internode_combine(const Platform& platform, const Costs& costs, const Setup& setup, const Channels& channels,
                           const std::vector<Time>& starts, uint64_t& events) {
  return perform<Run>(platform, costs, setup, channels, starts, events);
}

}  // namespace shmemu::deepep
