// Roles of a channel, as in the source: seven sender warps and a coordinator on one SM, eight forwarders (one per GPU
// of the node) and their coordinator on the other, eight receivers beside the senders. docs/design/deepep.md has the
// steps.
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
constexpr int kSenderWarps = 7;

class Run : public WireSink, HighThroughput {
 public:
  Run(const Platform& platform, const Costs& costs, const Setup& setup, const Channels& channels,
      const std::vector<Time>& starts)
      : HighThroughput(platform, costs, setup, channels, starts),
        path_(events_, platform, costs, setup, channels.count, *this),
        trips_(dispatch_trips(setup)),
        record_(ht_dispatch_record(setup)),
        senders_(static_cast<size_t>(setup.ep * channels.count)),
        sides_(senders_.size() * static_cast<size_t>(channels.nodes)),
        forwarders_(senders_.size() * kGpus),
        forwarded_(starts) {
    for (Forwarder& f : forwarders_) f.heads.resize(static_cast<size_t>(channels.nodes));
    for (int r = 0; r < setup.ep; ++r)
      for (int c = 0; c < channels.count; ++c) {
        sender(r, c).node = (r / kGpus + c) % channels.nodes;
        events_.at(starts[static_cast<size_t>(r)] + costs.ht.prologue, shmemu::Rank::agent,
                   [=, this] { produce(r, c); });
      }
  }

  uint64_t run() {
    uint64_t processed = run_events();
    for (int r = 0; r < setup_.ep; ++r)
      for (int c = 0; c < channels_.count; ++c)
        for (int n = 0; n < channels_.nodes; ++n) {
          [[maybe_unused]] auto total = static_cast<int>(channels_.masks(r, c, n).size());
          SHMEMU_ASSERT(side(r, c, n).head == total,
                        fmt::format("rank {} channel {} node {}: {} of {} tokens came back as credit", r, c, n,
                                    side(r, c, n).head, total));
        }
    return processed;
  }

  OpResult result() const {
    OpResult out;
    out.name = "dispatch", out.ranks = setup_.ep;
    Time latest = latest_start();
    for (size_t r = 0; r < ends_.size(); ++r) {
      Time arrived = std::max(issued_[r], arrived_[r]), forwarded = std::max(arrived, forwarded_[r]);
      out.samples.push_back({starts_[r], latest, issued_[r], arrived, forwarded, std::max(forwarded, ends_[r])});
    }
    Loads loads(platform_, setup_, costs_);
    std::vector<Time> forward, send;
    for (const Forwarder& f : forwarders_) forward.push_back(f.busy);
    for (const Sender& s : senders_) send.push_back(s.busy);
    loads.busy("SM warps, forwarders", forward), loads.busy("SM warps, send coordinators", send);
    for (int r = 0; r < setup_.ep; ++r)
      for (int c = 0; c < channels_.count; ++c)
        for (int n = 0; n < channels_.nodes; ++n) {
          const auto& masks = channels_.masks(r, c, n);
          int to = n * kGpus + r % kGpus;
          const Side& s = sides_[side_index(r, c, n)];
          if (n != r / kGpus) {
            loads.adapter(r, to, masks.size(), record_);
            loads.atomics(r, to, static_cast<uint64_t>(s.chunks), Time{});
          }
          for (uint8_t mask : masks)
            for (int h = 0; h < kGpus; ++h)
              if (h != r % kGpus && mask >> h & 1) loads.nvlink(to, n * kGpus + h, 1, nvl_dispatch_bytes(setup_));
        }
    out.logical_bytes = per_rank(channels_.node_tokens, counted_dispatch(setup_));
    out.logical_nvl_bytes = per_rank(channels_.rank_tokens, counted_dispatch(setup_));
    loads.fill(out);
    out.messages = path_.wire().totals().messages, out.doorbells = path_.wire().totals().doorbells;
    return out;
  }

 private:
  struct Sender {
    size_t next = 0;  // token
    bool waiting = false, busy_now = false;
    int node = 0;  // the coordinator looks there next
    Time busy;
  };
  struct Side {                              // of a channel towards a node: token counts
    int produced = 0, issued = 0, head = 0;  // at the sender
    int tail = 0, credited = 0;              // at the receiving GPU
    int chunks = 0;
  };
  struct Forwarder {         // of GPU d to GPU h of its node
    std::vector<int> heads;  // by source node
    int node = 0, in_ring = 0;
    bool busy_now = false;
    Time busy, receiver;
  };
  size_t side_index(int r, int c, int n) const {
    return static_cast<size_t>((r * channels_.count + c) * channels_.nodes + n);
  }
  Sender& sender(int r, int c) { return senders_[static_cast<size_t>(r * channels_.count + c)]; }
  Side& side(int r, int c, int n) { return sides_[side_index(r, c, n)]; }
  Forwarder& forwarder(int d, int c, int h) {
    return forwarders_[static_cast<size_t>((d * channels_.count + c) * kGpus + h)];
  }
  static int peer(int r, int node) { return node * kGpus + r % kGpus; }  // GPU of the same index there
  int total(int r, int c, int n) const { return static_cast<int>(channels_.masks(r, c, n).size()); }

  // Sender warps: the next token into the ring of every node that wants it.
  void produce(int r, int c) {
    Sender& s = sender(r, c);
    const auto& tokens = channels_.tokens(r, c);
    if (s.next == tokens.size()) return;
    uint32_t nodes = tokens[s.next];
    for (int n = 0; n < channels_.nodes; ++n)
      if (nodes >> n & 1)
        if (const Side& to = side(r, c, n); to.produced - to.head >= setup_.rdma_ring) return s.waiting = true, void();
    for (int n = 0; n < channels_.nodes; ++n)
      if (nodes >> n & 1) ++side(r, c, n).produced;
    ++s.next;
    coordinate(r, c);
    events_.at(events_.now() + costs_.ht.l2_step * (trips_ + 2) / kSenderWarps, shmemu::Rank::agent,
               [=, this] { produce(r, c); });
  }

  // A chunk, or what is left of a finished list, to the next node that has one.
  void coordinate(int r, int c) {
    Sender& s = sender(r, c);
    if (s.busy_now) return;
    for (int i = 0; i < channels_.nodes; ++i) {
      int n = (s.node + i) % channels_.nodes;
      Side& to = side(r, c, n);
      int ready = to.produced - to.issued;
      if (ready < setup_.rdma_chunk_dispatch && !(ready > 0 && to.produced == total(r, c, n))) continue;
      int count = std::min(ready, setup_.rdma_chunk_dispatch);
      to.issued += count, ++to.chunks;
      s.node = (n + 1) % channels_.nodes;
      bool own = n == r / kGpus;
      Time took = own ? costs_.ht.l2_step : path_.post_time();
      s.busy_now = true, s.busy += took;
      raise(issued_, r, events_.now() + took);
      events_.at(events_.now() + took, shmemu::Rank::agent, [=, this] {
        uint64_t tag = static_cast<uint64_t>(c) << 32 | static_cast<uint32_t>(count);
        if (own)
          events_.at(events_.now() + costs_.ht.own_tail, shmemu::Rank::memory, [=, this] { arrived(r, r, tag); });
        else
          path_.send(r, peer(r, n), c, record_ * static_cast<uint64_t>(count), tag);
        sender(r, c).busy_now = false;
        coordinate(r, c);
      });
      return;
    }
  }

  void arrived(int from, int to, uint64_t tag) override {
    auto c = static_cast<int>(tag >> 32), count = static_cast<int>(tag & 0xffffffff);
    side(from, c, to / kGpus).tail += count;
    raise(arrived_, to, events_.now());
    for (int h = 0; h < kGpus; ++h) forward(to, c, h);
  }

  // GPU d looks at the next source node with news, finds the tokens for GPU h and copies them into its ring.
  void forward(int d, int c, int h) {
    Forwarder& f = forwarder(d, c, h);
    if (f.busy_now) return;
    for (int i = 0; i < channels_.nodes; ++i) {
      int n = (f.node + i) % channels_.nodes, from = peer(d, n), head = f.heads[static_cast<size_t>(n)];
      const Side& s = side(from, c, d / kGpus);
      if (s.tail == head) continue;
      const auto& masks = channels_.masks(from, c, d / kGpus);
      int at = head, hits = 0;
      while (at < s.tail && hits < setup_.nvl_chunk_dispatch) hits += masks[static_cast<size_t>(at++)] >> h & 1;
      if (f.in_ring + hits > setup_.nvl_ring) return;  // its receiver wakes it
      f.node = (n + 1) % channels_.nodes;
      Time now = events_.now(), end = now + costs_.ht.scan_step * (at - head);
      if (hits) {
        end += costs_.ht.chunk_step + costs_.ht.l2_step * (hits * trips_);
        f.busy += end - now;
        int to = d / kGpus * kGpus + h;
        if (to != d)
          end = std::max(end, links_.carry(d, to, nvl_dispatch_bytes(setup_) * static_cast<uint64_t>(hits), now));
      }
      f.busy_now = true, f.in_ring += hits;
      events_.at(end, shmemu::Rank::agent, [=, this] {
        Forwarder& g = forwarder(d, c, h);
        g.busy_now = false, g.heads[static_cast<size_t>(n)] = at;
        raise(forwarded_, d, events_.now());
        if (hits) receive(d, c, h, hits);
        credit(d, c, n);
        forward(d, c, h);
      });
      return;
    }
  }

  void receive(int d, int c, int h, int count) {
    Forwarder& f = forwarder(d, c, h);
    f.receiver = std::max(f.receiver, events_.now() + costs_.nvlink_flag) + costs_.ht.l2_step * (1 + count * trips_);
    int to = d / kGpus * kGpus + h;
    events_.at(f.receiver, shmemu::Rank::agent, [=, this] {
      forwarder(d, c, h).in_ring -= count;
      raise(ends_, to, events_.now());
      forward(d, c, h);
    });
  }

  // The forwarders' coordinator returns ring space when the slowest has advanced by a chunk.
  void credit(int d, int c, int n) {
    int from = peer(d, n), least = INT32_MAX;
    for (int h = 0; h < kGpus; ++h) least = std::min(least, forwarder(d, c, h).heads[static_cast<size_t>(n)]);
    Side& s = side(from, c, d / kGpus);
    if (least == s.credited) return;
    if (least - s.credited < setup_.rdma_chunk_dispatch && least < total(from, c, d / kGpus)) return;
    s.credited = least;
    Time seen = from == d ? events_.now() + costs_.ht.l2_step : path_.credit_seen(d, from);
    events_.at(seen + costs_.ht.credit_sleep, shmemu::Rank::memory, [=, this] {
      side(from, c, d / kGpus).head = least;
      if (Sender& sending = sender(from, c); sending.waiting) sending.waiting = false, produce(from, c);
    });
  }

  RdmaPath path_;
  int trips_;
  uint64_t record_;
  std::vector<Sender> senders_;
  std::vector<Side> sides_;
  std::vector<Forwarder> forwarders_;
  std::vector<Time> forwarded_;
};

}  // namespace

OpResult internode_dispatch(const Platform& platform, const Costs& costs, const Setup& setup, const Channels& channels,
                            const std::vector<Time>& starts, uint64_t& events) {
  return perform<Run>(platform, costs, setup, channels, starts, events);
}

}  // namespace shmemu::deepep
