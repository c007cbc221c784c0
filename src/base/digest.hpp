// A running 64-bit digest (FNV-1a over 8-byte words, mixed at the end). Two runs of one input must print the same.
#pragma once
#include <cstdint>
#include <string_view>

namespace shmemu {

class Digest {
 public:
  void add(uint64_t word) { state_ = (state_ ^ word) * 0x100000001b3ull, state_ ^= state_ >> 29; }
  void add(std::string_view text) {
    for (unsigned char c : text) add(uint64_t{c});
    add(text.size());
  }
  uint64_t value() const { return state_ * 0x9e3779b97f4a7c15ull ^ (state_ >> 32); }

 private:
  uint64_t state_ = 0xcbf29ce484222325ull;
};

}  // namespace shmemu
