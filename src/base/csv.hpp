// Lines of comma-separated values.
#pragma once
#include <string>
#include <vector>

namespace shmemu {

// The fields of a line; a field in quotes may contain commas.
std::vector<std::string> fields_of(const std::string& line);

}  // namespace shmemu
