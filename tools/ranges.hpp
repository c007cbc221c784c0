// Lists on the command line: "2,4,8", "8:1024" (doubling) or "128:1G:4" (factor 4); numbers may end in k, M, G.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace shmemu::tools {

// UserError(usage) that names `option` when `text` is no such list.
std::vector<uint64_t> read_range(const std::string& option, const std::string& text, uint64_t factor);

}  // namespace shmemu::tools
