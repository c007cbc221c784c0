#include "model/engines/traffic.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/random.hpp"

namespace shmemu {
namespace {

class Collector final : public FlowListener {
 public:
  explicit Collector(size_t flows) { result.delivered.resize(flows); }
  void happened(FlowId flow, FlowEvent event, Time when) override {
    if (event == FlowEvent::delivered) result.delivered[flow] = result.last = when;
  }
  TrafficResult result;
};

bool write_all(int fd, const void* data, size_t bytes) {
  auto at = static_cast<const char*>(data);
  while (bytes > 0) {
    ssize_t n = write(fd, at, bytes);
    if (n <= 0) return false;
    at += n, bytes -= static_cast<size_t>(n);
  }
  return true;
}

std::string read_all(int fd) {
  std::string text;
  char buffer[1 << 16];
  for (ssize_t n; (n = read(fd, buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<size_t>(n));
  return text;
}

}  // namespace

std::vector<Flow> flows_of(const Pattern& p) {
  if (p.endpoints < 2) throw UserError(ExitCode::usage, fmt::format("{} GPUs: messages need at least 2", p.endpoints));
  if (p.bytes == 0) throw UserError(ExitCode::usage, "messages of 0 B take no time; give --bytes");
  std::vector<Flow> flows;
  int n = p.endpoints;
  if (p.name == "all-to-all") {
    for (int shift = 1; shift < n; ++shift)
      for (int from = 0; from < n; ++from) flows.push_back({from, (from + shift) % n, p.bytes});
  } else if (p.name == "random") {
    Random random(p.seed);
    for (int from = 0; from < n; ++from)
      for (int i = 0; i < p.each; ++i) {
        int to = static_cast<int>(random.below(static_cast<uint64_t>(n - 1)));
        flows.push_back({from, to + (to >= from), p.bytes});
      }
  } else if (p.name == "incast") {
    for (int from = 1; from < n; ++from) flows.push_back({from, 0, p.bytes});
  } else if (p.name == "shift") {
    if (p.each % n == 0)
      throw UserError(ExitCode::usage, fmt::format("shift by {} of {} GPUs ends at the sender", p.each, n));
    for (int from = 0; from < n; ++from) flows.push_back({from, (from + p.each) % n, p.bytes});
  } else {
    throw UserError(ExitCode::usage,
                    fmt::format("unknown pattern '{}'; known: all-to-all, random, incast, shift", p.name));
  }
  return flows;
}

TrafficResult run_traffic(const Wiring& wiring, const std::vector<Flow>& flows, const EngineOptions& wanted) {
  Collector collector(flows.size());
  auto engine = make_engine(wiring, collector, wanted);
  for (const Flow& f : flows) engine->submit(f, {});  // ids are the positions: none is over yet
  engine->advance(Time::max());
  SHMEMU_ASSERT(engine->active() == 0, fmt::format("{} flows are not over", engine->active()));
  collector.result.events = engine->events();
  return std::move(collector.result);
}

TrafficResult run_traffic_apart(const Wiring& wiring, const std::vector<Flow>& flows, const EngineOptions& wanted) {
  int ends[2];
  if (pipe(ends) != 0) throw UserError(ExitCode::program_failed, "no pipe to a child process");
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    bool written = false;
    try {
      TrafficResult r = run_traffic(wiring, flows, wanted);
      written = write_all(ends[1], r.delivered.data(), r.delivered.size() * sizeof(Time));
    } catch (const UserError& e) {
      write_all(ends[1], e.what(), std::char_traits<char>::length(e.what()));
    }
    _exit(written ? 0 : 1);  // SimGrid's engine is not taken down: it would end actors of a finished run
  }
  close(ends[1]);
  std::string text = read_all(ends[0]);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw UserError(ExitCode::usage, text.empty() ? "the engine's process died" : text);
  TrafficResult r;
  r.delivered.resize(flows.size());
  SHMEMU_ASSERT(text.size() == flows.size() * sizeof(Time), fmt::format("{} B of times", text.size()));
  std::copy_n(reinterpret_cast<const Time*>(text.data()), flows.size(), r.delivered.begin());
  r.last = *std::max_element(r.delivered.begin(), r.delivered.end());
  r.events = flows.size();
  return r;
}

Time least_time(const Wiring& wiring, const std::vector<Flow>& flows) {
  std::vector<uint64_t> bytes(wiring.ports().size());
  Time least, way = Time::max();
  for (const Flow& f : flows) {
    Route route = wiring.route(f.from, f.to);
    way = std::min(way, route.latency);
    for (size_t h = 0; h < route.hops(); ++h) bytes[route.ports[h]] += f.bytes;
  }
  for (size_t p = 0; p < bytes.size(); ++p)
    if (bytes[p]) least = std::max(least, wiring.ports()[p].time_for(bytes[p]));
  return least + way;
}

}  // namespace shmemu
