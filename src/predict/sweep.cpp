#include "predict/sweep.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "model/fabric.hpp"
#include "predict/nccl.hpp"
#include "predict/timed_team.hpp"

namespace shmemu::predict {
namespace {

struct Job {
  Situation situation;
  TeamShape shape;
  Algorithm algorithm;
  bool chosen;
  std::vector<std::string> path;
  double messages;
};

Situation situation_of(const Question& q, const Platform& p, const Placement& where, int pes, uint64_t bytes) {
  Situation s;
  s.collective = q.collective;
  s.scope = q.scope;
  s.element_bytes = bytes % q.element_bytes ? 1 : q.element_bytes;
  s.count = bytes / s.element_bytes;
  s.floating = true;
  s.pes = pes;
  s.one_node = where.nodes == 1;
  s.all_load_store =
      pes == 1 || (!q.transports.disable_p2p && p.same_nvlink_domain(where.gpu_of({0}), where.gpu_of({pes - 1})));
  s.block_distributed = true;  // Placement does it so
  s.nvls = q.nvls && s.all_load_store && pes > 1;
  return s;
}

double log2_of(int n) { return std::ceil(std::log2(std::max(2, n))); }

// Puts and signals of one call on all PEs.
double messages_of_call(const Situation& s, Algorithm a, const CollectiveSettings& c, bool fold, const Platform& p,
                        const TeamShape& shape) {
  double n = s.pes, sync = n * log2_of(s.pes);
  switch (a) {
    case Algorithm::sync_dissemination:
      return sync;
    case Algorithm::sync_full:
      return n * (n - 1);
    case Algorithm::broadcast_put:
      return n + sync;
    case Algorithm::broadcast_tree:
    case Algorithm::broadcast_tree_2d:
      return n;
    case Algorithm::broadcast_flat:
      return 2 * n;
    case Algorithm::fcollect_ll:
    case Algorithm::fcollect_ll128:
      return n * n;
    case Algorithm::reduce_hierarchical:
      return n * n;
    case Algorithm::reduce_exchange:
      return 2 * sync;
    case Algorithm::reduce_segmented: {
      double segments = std::ceil(static_cast<double>(s.bytes()) / (static_cast<double>(c.reduce_scratch) / 16));
      double steps = segments * (n - 1);
      if (fold && s.all_load_store) steps = std::min(steps, 6.0);
      if (fold && !s.all_load_store && p.nic)  // the ways to near PEs differ, those to far ones do not
        steps = std::min(steps,
                         4.0 * Fabric(p, shape.where.gpus()).leaf_nodes() + 4.0 * shape.where.pes_per_node * segments);
      return steps * (n + 2 * sync);
    }
    case Algorithm::reduce_ring:
      return 4 * n * (fold ? std::min(n, 4.0 * (shape.where.nodes > 1 ? 256 : 1)) : n);
    case Algorithm::reduce_nvls_one_shot:
    case Algorithm::reduce_nvls_two_shot:
    case Algorithm::reducescatter_nvls:
    case Algorithm::fcollect_nvls:
      return n * n;
    case Algorithm::reduce_two_level: {
      double pieces = std::ceil(static_cast<double>(s.bytes()) / (static_cast<double>(c.reduce_scratch) / 4));
      return pieces * n * 2 * (shape.where.pes_per_node + shape.where.nodes + log2_of(shape.where.nodes));
    }
    case Algorithm::fcollect_two_level:
      return n * n;
    case Algorithm::alltoall_two_level:
      return n * (n + shape.where.nodes) + 2 * sync;
    case Algorithm::reducescatter_put:
      return std::ceil(n * static_cast<double>(s.bytes()) / (static_cast<double>(c.reduce_scratch) / 2)) *
             (n * n + sync);
    case Algorithm::alltoall_signal:
      return 2 * n * n;
    default:
      return n * n + sync;
  }
}

std::vector<Job> jobs_of(const Question& q, const Platform& p, std::vector<Skipped>* skipped) {
  std::vector<Job> jobs;
  for (int pes : q.pes)
    for (uint64_t bytes : q.bytes) {
      Placement where = place(p, pes);
      Situation s = situation_of(q, p, where, pes, bytes);
      TeamShape shape{pes, where, q.scope,
                      q.scope == Scope::thread ? 1
                      : q.scope == Scope::warp ? 32
                                               : q.threads,
                      q.on_stream};
      if (q.on_stream) {
        StreamShape stream = stream_shape(s, q.settings);
        s.scope = shape.scope = stream.scope;
        shape.threads = stream.threads;
        shape.blocks = stream.blocks;
        shape.graph = q.graph;
      } else {
        shape.blocks = q.blocks;
      }
      uint64_t count = s.count;
      s.count /= static_cast<uint64_t>(shape.blocks);  // each chooses for its part
      Choice choice = choose(s, q.settings, true);
      bool any = false;
      for (Algorithm a : algorithms_of(q.collective)) {
        bool chosen = a == choice.algorithm;
        if (q.algorithm == "auto" ? !chosen : q.algorithm != "all" && q.algorithm != name_of(a)) continue;
        any = true;
        if (std::string why = illegal(a, s, q.settings); !why.empty()) {
          if (skipped) skipped->push_back({pes, bytes, std::string(name_of(a)), why});
          continue;
        }
        TeamShape folded = shape;
        if (q.fold && !q.transports.disable_p2p) folded.classes = classes_of(p, shape, a, count, q.settings);
        double share = folded.classes ? static_cast<double>(folded.classes) / pes : 1;
        Situation whole = s;
        whole.count = count;
        jobs.push_back({whole, folded, a, chosen, choice.path,
                        messages_of_call(s, a, q.settings, q.fold, p, shape) * share * q.calls * shape.blocks});
      }
      if (!any) {
        std::string known;
        for (Algorithm a : algorithms_of(q.collective)) known += fmt::format(" {}", name_of(a));
        throw UserError(ExitCode::usage,
                        fmt::format("{} has no algorithm '{}'; it has{}", name_of(q.collective), q.algorithm, known));
      }
    }
  return jobs;
}

}  // namespace

double messages_of(const Question& q, const Platform& platform) {
  if (q.library == "nccl") return 0;
  double sum = 0;
  for (const Job& job : jobs_of(q, platform, nullptr)) sum += job.messages;
  return sum;
}

namespace {

void add_bandwidths(Row& row, Collective collective) {
  double n = row.pes, us = row.latency.us();
  bool of_all = collective == Collective::fcollect || collective == Collective::alltoall ||
                collective == Collective::reducescatter;
  row.alg_gbps = static_cast<double>(row.bytes) * (of_all ? n : 1) / us / 1e3;
  row.bus_gbps = row.alg_gbps * (collective == Collective::reduce ? 2 * (n - 1) / n : of_all ? (n - 1) / n : 1);
}

std::string known_names(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& n : names) out += " " + n;
  return out;
}

Answer predict_nccl(const Question& q, const Platform& platform) {
  Answer answer;
  for (int pes : q.pes)
    for (uint64_t bytes : q.bytes) {
      Placement where = place(platform, pes);
      std::vector<NcclTime> times =
          nccl_times({q.collective, bytes, pes, where.nodes, q.nvls, q.registered}, platform.gpu);
      std::vector<std::string> names;
      bool any = false;
      for (const NcclTime& t : times) {
        std::string full = t.algorithm + "/" + t.protocol;
        names.push_back(full);
        if (q.algorithm == "auto" ? !t.chosen
                                  : q.algorithm != "all" && q.algorithm != t.algorithm && q.algorithm != full)
          continue;
        any = true;
        Row row{};
        row.pes = pes, row.bytes = bytes, row.simulated = pes;
        row.library = "nccl", row.algorithm = t.algorithm, row.protocol = t.protocol;
        row.chosen = t.chosen, row.blocks = t.channels, row.bound = t.bound, row.tuner_us = t.tuner;
        row.latency = row.first_pe = Time::from_us(t.us);
        row.path = {fmt::format("{} with {} channels: {:.1f} us by the tuner", full, t.channels, t.tuner)};
        add_bandwidths(row, q.collective);
        answer.rows.push_back(std::move(row));
      }
      if (!any)
        throw UserError(ExitCode::usage, fmt::format("NCCL has no algorithm '{}' for {} on {} PEs; it has{}",
                                                     q.algorithm, name_of(q.collective), pes, known_names(names)));
    }
  return answer;
}

}  // namespace

Answer predict(const Question& q, const Platform& platform, const std::function<void(double)>& done) {
  if (q.library == "nccl") return predict_nccl(q, platform);
  Answer answer;
  std::vector<Job> jobs = jobs_of(q, platform, &answer.skipped);
  double all = 1, behind = 0;
  for (const Job& job : jobs) all += job.messages;
  for (const Job& job : jobs) {
    const Situation& s = job.situation;
    TimedTeam team(platform, job.shape, q.settings, q.transports, q.fold);
    Timing t = team.run(q.collective, job.algorithm, s.count, s.element_bytes, q.calls, 0, [&] { done(behind / all); });
    Row row{};
    row.pes = s.pes, row.bytes = s.bytes();
    row.library = "nvshmem", row.algorithm = name_of(job.algorithm);
    row.chosen = job.chosen, row.blocks = job.shape.blocks;
    row.latency = {t.last.ps / q.calls}, row.first_pe = {t.first_pe.ps / q.calls};
    row.messages = t.messages, row.events = t.events, row.simulated = t.simulated;
    row.folded = static_cast<double>(t.skipped.ps) / static_cast<double>(std::max<int64_t>(1, t.first_pe.ps));
    row.unlike = t.unlike;
    row.path = job.path;
    add_bandwidths(row, q.collective);
    answer.rows.push_back(std::move(row));
    behind += job.messages;
    done(behind / all);
  }
  return answer;
}

}  // namespace shmemu::predict
