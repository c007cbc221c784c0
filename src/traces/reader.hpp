// Reads a trace, readable or in columns: entry by entry, or whole into memory. Truncated or corrupt places are refused
// with their position; nothing is half believed.
#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "traces/format.hpp"

namespace shmemu::traces {

class TraceReader {
 public:
  explicit TraceReader(std::filesystem::path file) : path_(std::move(file)) {}
  virtual ~TraceReader() = default;
  const Header& header() const { return header_; }
  // The next entry; false after the last one of a whole trace.
  bool next(Entry& entry);
  virtual double done() const = 0;  // part that has been read, 0 to 1
  // Only hosts' lines; before the first `next`.
  virtual std::vector<std::vector<HostEntry>> hosts() = 0;

 protected:
  virtual bool read(Entry& entry) = 0;
  void check_ends(const std::vector<bool>& ended) const;
  std::filesystem::path path_;
  Header header_;

 private:
  std::vector<bool> ended_;  // by PE: the host's last line was its exit
};

std::unique_ptr<TraceReader> trace_reader(const std::filesystem::path& file);
// A line that is no header. std::exception with the reason.
Entry parse_line(const std::string& text, const Header& header);

struct Trace {
  Header header;
  std::vector<std::vector<HostEntry>> hosts;  // by PE
  std::map<Where, std::vector<LaneEntry>> lanes;
  std::map<std::tuple<int, uint32_t, uint32_t>, std::vector<device::Work>>
      blocks;           // PE, kernel, block: work of its warps
  bool sparse = false;  // never in a file: threads and blocks without a list do nothing
};

Trace read_trace(const std::filesystem::path& file);
// Writes what read_trace gives back: for traces that no running Machine has recorded.
void write_trace(const std::filesystem::path& file, const Trace& trace);

}  // namespace shmemu::traces
