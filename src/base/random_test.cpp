#include "base/random.hpp"

#include <catch2/catch.hpp>

using namespace shmemu;

TEST_CASE("the random source is splitmix64") {
  // reference values for seed 1234567 (Vigna's splitmix64.c)
  Random r(1234567);
  for (uint64_t expected : {6457827717110365317ull, 3203168211198807973ull, 9817491932198370423ull,
                            4593380528125082431ull, 16408922859458223821ull})
    CHECK(r.next() == expected);
}

TEST_CASE("equal seeds give equal sequences, other seeds others") {
  Random a(7), b(7), c(8);
  for (int i = 0; i < 100; ++i) {
    uint64_t value = a.next();
    CHECK(value == b.next());
    CHECK(value != c.next());
  }
}

TEST_CASE("below is uniform in its range") {
  // 60,000 draws of 6: 10,000 each, standard deviation 91; 5 of them are 457
  Random r(1);
  int counts[6] = {};
  for (int i = 0; i < 60'000; ++i) ++counts[r.below(6)];
  for (int n : counts) CHECK(std::abs(n - 10'000) < 457);
}
