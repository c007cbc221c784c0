// Reads a profile of PyTorch (Kineto, Chrome trace JSON) as far as expert-parallel communication goes: kernels per
// kind, how much of them computing hides, what the names allow to assume; and plays its kernels again with other
// durations. It holds no peer and no size, so bytes cannot be replayed from it alone.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace shmemu::traces {

struct KinetoKind {  // layout, notify, cached notify, dispatch, cached dispatch, combine, other communication,
                     // computing
  uint64_t kernels = 0;
  double total_us = 0, longest_us = 0;
};

struct KinetoKernel {
  std::string kind;
  double from_us = 0, us = 0;  // from: since the first kernel
  int64_t stream = 0;
};

struct Kineto {
  std::map<std::string, KinetoKind> kinds;
  double span_us = 0;                 // first kernel's start to last one's end
  double communication_us = 0;        // time in which a DeepEP kernel runs
  double hidden_us = 0;               // of it, beside a computing kernel
  std::vector<KinetoKernel> kernels;  // by start
  int ranks = 0;                      // as the profile says (distributedInfo); 0: it does not
  int ranks_assumed = 0;              // from template arguments; 0: they say nothing
  int experts_assumed = 0;            // from the grid of the layout kernel
  int sms_assumed = 0;                // from the grid of dispatch
  std::vector<std::string> notes;
};

// UserError(usage) with file and reason.
Kineto read_kineto(const std::filesystem::path& file);
std::string text_of(const Kineto& profile);
// Span in us when kernels take so much longer, by kind. A kernel follows its stream; one that began more than
// kBackToBack after its stream had become idle is taken to have waited for the kernel that ended last before it.
double play(const Kineto& profile, const std::map<std::string, double>& longer_us);
constexpr double kBackToBack = 5;  // us; a guess: a launch that waits in its stream begins sooner

}  // namespace shmemu::traces
