#include "deepep/trace.hpp"

#include <algorithm>
#include <fstream>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/errors.hpp"
#include "deepep/npy.hpp"

namespace shmemu::deepep {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

[[noreturn]] void refuse_line(const fs::path& file, size_t line, const std::string& what) {
  throw UserError(ExitCode::usage, fmt::format("{}:{}: {}", file.string(), line, what));
}

struct Record {
  json line;
  fs::path file;
  size_t number = 0;
  double start = 0, end = 0;
};

struct RankFile {
  fs::path file;
  json header;
  std::vector<Record> dispatches, combines;
};

RankFile read_rank(const fs::path& file) {
  RankFile out;
  out.file = file;
  std::ifstream in(file);
  size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.empty()) continue;
    Record r;
    try {
      r.line = json::parse(line);
    } catch (const json::parse_error& e) {
      refuse_line(file, number, fmt::format("no JSON at byte {}; the file may be cut off here", e.byte));
    }
    try {
      if (number == 1) {
        if (r.line.at("format") != "shmemu.deepep") refuse_line(file, 1, "the header must say format shmemu.deepep");
        if (int version = r.line.at("version"); version != 1)
          refuse_line(file, 1, fmt::format("version {}; this shmemu reads version 1", version));
        r.line.at("rank").get<int>(), r.line.at("ranks").get<int>();
        out.header = r.line;
        continue;
      }
      r.file = file, r.number = number;
      r.start = r.line.at("start_us"), r.end = r.line.at("end_us");
      if (r.end < r.start)
        refuse_line(file, number, fmt::format("ends at {} us, before its start at {} us", r.end, r.start));
      auto op = r.line.at("op").get<std::string>();
      if (op == "dispatch")
        out.dispatches.push_back(std::move(r));
      else if (op == "combine")
        out.combines.push_back(std::move(r));
      else if (op != "layout" && op != "clean")
        refuse_line(file, number, fmt::format("op '{}'; known: dispatch, combine, layout, clean", op));
    } catch (const json::exception& e) {
      refuse_line(file, number, e.what());
    }
  }
  if (out.header.is_null()) refuse_line(file, 1, "is empty; a header line was due");
  return out;
}

std::vector<int16_t> picks_of(const Record& r, int topk) {
  std::vector<int64_t> values;
  if (r.line.contains("topk_idx_file")) {
    Npy npy = read_npy(r.file.parent_path() / r.line.at("topk_idx_file").get<std::string>());
    if (npy.shape.size() != 2 || static_cast<int>(npy.shape[1]) != topk)
      refuse_line(r.file, r.number, fmt::format("topk_idx_file is not [tokens, {}]", topk));
    values = std::move(npy.values);
  } else {
    for (const json& row : r.line.at("topk_idx")) {
      if (static_cast<int>(row.size()) != topk)
        refuse_line(r.file, r.number, fmt::format("a token with {} experts, topk is {}", row.size(), topk));
      for (const json& e : row) values.push_back(e.get<int64_t>());
    }
  }
  int experts = r.line.at("experts");
  std::vector<int16_t> out;
  for (int64_t v : values) {
    if (v < -1 || v >= experts) refuse_line(r.file, r.number, fmt::format("expert {}, there are {}", v, experts));
    out.push_back(static_cast<int16_t>(v));
  }
  return out;
}

TraceCall call_of(const std::vector<RankFile>& ranks, size_t i) {
  TraceCall c;
  const Record& first = ranks[0].dispatches[i];
  Setup& s = c.setup;
  s.ep = static_cast<int>(ranks.size());
  s.mode = first.line.at("mode") == "ll" ? Mode::low_latency : Mode::high_throughput;
  s.hidden = first.line.at("hidden"), s.topk = first.line.at("topk"), s.experts = first.line.at("experts");
  s.dispatch = first.line.value("dtype", "fp8") == "bf16" ? Dispatch::bf16 : Dispatch::fp8;
  s.sms = first.line.value("num_sms", s.sms), s.nvl_ring = first.line.value("nvl_ring", s.nvl_ring);
  s.rdma_ring = first.line.value("rdma_ring", s.rdma_ring);
  s.nvl_chunk_dispatch = first.line.value("nvl_chunk", 0), s.rdma_chunk_dispatch = first.line.value("rdma_chunk", 0);
  s.notify_in_time = first.line.value("with_notify", false);
  s.seed = ranks[0].header.value("seed", uint64_t{0});
  s.iterations = 1, s.tokens = 1;
  c.routing.topk = s.topk, c.routing.experts = s.experts;
  bool combined = std::all_of(ranks.begin(), ranks.end(), [i](const RankFile& r) { return r.combines.size() > i; });
  double zero = first.start;
  for (const RankFile& r : ranks) zero = std::min(zero, r.dispatches[i].start);
  for (const RankFile& r : ranks) {
    const Record& d = r.dispatches[i];
    for (const char* key : {"mode", "hidden", "topk", "experts"})
      if (d.line.at(key) != first.line.at(key))
        refuse_line(d.file, d.number,
                    fmt::format("{} is {}, on rank 0 {}; the ranks' calls are not the same operation ({}:{})", key,
                                d.line.at(key).dump(), first.line.at(key).dump(), first.file.filename().string(),
                                first.number));
    c.routing.picks.push_back(picks_of(d, s.topk));
    s.tokens = std::max(s.tokens, static_cast<int>(c.routing.picks.back().size()) / s.topk);
    s.arrivals_us.push_back(d.start - zero), c.dispatch_us.push_back(d.end - d.start);
    if (combined) {
      const Record& b = r.combines[i];
      s.combine_arrivals_us.push_back(b.start - zero), c.combine_us.push_back(b.end - b.start);
      if (b.line.value("dtype", "bf16") == "logfmt") s.combine = Combine::logfmt;
      s.nvl_chunk_combine = b.line.value("nvl_chunk", 0), s.rdma_chunk_combine = b.line.value("rdma_chunk", 0);
    }
  }
  return c;
}

}  // namespace

Trace read_trace(const fs::path& folder) {
  if (fs::is_regular_file(folder))
    throw UserError(
        ExitCode::usage,
        fmt::format(
            "'{}' is a file; a trace is a folder written by tools/deepep_record.py. A profile (Kineto) holds no peer, "
            "size "
            "or rank and cannot be replayed: `shmemu trace info` shows its kernels, `shmemu deepep` predicts them when "
            "--tokens, --hidden and --topk are given",
            folder.string()));
  if (!fs::is_directory(folder))
    throw UserError(ExitCode::usage, fmt::format("'{}' is no folder with a trace", folder.string()));
  std::map<int, RankFile> by_rank;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".jsonl") {
      RankFile r = read_rank(entry.path());
      int rank = r.header.at("rank");
      if (by_rank.count(rank))
        refuse_line(entry.path(), 1,
                    fmt::format("rank {} is also in {}", rank, by_rank[rank].file.filename().string()));
      by_rank[rank] = std::move(r);
    }
  if (by_rank.empty())
    throw UserError(ExitCode::usage, fmt::format("'{}' holds no .jsonl file of a rank", folder.string()));
  Trace out;
  out.ranks = by_rank.begin()->second.header.at("ranks");
  out.gpus_per_node = by_rank.begin()->second.header.value("gpus_per_node", 8);
  out.library = by_rank.begin()->second.header.value("library", "unknown");
  std::vector<RankFile> ranks;
  for (int r = 0; r < out.ranks; ++r) {
    if (!by_rank.count(r))
      throw UserError(ExitCode::usage,
                      fmt::format("'{}': no file of rank {}; the run had {} ranks", folder.string(), r, out.ranks));
    ranks.push_back(std::move(by_rank[r]));
  }
  size_t calls = ranks[0].dispatches.size();
  for (const RankFile& r : ranks) calls = std::min(calls, r.dispatches.size());
  for (size_t r = 0; r < ranks.size(); ++r)
    if (ranks[r].dispatches.size() > calls)
      out.notes.push_back(fmt::format("rank {} recorded {} dispatches, another only {}; the rest is left out", r,
                                      ranks[r].dispatches.size(), calls));
  for (size_t i = 0; i < calls; ++i) try {
      out.calls.push_back(call_of(ranks, i));
    } catch (const json::exception& e) {
      refuse_line(ranks[0].file, ranks[0].dispatches[i].number, e.what());
    }
  return out;
}

}  // namespace shmemu::deepep
