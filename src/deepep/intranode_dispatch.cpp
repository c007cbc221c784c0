#include <algorithm>

#include "deepep/accounting.hpp"
#include "deepep/high_throughput.hpp"
#include "deepep/intranode.hpp"

namespace shmemu::deepep {
namespace {

// A sender's warps for one peer: every warp looks at every token of the channel and copies its share of those that go
// there.
class Run : HighThroughput {
 public:
  Run(const Platform& platform, const Costs& costs, const Setup& setup, const Channels& channels,
      const std::vector<Time>& starts)
      : HighThroughput(platform, costs, setup, channels, starts),
        warps_(std::max(1, 24 / setup.ep)),
        lanes_(static_cast<size_t>(setup.ep * channels.count * setup.ep)),
        send_sm_(static_cast<size_t>(setup.ep * channels.count)),
        receive_sm_(send_sm_) {
    record_ = ht_dispatch_record(setup);
    for (int r = 0; r < setup.ep; ++r)
      for (int c = 0; c < channels.count; ++c)
        for (int p = 0; p < setup.ep; ++p)
          events_.at(starts[static_cast<size_t>(r)] + costs.nvl.entry, shmemu::Rank::agent,
                     [=, this] { send(r, c, p); });
  }

  uint64_t run() { return run_events(); }
  OpResult result() const {
    OpResult out;
    out.name = "dispatch", out.ranks = setup_.ep;
    Time latest = latest_start();
    Loads loads(platform_, setup_, costs_);
    std::vector<Time> send, receive;
    for (size_t r = 0; r < ends_.size(); ++r)
      out.samples.push_back({starts_[r], latest, issued_[r], std::max(issued_[r], arrived_[r]), arrived_[r], ends_[r]});
    for (const Server& s : send_sm_) send.push_back(s.busy);
    for (const Server& s : receive_sm_) receive.push_back(s.busy);
    loads.busy("SM path, senders", send), loads.busy("SM path, receivers", receive);
    for (int r = 0; r < setup_.ep; ++r)
      for (int p = 0; p < setup_.ep; ++p)
        if (p != r) loads.nvlink(r, p, lane_tokens(r, p), nvl_dispatch_bytes(setup_));
    out.logical_bytes = per_rank(channels_.rank_tokens, counted_dispatch(setup_));
    out.logical_nvl_bytes = per_rank(channels_.rank_tokens, counted_dispatch(setup_));
    loads.fill(out);
    return out;
  }

 private:
  struct Lane {  // from a rank to a peer in a channel
    size_t at = 0;
    int in_ring = 0, scanned = 0, ready = 0;
    bool blocked = false;
    Time receiver;
    uint64_t sent = 0;
  };
  Lane& lane(int r, int c, int p) { return lanes_[static_cast<size_t>((r * channels_.count + c) * setup_.ep + p)]; }
  uint64_t lane_tokens(int r, int p) const {
    uint64_t n = 0;
    for (int c = 0; c < channels_.count; ++c)
      n += lanes_[static_cast<size_t>((r * channels_.count + c) * setup_.ep + p)].sent;
    return n;
  }
  Server& sm(std::vector<Server>& all, int r, int c) { return all[static_cast<size_t>(r * channels_.count + c)]; }
  // Loads plus stores of `n` records through an SM.
  Time through_sm(int n) const { return platform_.gpu.sm_path.time_for(2 * record_ * static_cast<uint64_t>(n)); }

  void send(int r, int c, int p) {
    Lane& l = lane(r, c, p);
    const auto& masks = channels_.masks(r, c, 0);
    while (l.at < masks.size() && l.ready < setup_.nvl_chunk_dispatch) l.ready += masks[l.at++] >> p & 1, ++l.scanned;
    if (!l.scanned) return;
    if (l.in_ring + l.ready > setup_.nvl_ring) return l.blocked = true, void();
    int n = l.ready;
    Time now = events_.now();
    Time end = now + costs_.ht.l2_step * l.scanned;
    if (n) {
      end += costs_.nvl.chunk_step + costs_.nvl.copy_round * ((n + warps_ - 1) / warps_);
      sm(send_sm_, r, c).serve(now, through_sm(n));
      end += through_sm(n) * setup_.ep;  // the groups of the SM work in step and share its path
      if (p != r) end = std::max(end, links_.carry(r, p, nvl_dispatch_bytes(setup_) * static_cast<uint64_t>(n), now));
    }
    l.in_ring += n, l.sent += static_cast<uint64_t>(n), l.scanned = l.ready = 0;
    raise(issued_, r, end);
    events_.at(end, shmemu::Rank::agent, [=, this] {
      if (n)
        events_.at(events_.now() + (p == r ? costs_.local_flag : costs_.nvlink_flag), shmemu::Rank::agent,
                   [=, this] { receive(r, c, p, n); });
      send(r, c, p);
    });
  }

  void receive(int r, int c, int p, int n) {
    Lane& l = lane(r, c, p);
    Time now = std::max(events_.now(), l.receiver);
    raise(arrived_, p, events_.now());
    Time path = sm(receive_sm_, p, c).serve(now, through_sm(n));
    l.receiver = std::max(path, now + costs_.nvl.copy_round * ((n + warps_ - 1) / warps_) + through_sm(n));
    events_.at(l.receiver, shmemu::Rank::agent, [=, this] {
      Lane& same = lane(r, c, p);
      same.in_ring -= n;
      raise(ends_, p, events_.now());
      if (same.blocked) same.blocked = false, send(r, c, p);
    });
  }

  int warps_;
  uint64_t record_ = 0;
  std::vector<Lane> lanes_;
  std::vector<Server> send_sm_, receive_sm_;
};

}  // namespace

OpResult intranode_dispatch(const Platform& platform, const Costs& costs, const Setup& setup, const Channels& channels,
                            const std::vector<Time>& starts, uint64_t& events) {
  return perform<Run>(platform, costs, setup, channels, starts, events);
}

}  // namespace shmemu::deepep
