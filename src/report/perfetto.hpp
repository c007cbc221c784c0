// Writes a timeline that ui.perfetto.dev opens: a process per PE, a track per host, stream, warp and pair of PEs,
// slices for operations, arrows from a signal or put to the wait that it ended. Protobuf messages are written directly:
// a trace needs six of them, and their field numbers are fixed (perfetto.dev, protos/perfetto/trace). Times are
// nanoseconds there.
#pragma once
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"

namespace shmemu {

class PerfettoWriter {
 public:
  explicit PerfettoWriter(const std::filesystem::path& file);
  static constexpr int kLinks = -1;  // instead of a PE: what is on its way between two
  struct Slice {
    int pe = 0;
    std::string track;  // "host", "stream 1", "kernel 2 block 0 warp 3"
    std::string_view name;
    Time from, to;
    uint64_t bytes = 0;
    int target = -1;
    uint64_t flow = 0;  // 0: no arrow
    bool flow_ends = false;
  };
  void add(const Slice& slice);

 private:
  struct Rows {
    std::vector<uint64_t> tracks;  // slices that overlap go to rows of their own
    std::vector<Time> busy_until;
  };
  uint64_t row_for(const Slice& slice);
  uint64_t describe(int pe, const std::string& name, bool process);
  void packet(const std::string& body);
  struct CloseFile {
    void operator()(std::FILE* f) const { std::fclose(f); }
  };
  std::unique_ptr<std::FILE, CloseFile> file_;
  std::map<int, uint64_t> processes_;
  std::map<std::pair<int, std::string>, Rows> rows_;
  uint64_t next_track_ = 1;
};

}  // namespace shmemu
