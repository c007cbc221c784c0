#include "predict/sweep.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/errors.hpp"
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
  return s;
}

double log2_of(int n) { return std::ceil(std::log2(std::max(2, n))); }

// Puts and signals of one call on all PEs.
double messages_of_call(const Situation& s, Algorithm a, const CollectiveSettings& c, bool fold) {
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
      double distances = n - 1;
      if (fold) segments = std::min(segments, 9.0);
      if (fold && s.all_load_store) distances = std::min(distances, 9.0);
      return segments * distances * (n + 2 * sync);
    }
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
        StreamShape stream = stream_shape(q.collective, s.count);
        s.scope = shape.scope = stream.scope;
        shape.threads = stream.threads;
      }
      Choice choice = choose(s, q.settings, true);
      bool any = false;
      for (Algorithm a : algorithms_of(q.collective)) {
        bool chosen = a == choice.algorithm;
        if (q.algorithm == "auto" ? !chosen : q.algorithm != "all" && q.algorithm != name_of(a)) continue;
        any = true;
        if (std::string why = illegal(a, s, q.settings); !why.empty()) {
          if (skipped) skipped->push_back({pes, bytes, a, why});
          continue;
        }
        jobs.push_back({s, shape, a, chosen, choice.path, messages_of_call(s, a, q.settings, q.fold) * q.calls});
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
  double sum = 0;
  for (const Job& job : jobs_of(q, platform, nullptr)) sum += job.messages;
  return sum;
}

Answer predict(const Question& q, const Platform& platform, const std::function<void(double)>& done) {
  Answer answer;
  std::vector<Job> jobs = jobs_of(q, platform, &answer.skipped);
  double all = 1, behind = 0;
  for (const Job& job : jobs) all += job.messages;
  for (const Job& job : jobs) {
    const Situation& s = job.situation;
    TimedTeam team(platform, job.shape, q.settings, q.transports, q.fold);
    Timing t = team.run(q.collective, job.algorithm, s.count, s.element_bytes, q.calls, 0, [&] { done(behind / all); });
    Row row{s.pes,
            s.bytes(),
            job.algorithm,
            job.chosen,
            {t.last.ps / q.calls},
            {t.first_pe.ps / q.calls},
            0,
            0,
            t.messages,
            t.events,
            static_cast<double>(t.skipped.ps) / static_cast<double>(std::max<int64_t>(1, t.first_pe.ps)),
            job.path};
    double n = s.pes, us = static_cast<double>(row.latency.ps) / 1e6;
    bool of_all = q.collective == Collective::fcollect || q.collective == Collective::alltoall ||
                  q.collective == Collective::reducescatter;
    row.alg_gbps = static_cast<double>(s.bytes()) * (of_all ? n : 1) / us / 1e3;
    double factor = q.collective == Collective::reduce ? 2 * (n - 1) / n : of_all ? (n - 1) / n : 1;
    row.bus_gbps = row.alg_gbps * factor;
    answer.rows.push_back(std::move(row));
    behind += job.messages;
    done(behind / all);
  }
  return answer;
}

}  // namespace shmemu::predict
