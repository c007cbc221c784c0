#include <algorithm>
#include <bit>

#include "deepep/accounting.hpp"
#include "deepep/high_throughput.hpp"
#include "deepep/intranode.hpp"

namespace shmemu::deepep {
namespace {

// The way back: each expert's rank pushes the rows of a channel to their owner's ring; the owner's warps add up the
// parts of a token and store it. Rows arrive in token order, so a token is added up when all its senders have passed
// it.
class Run : HighThroughput {
 public:
  Run(const Platform& platform, const Costs& costs, const Setup& setup, const Channels& channels,
      const std::vector<Time>& starts)
      : HighThroughput(platform, costs, setup, channels, starts),
        warps_(std::max(1, 24 / setup.ep)),
        lanes_(static_cast<size_t>(setup.ep * channels.count * setup.ep)),
        owners_(static_cast<size_t>(setup.ep * channels.count)),
        send_sm_(owners_.size()) {
    for (int r = 0; r < setup.ep; ++r)
      for (int c = 0; c < channels.count; ++c)
        for (int p = 0; p < setup.ep; ++p)
          events_.at(starts[static_cast<size_t>(r)] + costs.nvl.entry, shmemu::Rank::agent,
                     [=, this] { send(r, c, p); });
  }

  uint64_t run() { return run_events(); }
  OpResult result() const {
    OpResult out;
    out.name = "combine", out.ranks = setup_.ep;
    Time latest = latest_start();
    for (size_t r = 0; r < ends_.size(); ++r)
      out.samples.push_back({starts_[r], latest, issued_[r], std::max(issued_[r], arrived_[r]), arrived_[r], ends_[r]});
    Loads loads(platform_, setup_, costs_);
    std::vector<Time> send, reduce;
    for (const Server& s : send_sm_) send.push_back(s.busy);
    for (const Owner& o : owners_) reduce.push_back(o.busy);
    loads.busy("SM path, senders", send), loads.busy("SM warps, reduction", reduce);
    for (int r = 0; r < setup_.ep; ++r)
      for (int p = 0; p < setup_.ep; ++p) {
        uint64_t n = 0;
        for (int c = 0; c < channels_.count; ++c)
          n += lanes_[static_cast<size_t>((r * channels_.count + c) * setup_.ep + p)].sent;
        if (p != r) loads.nvlink(r, p, n, nvl_combine_bytes(setup_));
      }
    out.logical_bytes = per_rank(channels_.rank_tokens, counted_combine(setup_));
    out.logical_nvl_bytes = per_rank(channels_.rank_tokens, counted_combine(setup_));
    loads.fill(out);
    return out;
  }

 private:
  struct Lane {       // rank r returns rows to owner p in a channel
    size_t at = 0;    // tokens of the owner's channel that it has passed
    size_t seen = 0;  // of these, visible to the owner
    int in_ring = 0;
    bool blocked = false;
    uint64_t sent = 0;
  };
  struct Owner {  // adds up the tokens of a channel
    size_t done = 0;
    bool working = false;
    Time busy;
  };
  Lane& lane(int r, int c, int p) { return lanes_[static_cast<size_t>((r * channels_.count + c) * setup_.ep + p)]; }
  Time through_sm(int n) const {
    return platform_.gpu.sm_path.time_for(2 * ht_combine_record(setup_) * static_cast<uint64_t>(n));
  }

  void send(int r, int c, int p) {
    Lane& l = lane(r, c, p);
    const auto& masks = channels_.masks(p, c, 0);
    size_t at = l.at;
    int n = 0;
    while (at < masks.size() && n < setup_.nvl_chunk_combine) n += masks[at++] >> r & 1;
    if (at == l.at) return;
    if (l.in_ring + n > setup_.nvl_ring) return l.blocked = true, void();
    Time now = events_.now(), end = now;
    if (n) {
      end += costs_.nvl.chunk_step + costs_.nvl.copy_round * ((n + warps_ - 1) / warps_);
      send_sm_[static_cast<size_t>(r * channels_.count + c)].serve(now, through_sm(n));
      end += through_sm(n) * setup_.ep;  // the groups of the SM work in step and share its path
      if (p != r) end = std::max(end, links_.carry(r, p, nvl_combine_bytes(setup_) * static_cast<uint64_t>(n), now));
    }
    l.at = at, l.in_ring += n, l.sent += static_cast<uint64_t>(n);
    raise(issued_, r, end);
    events_.at(end, shmemu::Rank::agent, [=, this] {
      events_.at(events_.now() + (p == r ? costs_.local_flag : costs_.nvlink_flag), shmemu::Rank::agent, [=, this] {
        lane(r, c, p).seen = at;
        raise(arrived_, p, events_.now());
        reduce(p, c);
      });
      send(r, c, p);
    });
  }

  // The tokens that all ranks have passed, 23 warps side by side.
  void reduce(int p, int c) {
    Owner& o = owners_[static_cast<size_t>(p * channels_.count + c)];
    if (o.working) return;
    const auto& masks = channels_.masks(p, c, 0);
    size_t upto = masks.size();
    for (int r = 0; r < setup_.ep; ++r) upto = std::min(upto, lane(r, c, p).seen);
    upto = std::min(upto, o.done + kReducers);  // as many as there are warps at once
    if (upto == o.done) return;
    int64_t trips = 2 * setup_.hidden / 512;
    Time work;
    for (size_t t = o.done; t < upto; ++t)
      work +=
          costs_.nvl.reduce_entry + (costs_.nvl.reduce_trip + costs_.nvl.reduce_part * std::popcount(masks[t])) * trips;
    Time busy = std::max(work / kReducers, Time{1});
    o.working = true, o.busy += busy;
    events_.at(events_.now() + busy, shmemu::Rank::agent, [=, this] {
      Owner& same = owners_[static_cast<size_t>(p * channels_.count + c)];
      const auto& list = channels_.masks(p, c, 0);
      for (size_t t = same.done; t < upto; ++t)
        for (int r = 0; r < setup_.ep; ++r) lane(r, c, p).in_ring -= list[t] >> r & 1;
      same.done = upto, same.working = false;
      Time latency = costs_.nvl.reduce_entry + costs_.nvl.reduce_trip * trips;  // of the last of them
      raise(ends_, p, events_.now() + latency);
      for (int r = 0; r < setup_.ep; ++r)
        if (Lane& l = lane(r, c, p); l.blocked) l.blocked = false, send(r, c, p);
      reduce(p, c);
    });
  }

  static constexpr int kReducers = 23;  // warps; one more moves the heads (source)
  int warps_;
  std::vector<Lane> lanes_;
  std::vector<Owner> owners_;
  std::vector<Server> send_sm_;
};

}  // namespace

OpResult intranode_combine(const Platform& platform, const Costs& costs, const Setup& setup, const Channels& channels,
                           const std::vector<Time>& starts, uint64_t& events) {
  return perform<Run>(platform, costs, setup, channels, starts, events);
}

}  // namespace shmemu::deepep
