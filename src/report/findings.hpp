// What a checker has to say about a program: findings, each with the rule it breaks, what happened, both places, the
// values and the remedy. Findings of one rule between the same two source lines are one, counted. Written as text, as
// JSON and as SARIF 2.1.0 (the format that editors and code hosts read).
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace shmemu {

// Where in the source, by whom, in which call.
struct FindingPlace {
  std::string file;  // as the compiler was given it; empty: unknown
  int line = 0;
  std::string who;   // "PE 1 kernel exchange block 0 thread 3"
  std::string call;  // "put_nbi", "plain load"
  std::string text() const;
};

struct Finding {
  std::string rule;  // order.missing-fence …
  bool note = false;
  std::string what, values, remedy;
  FindingPlace first, second;  // `second` is empty where one call alone is wrong
  uint64_t count = 1;
};

class Findings {
 public:
  // A source comment `// shmemu: allow RULE` on the line of a place or on the one above takes a finding away.
  // Returns its number, for count_again.
  size_t add(Finding finding);
  void count_again(size_t number);
  bool empty() const { return list_.empty(); }
  // Those that are not only notes.
  uint64_t errors() const;
  const std::vector<Finding>& list() const { return list_; }
  uint64_t suppressed() const { return suppressed_; }

  std::string text() const;
  nlohmann::ordered_json json() const;
  std::string sarif(const std::string& program) const;

 private:
  bool allowed(const std::string& rule, const FindingPlace& place);
  const std::vector<std::string>& lines_of(const std::string& file);
  std::vector<Finding> list_;
  std::map<std::string, size_t> by_key_;
  std::map<std::string, std::vector<std::string>> sources_;
  uint64_t suppressed_ = 0;
};

}  // namespace shmemu
