// A trace as columns (docs/design/traces.md): operations of lanes and work of warps one row each, in the order in which
// they were recorded; hosts' lines and comments as text with the number of rows before them.
#pragma once
#include <filesystem>
#include <memory>

#include "traces/reader.hpp"
#include "traces/writer.hpp"

namespace shmemu::traces {

std::unique_ptr<TraceWriter> column_writer(const std::filesystem::path& file);
std::unique_ptr<TraceReader> column_reader(const std::filesystem::path& file);

}  // namespace shmemu::traces
