#include "gpu/admission.hpp"

#include <catch2/catch.hpp>

using namespace shmemu::gpu;

TEST_CASE("an H200 takes 32 blocks of 512 threads of 16 PEs, not of 128") {
  constexpr uint64_t kFits = 132 * 4;  // 2048 threads per SM
  Demand d{"kernel", 32, 512, kFits, 16};
  CHECK_FALSE(refusal(d));
  CHECK(most_pes(d) == 16);
  d.pes = 128;
  auto why = refusal(d);
  REQUIRE(why);
  CHECK(why->find("4096 blocks") != std::string::npos);
  CHECK(why->find("holds 528") != std::string::npos);
  CHECK(why->find("at most 16 PEs") != std::string::npos);
}

TEST_CASE("the 129th kernel is refused however small it is") {
  Demand d{"kernel", 1, 32, 132 * 32, 128};
  CHECK_FALSE(refusal(d));
  d.pes = 129;
  auto why = refusal(d);
  REQUIRE(why);
  CHECK(why->find("at most 128 at a time") != std::string::npos);
}

TEST_CASE("PEs are placed on real GPUs in equal parts, neighbours together") {
  std::vector<int> parts(3);
  for (int pe = 0; pe < 8; ++pe) {
    int gpu = gpu_of_pe(pe, 8, 3);
    if (pe > 0) CHECK(gpu - gpu_of_pe(pe - 1, 8, 3) <= 1);
    ++parts.at(static_cast<size_t>(gpu));
  }
  CHECK(parts == std::vector<int>{3, 3, 2});
  CHECK(most_on_a_gpu(8, 3) == 3);
  CHECK(most_on_a_gpu(8, 2) == 4);
  CHECK(gpu_of_pe(127, 128, 2) == 1);
}
