// Where a replay takes the operations of kernels from: a trace in memory, or a file in columns read on as threads ask.
// The second holds only what lies between the thread that is furthest behind and the one that is furthest ahead in the
// recorded order, so its size does not grow with the trace.
#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "device/actor.hpp"
#include "traces/reader.hpp"

namespace shmemu::traces {

class LaneSource {
 public:
  virtual ~LaneSource() = default;
  // What the warps of a block computed that ran without any stop; false: its threads have operations.
  virtual bool block_work(const device::Cta& cta, std::vector<device::Work>& warps) = 0;
  // The next operation of the lane's thread, valid until the next call; null: none is left.
  virtual const LaneEntry* next(device::Lane& lane) = 0;
  virtual void block_ends(const device::Cta&) {}
};

class MemoryLanes : public LaneSource {
 public:
  explicit MemoryLanes(const Trace& trace) : trace_(trace) {}
  bool block_work(const device::Cta& cta, std::vector<device::Work>& warps) override;
  const LaneEntry* next(device::Lane& lane) override;

 private:
  const Trace& trace_;
  LaneEntry exit_;  // of threads without a list in a sparse trace
};

class StreamedLanes : public LaneSource {
 public:
  // `progress` hears how much of the file has been read, 0 to 1, now and then.
  StreamedLanes(std::unique_ptr<TraceReader> reader, std::function<void(double)> progress);
  bool block_work(const device::Cta& cta, std::vector<device::Work>& warps) override;
  const LaneEntry* next(device::Lane& lane) override;
  void block_ends(const device::Cta& cta) override;
  uint64_t most_held() const { return entries_.size(); }
  // "12 fetch, 3 test": operations read so far whose answers depend on time and may have steered the program.
  std::string steering() const;
  // Reads to the end, so that nothing behind the last operation stays unchecked.
  void finish();

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  struct Node {
    LaneEntry entry;
    uint32_t next = kNone;
  };
  struct Queue {
    uint32_t head = kNone, tail = kNone;
  };
  struct Block {
    std::vector<device::Work> warps;
    bool has_threads = false;
  };
  struct Hash {
    size_t operator()(const Where& w) const;
  };
  bool read_on();
  std::unique_ptr<TraceReader> reader_;
  std::function<void(double)> progress_;
  uint64_t read_ = 0;
  Entry read_entry_;
  LaneEntry current_;
  std::map<std::string, uint64_t> steering_;
  std::vector<Node> entries_;
  uint32_t free_ = kNone;
  std::unordered_map<Where, Queue, Hash> threads_;  // looked up only
  std::unordered_map<Where, Block, Hash> blocks_;   // thread 0; looked up only
};

}  // namespace shmemu::traces
