// Writes a trace while a program runs, as text or as columns (writer.hpp). The trace, fed to the Replayer on the same
// platform, gives the same times.
#pragma once
#include <filesystem>
#include <memory>

#include "device/machine.hpp"
#include "traces/writer.hpp"

namespace shmemu::traces {

class FileRecorder : public device::Recorder {
 public:
  explicit FileRecorder(const std::filesystem::path& file);
  void header(const Header& header) { out_->header(header); }  // before the run
  void finish() { out_->finish(); }                            // after it
  void lane_op(const device::Lane& lane, const Op& op, const Payload* payload, Time gap) override;
  void block_work(const device::Cta& cta, const std::vector<device::Work>& warps) override;
  void submit(const device::Host& host, const device::Stream& stream, const device::Command& command, Time latency,
              const std::vector<device::CommandRef>& also, Time since) override;
  void host_stop(const device::Host& host, const Op& op, const device::Command* awaited, Time since) override;

 private:
  std::unique_ptr<TraceWriter> out_;
};

}  // namespace shmemu::traces
