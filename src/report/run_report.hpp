// What a run says at its end: a table per kind of operation, virtual time per PE, the digest. Also writes the timeline,
// one JSON object per line, when asked. Fed by src/device, as its Observer.
#pragma once
#include <array>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/digest.hpp"
#include "base/time.hpp"
#include "report/algorithm_switch.hpp"
#include "report/findings.hpp"
#include "report/message_rate.hpp"
#include "report/perfetto.hpp"
#include "report/transfer_limits.hpp"
#include "transports/observer.hpp"

namespace shmemu {

// Durations in logarithmic buckets of 1/64 octave: median within 1.1 %, min and max exact, fixed memory.
class DurationSummary {
 public:
  void add(Time t);
  uint64_t count() const { return count_; }
  Time min() const { return min_; }
  Time max() const { return max_; }
  Time median() const;

 private:
  static int bucket(int64_t ps);
  std::map<int, uint64_t> buckets_;
  uint64_t count_ = 0;
  Time min_ = Time::max(), max_;
};

class RunReport : public Observer {
 public:
  // A name that ends in .pftrace gives Perfetto's format, any other one JSON object per line.
  void open_timeline(const std::filesystem::path& file);
  void span(const Place& place, const Op& op, uint32_t lanes, uint64_t bytes, Time from, Time to,
            uint64_t flow = 0) override;
  void carried(const Op& op, uint64_t bytes, Time from, Time to, uint64_t flow) override;
  void command(PeId pe, int stream, OpKind kind, const std::string& name, Time from, Time to) override;
  void pe_ended(PeId pe, Time at, int code);
  AlgorithmSwitch collectives;
  Findings findings;  // of the checker, and of the network
  // Adds what limited the run; `limit.end` is filled in here.
  void conclude(MessageRate::Limit limit);
  void conclude(TransferLimits::Limit limit);
  uint64_t digest() const { return digest_.value(); }

  struct Summary {
    std::string program, platform;
    int pes = 0;
    double wall_seconds = 0;
    uint64_t observations = 0, transfers = 0, switches = 0;
    std::vector<std::string> notes;
  };
  std::string text(const Summary& summary) const;
  std::string json(const Summary& summary) const;
  // Of a run that ended before its time.
  std::string failure_json(int exit_code, const std::string& message) const;

 private:
  struct Row {
    DurationSummary durations;
    uint64_t bytes = 0;
    Time busy;
  };
  struct CloseFile {
    void operator()(std::FILE* f) const { std::fclose(f); }
  };
  std::map<std::string, Row> rows_;
  std::vector<Time> ended_;
  std::vector<int> codes_;
  MessageRate messages_;
  TransferLimits transfers_;
  Digest digest_;
  std::unique_ptr<std::FILE, CloseFile> timeline_;
  std::unique_ptr<PerfettoWriter> perfetto_;
};

}  // namespace shmemu
