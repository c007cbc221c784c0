#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/errors.hpp"
#include "deepep/trace.hpp"

namespace shmemu::deepep {

void write_trace(const std::filesystem::path& folder, const Results& results, const Setup& setup,
                 const Routing& routing, int gpus_per_node) {
  using nlohmann::ordered_json;
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed)
    throw UserError(ExitCode::usage, fmt::format("cannot make the folder '{}': {}", folder.string(), failed.message()));
  auto ranks = static_cast<size_t>(setup.ep);
  // HT's two operations are predicted from their own starts; here the second comes after the first
  Time shift;
  if (!setup.ll())
    for (const RankTimes& t : results.ops[0].samples) shift = std::max(shift, t.end + t.notify);
  for (size_t r = 0; r < ranks; ++r) {
    std::filesystem::path file = folder / fmt::format("rank_{:04}.jsonl", r);
    std::ofstream out(file);
    out << ordered_json{{"format", "shmemu.deepep"},      {"version", 1},        {"rank", r},         {"ranks", ranks},
                        {"gpus_per_node", gpus_per_node}, {"library", "shmemu"}, {"seed", setup.seed}}
               .dump()
        << "\n";
    for (size_t op = 0; op < 2; ++op) {
      const auto& samples = results.ops[op].samples;
      const RankTimes& t = samples[samples.size() - ranks + r];
      ordered_json line{{"op", results.ops[op].name},
                        {"mode", setup.ll() ? "ll" : "ht"},
                        {"tokens", routing.tokens(static_cast<int>(r))},
                        {"hidden", setup.hidden},
                        {"topk", setup.topk},
                        {"experts", setup.experts},
                        {"dtype", op ? (setup.combine == Combine::bf16 ? "bf16" : "logfmt")
                                  : setup.dispatch == Dispatch::fp8 ? "fp8"
                                                                    : "bf16"}};
      if (!setup.ll()) {
        line["num_sms"] = setup.sms, line["nvl_ring"] = setup.nvl_ring, line["rdma_ring"] = setup.rdma_ring;
        line["nvl_chunk"] = op ? setup.nvl_chunk_combine : setup.nvl_chunk_dispatch;
        line["rdma_chunk"] = op ? setup.rdma_chunk_combine : setup.rdma_chunk_dispatch;
        line["with_notify"] = setup.notify_in_time;
      }
      Time start = t.start + (op ? shift : Time{}), end = t.end + t.notify + (op ? shift : Time{});
      line["start_us"] = start.us(), line["end_us"] = end.us();
      if (!op) {
        ordered_json rows = ordered_json::array();
        for (int token = 0; token < routing.tokens(static_cast<int>(r)); ++token) {
          const int16_t* picks = routing.token(static_cast<int>(r), token);
          rows.push_back(std::vector<int16_t>(picks, picks + routing.topk));
        }
        line["topk_idx"] = std::move(rows);
      }
      out << line.dump() << "\n";
    }
    if (!out.flush()) throw UserError(ExitCode::usage, fmt::format("cannot write '{}'", file.string()));
  }
}

}  // namespace shmemu::deepep
