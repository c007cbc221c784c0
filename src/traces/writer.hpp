// Writes a trace entry by entry, as readable text or as columns. What was not finished is not a whole trace and its
// reader says so.
#pragma once
#include <filesystem>
#include <memory>

#include "traces/format.hpp"

namespace shmemu::traces {

class TraceWriter {
 public:
  virtual ~TraceWriter() = default;
  virtual void header(const Header& header) = 0;   // first
  virtual void line(const std::string& text) = 0;  // of a host, or a comment
  virtual void lane(const Where& where, const Op& op, const Payload* payload, Time gap, const shmemu_work& work) = 0;
  virtual void warp(const Where& where, const device::Work& work) = 0;
  virtual void finish() = 0;

  void host(PeId pe, const HostEntry& entry);
  void entry(const Entry& entry);
};

// Columns when the name ends in .h5 or .hdf5, else text.
std::unique_ptr<TraceWriter> trace_writer(const std::filesystem::path& file);

}  // namespace shmemu::traces
