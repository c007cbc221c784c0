#include "emu/core/environment.hpp"

#include <catch2/catch.hpp>

using namespace shmemu::emu;

TEST_CASE("environment: variables that NVSHMEM does not know are named, known ones and others are not") {
  const char* environment[] = {"NVSHMEM_VERSION=1",
                               "HOME=/root",
                               "NVSHMEM_DISABLE_P2P=1",
                               "NVSHMEM_P2P_DISABLE=1",
                               "NVSHMEM_ASSERT_ATOMICS_SYNC=1",
                               "NVSHMEMTEST_USE=1",
                               "NVSHMEM_A",
                               nullptr};
  CHECK(unknown_variables(environment) ==
        std::vector<std::string>{
            "NVSHMEM does not know the variable NVSHMEM_A; only the program may look at it",
            "NVSHMEM does not know the variable NVSHMEM_P2P_DISABLE; only the program may look at it"});
}
