#include "deepep/goal.hpp"

#include <algorithm>
#include <fstream>
#include <vector>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "deepep/channels.hpp"
#include "deepep/sizes.hpp"

namespace shmemu::deepep {
namespace {

struct Message {
  int from, to;
  uint64_t bytes;
};

std::vector<Message> low_latency(const Setup& s, const Routing& routing, int per_node) {
  std::vector<Message> out;
  for (int r = 0; r < s.ep; ++r)
    for (int16_t e : routing.picks[static_cast<size_t>(r)])
      if (e >= 0)
        if (int to = e / s.local_experts(); to / per_node != r / per_node)
          out.push_back({r, to, ll_dispatch_message(s)});
  return out;
}

// One message per full chunk and one for the rest of a list.
std::vector<Message> high_throughput(const Setup& s, const Routing& routing, int per_node, int chunk, uint64_t record) {
  Channels channels(routing, s.ep, per_node, s.sms / 2);
  std::vector<Message> out;
  for (int r = 0; r < s.ep; ++r)
    for (int c = 0; c < channels.count; ++c)
      for (int n = 0; n < channels.nodes; ++n)
        if (n != r / per_node)
          for (size_t left = channels.masks(r, c, n).size(); left;) {
            size_t now = std::min(left, static_cast<size_t>(chunk));
            out.push_back({r, n * per_node + r % per_node, now * record});
            left -= now;
          }
  return out;
}

}  // namespace

void write_goal(const std::filesystem::path& file, const Setup& s, const Routing& routing, int per_node) {
  std::vector<Message> there, back;
  if (s.ll()) {
    there = low_latency(s, routing, per_node);
    for (const Message& m : there) back.push_back({m.to, m.from, ll_combine_message(s)});
  } else {
    there = high_throughput(s, routing, per_node, s.rdma_chunk_dispatch, ht_dispatch_record(s));
    for (const Message& m : high_throughput(s, routing, per_node, s.rdma_chunk_combine, ht_combine_record(s)))
      back.push_back({m.to, m.from, m.bytes});
  }
  std::vector<std::string> text(static_cast<size_t>(s.ep));
  std::vector<std::vector<int>> received(text.size());
  std::vector<int> label(static_cast<size_t>(s.ep));
  auto add = [&](int rank, const std::string& what) {
    int n = ++label[static_cast<size_t>(rank)];
    text[static_cast<size_t>(rank)] += fmt::format("l{}: {}\n", n, what);
    return n;
  };
  for (const Message& m : there) {
    add(m.from, fmt::format("send {}b to {} tag 0", m.bytes, m.to));
    received[static_cast<size_t>(m.to)].push_back(add(m.to, fmt::format("recv {}b from {} tag 0", m.bytes, m.from)));
  }
  std::vector<int> done;
  for (int r = 0; r < s.ep; ++r) {
    done.push_back(add(r, "calc 1"));
    for (int n : received[static_cast<size_t>(r)])
      text[static_cast<size_t>(r)] += fmt::format("l{} requires l{}\n", done.back(), n);
  }
  for (const Message& m : back) {
    int n = add(m.from, fmt::format("send {}b to {} tag 1", m.bytes, m.to));
    text[static_cast<size_t>(m.from)] += fmt::format("l{} requires l{}\n", n, done[static_cast<size_t>(m.from)]);
    add(m.to, fmt::format("recv {}b from {} tag 1", m.bytes, m.from));
  }
  std::ofstream out(file);
  out << "num_ranks " << s.ep << "\n";
  for (int r = 0; r < s.ep; ++r) out << "\nrank " << r << " {\n" << text[static_cast<size_t>(r)] << "}\n";
  if (!out.flush()) throw UserError(ExitCode::usage, fmt::format("cannot write '{}'", file.string()));
}

}  // namespace shmemu::deepep
