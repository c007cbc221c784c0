// Collective communication (MPI 3.1, chapter 5): dissemination barrier, binomial broadcast, ring allgather; reductions
// combine in rank order, so every run and every root gives the same rounding.
#include <cstring>
#include <vector>

#include "emu/mpi/mpi.hpp"

namespace shmemu::emu::mpi {

void barrier(const Communicator& comm, uint64_t site) {
  int n = comm.size();
  for (int distance = 1; distance < n; distance *= 2) {
    send(comm, (comm.me + distance) % n, kBarrierTag, nullptr, 0, site);
    receive(comm, (comm.me - distance + n) % n, kBarrierTag, nullptr, 0, "MPI_Barrier", site);
  }
}

void broadcast(const Communicator& comm, int root, void* data, uint64_t bytes, uint64_t site) {
  int n = comm.size(), me = (comm.me - root + n) % n;  // numbered from the root
  int top = 1;
  while (top < n) top *= 2;
  for (int distance = top / 2; distance >= 1; distance /= 2) {
    if (me % (2 * distance) == 0 && me + distance < n)
      send(comm, (me + distance + root) % n, kBroadcastTag, data, bytes, site);
    else if (me % (2 * distance) == distance)
      receive(comm, (me - distance + root) % n, kBroadcastTag, data, bytes, "MPI_Bcast", site);
  }
}

void allgather(const Communicator& comm, const void* mine, void* all, uint64_t bytes, uint64_t site) {
  int n = comm.size();
  auto place = [&](int rank) { return static_cast<std::byte*>(all) + static_cast<uint64_t>(rank) * bytes; };
  if (bytes && mine != place(comm.me)) std::memcpy(place(comm.me), mine, bytes);
  for (int step = 1; step < n; ++step) {
    send(comm, (comm.me + 1) % n, kRingTag, place((comm.me - step + 1 + n) % n), bytes, site);
    receive(comm, (comm.me - 1 + n) % n, kRingTag, place((comm.me - step + n) % n), bytes, "MPI_Allgather", site);
  }
}

namespace {

using Sizes = std::vector<uint64_t>;  // by rank

std::byte* at(void* base, uint64_t offset) { return static_cast<std::byte*>(base) + offset; }
const std::byte* at(const void* base, uint64_t offset) { return static_cast<const std::byte*>(base) + offset; }

// `mine` of every rank goes to the root, at its offset there.
void gather(const Communicator& comm, int root, const void* mine, uint64_t bytes, void* all, const Sizes& sizes,
            const Sizes& offsets, const char* call, uint64_t site) {
  if (comm.me != root) return send(comm, root, kGatherTag, mine, bytes, site);
  for (int i = 0; i < comm.size(); ++i) {
    auto r = static_cast<size_t>(i);
    if (i != root) {
      receive(comm, i, kGatherTag, at(all, offsets[r]), sizes[r], call, site);
    } else if (mine != MPI_IN_PLACE && bytes) {
      std::memmove(at(all, offsets[r]), mine, bytes);
    }
  }
}

Sizes equal(const Communicator& comm, uint64_t bytes) { return Sizes(static_cast<size_t>(comm.size()), bytes); }
Sizes rows(const Communicator& comm, uint64_t bytes) {
  Sizes offsets;
  for (int i = 0; i < comm.size(); ++i) offsets.push_back(static_cast<uint64_t>(i) * bytes);
  return offsets;
}

Sizes scaled(const Communicator& comm, const int* numbers, uint64_t by) {
  Sizes out;
  for (int i = 0; i < comm.size(); ++i) out.push_back(static_cast<uint64_t>(numbers[i]) * by);
  return out;
}

// The result on rank 0 … n-1 in order: ((x0 op x1) op x2) …, on the root.
void reduce(const Communicator& comm, int root, const void* mine, void* result, int count, MPI_Datatype type, MPI_Op op,
            const char* call, uint64_t site) {
  uint64_t bytes = bytes_of(count, type, call, site);
  if (mine == MPI_IN_PLACE) mine = result;
  std::vector<std::byte> all(comm.me == root ? bytes * static_cast<uint64_t>(comm.size()) : 0);
  gather(comm, root, mine, bytes, all.data(), equal(comm, bytes), rows(comm, bytes), call, site);
  if (comm.me != root) return;
  // a operation puts its result into the second operand, which is the later rank
  for (int i = 1; i < comm.size(); ++i)
    combine(op, type, all.data() + static_cast<uint64_t>(i - 1) * bytes, all.data() + static_cast<uint64_t>(i) * bytes,
            count, call, site);
  if (bytes) std::memcpy(result, all.data() + static_cast<uint64_t>(comm.size() - 1) * bytes, bytes);
}

}  // namespace
}  // namespace shmemu::emu::mpi

using namespace shmemu;
using namespace shmemu::emu;
using namespace shmemu::emu::mpi;

extern "C" {

int MPI_Barrier(MPI_Comm comm) {
  uint64_t site = SHMEMU_SITE();
  barrier(communicator(comm, "MPI_Barrier", site), site);
  return MPI_SUCCESS;
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm handle) {
  uint64_t site = SHMEMU_SITE();
  const Communicator& comm = communicator(handle, "MPI_Bcast", site);
  broadcast(comm, checked_rank(comm, root, "MPI_Bcast", site), buffer, bytes_of(count, type, "MPI_Bcast", site), site);
  return MPI_SUCCESS;
}

int MPI_Gather(const void* out, int send_count, MPI_Datatype send_type, void* in, int receive_count,
               MPI_Datatype receive_type, int root, MPI_Comm handle) {
  uint64_t site = SHMEMU_SITE();
  const Communicator& comm = communicator(handle, "MPI_Gather", site);
  checked_rank(comm, root, "MPI_Gather", site);
  uint64_t theirs = comm.me == root ? bytes_of(receive_count, receive_type, "MPI_Gather", site) : 0;
  uint64_t mine = out == MPI_IN_PLACE ? theirs : bytes_of(send_count, send_type, "MPI_Gather", site);
  gather(comm, root, out, mine, in, equal(comm, theirs), rows(comm, theirs), "MPI_Gather", site);
  return MPI_SUCCESS;
}

int MPI_Gatherv(const void* out, int send_count, MPI_Datatype send_type, void* in, const int* counts,
                const int* displacements, MPI_Datatype receive_type, int root, MPI_Comm handle) {
  uint64_t site = SHMEMU_SITE();
  const Communicator& comm = communicator(handle, "MPI_Gatherv", site);
  checked_rank(comm, root, "MPI_Gatherv", site);
  Sizes sizes, offsets;
  if (comm.me == root) {
    uint64_t each = type_of(receive_type, "MPI_Gatherv", site).bytes;
    sizes = scaled(comm, counts, each);
    offsets = scaled(comm, displacements, each);
  }
  uint64_t mine = out == MPI_IN_PLACE ? 0 : bytes_of(send_count, send_type, "MPI_Gatherv", site);
  gather(comm, root, out, mine, in, sizes, offsets, "MPI_Gatherv", site);
  return MPI_SUCCESS;
}

int MPI_Scatter(const void* out, int send_count, MPI_Datatype send_type, void* in, int receive_count,
                MPI_Datatype receive_type, int root, MPI_Comm handle) {
  uint64_t site = SHMEMU_SITE();
  const Communicator& comm = communicator(handle, "MPI_Scatter", site);
  checked_rank(comm, root, "MPI_Scatter", site);
  if (comm.me != root) {
    receive(comm, root, kScatterTag, in, bytes_of(receive_count, receive_type, "MPI_Scatter", site), "MPI_Scatter",
            site);
    return MPI_SUCCESS;
  }
  uint64_t bytes = bytes_of(send_count, send_type, "MPI_Scatter", site);
  for (int i = 0; i < comm.size(); ++i) {
    const std::byte* piece = at(out, static_cast<uint64_t>(i) * bytes);
    if (i != root) {
      send(comm, i, kScatterTag, piece, bytes, site);
    } else if (in != MPI_IN_PLACE && bytes) {
      std::memmove(in, piece, bytes);
    }
  }
  return MPI_SUCCESS;
}

int MPI_Allgather(const void* out, int send_count, MPI_Datatype send_type, void* in, int receive_count,
                  MPI_Datatype receive_type, MPI_Comm handle) {
  uint64_t site = SHMEMU_SITE();
  const Communicator& comm = communicator(handle, "MPI_Allgather", site);
  uint64_t bytes = bytes_of(receive_count, receive_type, "MPI_Allgather", site);
  if (out == MPI_IN_PLACE) {
    out = at(in, static_cast<uint64_t>(comm.me) * bytes);
  } else if (bytes_of(send_count, send_type, "MPI_Allgather", site) != bytes) {
    program_error(site, "MPI_Allgather: {} B are sent and {} B expected per rank",
                  bytes_of(send_count, send_type, "", site), bytes);
  }
  allgather(comm, out, in, bytes, site);
  return MPI_SUCCESS;
}

int MPI_Allgatherv(const void* out, int send_count, MPI_Datatype send_type, void* in, const int* counts,
                   const int* displacements, MPI_Datatype receive_type, MPI_Comm handle) {
  uint64_t site = SHMEMU_SITE();
  const Communicator& comm = communicator(handle, "MPI_Allgatherv", site);
  uint64_t each = type_of(receive_type, "MPI_Allgatherv", site).bytes;
  Sizes sizes = scaled(comm, counts, each), offsets = scaled(comm, displacements, each);
  auto me = static_cast<size_t>(comm.me);
  const void* mine = out == MPI_IN_PLACE ? at(in, offsets[me]) : out;
  uint64_t bytes = out == MPI_IN_PLACE ? sizes[me] : bytes_of(send_count, send_type, "MPI_Allgatherv", site);
  gather(comm, 0, mine, bytes, in, sizes, offsets, "MPI_Allgatherv", site);
  for (size_t i = 0; i < sizes.size(); ++i) broadcast(comm, 0, at(in, offsets[i]), sizes[i], site);
  return MPI_SUCCESS;
}

int MPI_Alltoall(const void* out, int send_count, MPI_Datatype send_type, void* in, int receive_count,
                 MPI_Datatype receive_type, MPI_Comm handle) {
  uint64_t site = SHMEMU_SITE();
  const Communicator& comm = communicator(handle, "MPI_Alltoall", site);
  uint64_t bytes = bytes_of(receive_count, receive_type, "MPI_Alltoall", site);
  std::vector<std::byte> copy;
  if (out == MPI_IN_PLACE) {
    copy.assign(at(in, 0), at(in, bytes * static_cast<uint64_t>(comm.size())));
    out = copy.data();
  } else {
    bytes = bytes_of(send_count, send_type, "MPI_Alltoall", site);
  }
  int n = comm.size();
  for (int i = 0; i < n; ++i) {
    int to = (comm.me + i) % n, from = (comm.me - i + n) % n;
    send(comm, to, kAlltoallTag, at(out, static_cast<uint64_t>(to) * bytes), bytes, site);
    receive(comm, from, kAlltoallTag, at(in, static_cast<uint64_t>(from) * bytes), bytes, "MPI_Alltoall", site);
  }
  return MPI_SUCCESS;
}

int MPI_Reduce(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm handle) {
  uint64_t site = SHMEMU_SITE();
  const Communicator& comm = communicator(handle, "MPI_Reduce", site);
  reduce(comm, checked_rank(comm, root, "MPI_Reduce", site), out, in, count, type, op, "MPI_Reduce", site);
  return MPI_SUCCESS;
}

int MPI_Allreduce(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm handle) {
  uint64_t site = SHMEMU_SITE();
  const Communicator& comm = communicator(handle, "MPI_Allreduce", site);
  reduce(comm, 0, out, in, count, type, op, "MPI_Allreduce", site);
  broadcast(comm, 0, in, bytes_of(count, type, "MPI_Allreduce", site), site);
  return MPI_SUCCESS;
}

int MPI_Scan(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm handle) {
  uint64_t site = SHMEMU_SITE();
  const Communicator& comm = communicator(handle, "MPI_Scan", site);
  uint64_t bytes = bytes_of(count, type, "MPI_Scan", site);
  if (out != MPI_IN_PLACE && bytes) std::memcpy(in, out, bytes);
  std::vector<std::byte> before(bytes);
  if (comm.me > 0) {
    receive(comm, comm.me - 1, kScanTag, before.data(), bytes, "MPI_Scan", site);
    combine(op, type, before.data(), in, count, "MPI_Scan", site);
  }
  if (comm.me + 1 < comm.size()) send(comm, comm.me + 1, kScanTag, in, bytes, site);
  return MPI_SUCCESS;
}

}  // extern "C"
