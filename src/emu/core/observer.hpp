// Hands what the Machine observes to the report, with kernels counted per PE.
#pragma once
#include "device/machine.hpp"
#include "report/run_report.hpp"

namespace shmemu::emu {

class ReportObserver : public device::Observer {
 public:
  explicit ReportObserver(RunReport& report) : report_(report) {}
  void span(const device::Place& p, const Op& op, uint32_t lanes, uint64_t bytes, Time from, Time to,
            uint64_t flow) override {
    report_.operation({p.pe, p.host, p.stream, p.grid, p.block, p.warp, p.mask}, op, lanes, bytes, from, to, flow);
  }
  void command(PeId pe, int stream, OpKind kind, const std::string& name, Time from, Time to) override {
    report_.command(pe, stream, kind, name, from, to);
  }

 private:
  RunReport& report_;
};

}  // namespace shmemu::emu
