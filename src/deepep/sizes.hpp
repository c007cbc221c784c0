// Bytes of DeepEP V1 messages (deepseek-ai/DeepEP 29d31c0) and the published definitions of its GB/s. Pure functions.
#pragma once
#include <cstdint>

#include "deepep/setup.hpp"

namespace shmemu::deepep {

constexpr uint64_t align16(uint64_t n) { return (n + 15) / 16 * 16; }
constexpr uint64_t kLine = 128;

inline uint64_t bytes_of(Dispatch d, uint64_t hidden) { return d == Dispatch::fp8 ? hidden : 2 * hidden; }
inline uint64_t scale_bytes(Dispatch d, uint64_t hidden) { return d == Dispatch::fp8 ? hidden / 128 * 4 : 0; }

// LL: header of 16 B, payload, scales. 7408 B at hidden 7168.
inline uint64_t ll_dispatch_message(const Setup& s) {
  return 16 + bytes_of(s.dispatch, s.hidden) + scale_bytes(s.dispatch, s.hidden);
}
// 14336 B at hidden 7168; LogFMT with every channel cast 9184 B.
inline uint64_t ll_combine_message(const Setup& s) {
  uint64_t h = s.hidden;
  return s.combine == Combine::bf16 ? 2 * h : h + h / 4 + h / 128 * 4;
}
// Two buffers to send and two to receive, a slot of the largest message for every expert and token. 1908 MB at 256
// experts, 128 tokens.
inline uint64_t ll_buffer(const Setup& s) {
  uint64_t h = s.hidden, slot = 2 * h + h / 128 * 4;
  return 4 * slot * static_cast<uint64_t>(s.experts) * static_cast<uint64_t>(s.tokens);
}
// HT: rings to send and to receive, per channel and node. The library's hint is 84 MB at EP16 with 20 SMs and 336 MB at
// EP64: a slot is the BF16 row and 2070 B for the most scales and top-k it allows.
inline uint64_t ht_rdma_buffer(const Setup& s, int nodes) {
  uint64_t slot = 2 * static_cast<uint64_t>(s.hidden) + 2070;
  return 2 * slot * static_cast<uint64_t>(s.sms / 2) * static_cast<uint64_t>(nodes) *
         static_cast<uint64_t>(s.rdma_ring);
}
// HT: payload, 8 B of source meta, scales (cached dispatch: no top-k indices and weights). 7408 B at hidden 7168.
inline uint64_t ht_dispatch_record(const Setup& s) {
  return align16(bytes_of(s.dispatch, s.hidden) + 8 + scale_bytes(s.dispatch, s.hidden));
}
inline uint64_t ht_combine_record(const Setup& s) {
  return align16(2 * static_cast<uint64_t>(s.hidden) + 8 + 4 * s.topk);
}

// What the scripts count per selection (LL) or per token and destination (HT): payload and scales, LL with the header.
inline uint64_t counted_dispatch(const Setup& s) {
  return s.ll() ? ll_dispatch_message(s) : bytes_of(s.dispatch, s.hidden) + scale_bytes(s.dispatch, s.hidden);
}
inline uint64_t counted_combine(const Setup& s) {
  return s.ll() ? ll_combine_message(s) : 2 * static_cast<uint64_t>(s.hidden);
}

// NVLink carries whole lines: of the payload, and one for each part of a record's metadata.
inline uint64_t nvl_dispatch_bytes(const Setup& s) {
  uint64_t lines = (bytes_of(s.dispatch, s.hidden) + kLine - 1) / kLine;
  return (lines + (s.dispatch == Dispatch::fp8 ? 5 : 3)) * kLine;  // source meta, indices, weights; two of scales
}
inline uint64_t nvl_combine_bytes(const Setup& s) { return (2 * static_cast<uint64_t>(s.hidden) / kLine + 2) * kLine; }

// Trips of a warp over one token: 16 B per lane, five at a time, then singly; FP8 also its scales and meta.
inline int trips(uint64_t payload, bool scales) {
  auto vectors = static_cast<int>((payload / 16 + 31) / 32);
  return vectors / 5 + vectors % 5 + (scales ? 2 : 0);
}
inline int dispatch_trips(const Setup& s) { return trips(bytes_of(s.dispatch, s.hidden), s.dispatch == Dispatch::fp8); }
inline int combine_trips(const Setup& s) { return trips(2 * static_cast<uint64_t>(s.hidden), false); }

}  // namespace shmemu::deepep
