// Ballot, any, all, match and warp reductions.
#include "check.hpp"

__global__ void votes(unsigned* out) {
  unsigned lane = threadIdx.x, all = 0xffffffffu;
  unsigned odd = __ballot_sync(all, lane & 1);
  int some = __any_sync(all, lane == 9), none = __any_sync(all, lane == 99);
  int every = __all_sync(all, lane < 32), most = __all_sync(all, lane < 31);
  unsigned same = __match_any_sync(all, lane % 4);
  int equal = 7, unequal = 7;
  unsigned agreed = __match_all_sync(all, 5u, &equal), disagreed = __match_all_sync(all, lane, &unequal);
  unsigned sum = __reduce_add_sync(all, lane), largest = __reduce_max_sync(all, lane);
  unsigned bits = __reduce_or_sync(all, 1u << lane);
  if (lane == 6) {
    unsigned results[] = {odd,    unsigned(some), unsigned(none),   unsigned(every), unsigned(most), same,
                          agreed, unsigned(equal), unsigned(!unequal), disagreed,       sum,            largest, bits};
    for (int i = 0; i < 13; ++i) out[i] = results[i];
  }
}

int main() {
  DeviceArray<unsigned> out(16);
  votes<<<1, 32>>>(out);
  std::vector<unsigned> r = out.read();
  CHECK(r[0] == 0xaaaaaaaau);
  CHECK(r[1] == 1 && r[2] == 0);
  CHECK(r[3] == 1 && r[4] == 0);
  CHECK(r[5] == 0x44444444u);
  CHECK(r[6] == 0xffffffffu && r[7] != 0);
  CHECK(r[8] == 1 && r[9] == 0);
  CHECK(r[10] == 496 && r[11] == 31 && r[12] == 0xffffffffu);
  return verdict();
}
