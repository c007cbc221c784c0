// Large parts of the C++ library in a .cu file, for host code; some of it is used.
#include <immintrin.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <complex>
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>
#include <regex>
#include <sstream>
#include <string>
#include <thread>
#include <unordered_map>
#include <variant>

#include "check.hpp"

__global__ void square(int* values) { values[threadIdx.x] *= values[threadIdx.x]; }

int main() {
  std::vector<int> values(16);
  std::iota(values.begin(), values.end(), 0);
  DeviceArray<int> data(values);
  square<<<1, 16>>>(data);
  values = data.read();
  std::map<std::string, int> named;
  for (int v : values) named[std::to_string(v)] = v;
  CHECK(named.at("225") == 225 && named.size() == 16);
  CHECK(std::accumulate(values.begin(), values.end(), 0) == 1240);
  std::mt19937 random(1);
  std::shuffle(values.begin(), values.end(), random);
  std::sort(values.begin(), values.end(), std::greater<int>());
  CHECK(values.front() == 225 && std::sqrt(float(values[1])) == 14.0f);
  CHECK(std::regex_match(std::string("sm_90"), std::regex("sm_[0-9]+")));
  std::ostringstream text;
  text << std::filesystem::path("a/b.cu").extension() << std::complex<double>(1, 2);
  CHECK(text.str() == "\".cu\"(1,2)");
  try {
    throw std::runtime_error("thrown");
  } catch (const std::exception& e) {
    CHECK(std::string(e.what()) == "thrown");
  }
  return verdict();
}
