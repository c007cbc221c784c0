// Reads a profile of PyTorch (Kineto, Chrome trace JSON) as far as expert-parallel communication goes: kernels per
// kind, how much of them computing hides, and what the names allow to assume. It holds no peer, size or rank, so bytes
// cannot be replayed from it alone.
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

struct Kineto {
  std::map<std::string, KinetoKind> kinds;
  double span_us = 0;           // first kernel's start to last one's end
  double communication_us = 0;  // time in which a DeepEP kernel runs
  double hidden_us = 0;         // of it, beside a computing kernel
  int ranks_assumed = 0;        // from template arguments; 0: they say nothing
  std::vector<std::string> notes;
};

// UserError(usage) with file and reason.
Kineto read_kineto(const std::filesystem::path& file);
std::string text_of(const Kineto& profile);

}  // namespace shmemu::traces
