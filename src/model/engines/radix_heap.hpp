// Monotone priority queue of engine events: no event may be pushed before the last one popped. Buckets by the highest
// bit in which a time differs from the last one; equal times leave in order of arrival, so runs repeat exactly. Buckets
// keep their memory: no allocation per event once they have grown. A value; one owner.
#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace shmemu {

class RadixHeap {
 public:
  struct Event {
    uint64_t ps, what;  // what: the owner's
  };
  bool empty() const { return filled_ == 0; }
  // Of the event that pop would give; not empty.
  uint64_t next_time() const { return buckets_[first()].least; }

  void push(uint64_t ps, uint64_t what) {
    unsigned b = bucket_of(ps);
    Bucket& bucket = buckets_[b];
    if (!(filled_ >> b & 1) || ps < bucket.least) bucket.least = ps;
    bucket.events.push_back({ps, what});
    filled_ |= uint64_t{1} << b;
  }

  Event pop() {
    if (unsigned b = first(); b != 0) spread(b);
    Bucket& now = buckets_[0];
    Event e = now.events[read_++];
    if (read_ == now.events.size()) now.events.clear(), read_ = 0, filled_ &= ~uint64_t{1};
    return e;
  }

 private:
  struct Bucket {
    std::vector<Event> events;
    uint64_t least = 0;
  };
  unsigned bucket_of(uint64_t ps) const { return static_cast<unsigned>(std::bit_width(ps ^ last_)); }
  unsigned first() const { return static_cast<unsigned>(std::countr_zero(filled_)); }
  // Bucket 0 is empty: the least time of bucket b becomes the present, its events move below b.
  void spread(unsigned b) {
    last_ = buckets_[b].least;
    moving_.swap(buckets_[b].events);
    filled_ &= ~(uint64_t{1} << b);
    for (const Event& e : moving_) push(e.ps, e.what);
    moving_.clear();
    moving_.swap(buckets_[b].events);  // the memory goes back
  }

  std::array<Bucket, 64> buckets_;  // times are below 2^63
  std::vector<Event> moving_;
  uint64_t last_ = 0, filled_ = 0;
  size_t read_ = 0;  // of bucket 0
};

}  // namespace shmemu
