// The two readers of node_topology.hpp; `file` is for messages.
#pragma once
#include <string>

#include "model/import/node_topology.hpp"

namespace shmemu::import {

NodeTopology read_matrix(const std::string& text, const std::string& file);
NodeTopology read_nccl_xml(const std::string& text, const std::string& file);
void choose_nics(NodeTopology& topology);

}  // namespace shmemu::import
