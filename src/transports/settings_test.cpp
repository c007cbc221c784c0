#include "transports/settings.hpp"

#include <catch2/catch.hpp>

#include <map>

#include "base/errors.hpp"

using namespace shmemu;

namespace {

NvshmemSettings read(const std::map<std::string, const char*>& variables) {
  return read_settings([&](const char* name) {
    auto at = variables.find(name);
    return at == variables.end() ? nullptr : at->second;
  });
}

}  // namespace

TEST_CASE("NVSHMEM variables: defaults are those of 3.3.9") {
  NvshmemSettings s = read({});
  CHECK(s.remote == NvshmemSettings::Remote::ibrc);
  CHECK_FALSE(s.ibgda);
  CHECK_FALSE(s.disable_p2p);
  CHECK(s.map_by == NvshmemSettings::MapBy::cta);
  CHECK(s.queues_per_pe == 2);
  CHECK(s.queue_depth == 1024);
}

TEST_CASE("NVSHMEM variables: flags, names and numbers are read") {
  NvshmemSettings s = read({{"NVSHMEM_IB_ENABLE_IBGDA", "1"},
                            {"NVSHMEM_DISABLE_P2P", "no"},
                            {"NVSHMEM_REMOTE_TRANSPORT", "UCX"},
                            {"NVSHMEM_IBGDA_RC_MAP_BY", "warp"},
                            {"NVSHMEM_IBGDA_NUM_RC_PER_PE", "64"},
                            {"NVSHMEM_QP_DEPTH", "128"}});
  CHECK(s.ibgda);
  CHECK_FALSE(s.disable_p2p);
  CHECK(s.remote == NvshmemSettings::Remote::ucx);
  CHECK(s.map_by == NvshmemSettings::MapBy::warp);
  CHECK(s.queues_per_pe == 64);
  CHECK(s.queue_depth == 128);
}

TEST_CASE("NVSHMEM variables: what NVSHMEM does not know is refused with what it knows") {
  CHECK_THROWS_WITH(read({{"NVSHMEM_REMOTE_TRANSPORT", "tcp"}}),
                    "NVSHMEM_REMOTE_TRANSPORT=tcp: known: none, ibrc, ibdevx, ucx, libfabric");
  CHECK_THROWS_WITH(read({{"NVSHMEM_IBGDA_NUM_RC_PER_PE", "two"}}),
                    "NVSHMEM_IBGDA_NUM_RC_PER_PE=two: a whole number from 1 to 4096 is expected");
  CHECK_THROWS_AS(read({{"NVSHMEM_QP_DEPTH", "64"}}), UserError);
  CHECK_THROWS_AS(read({{"NVSHMEM_IBGDA_RC_MAP_BY", "dct"}}), UserError);
}
