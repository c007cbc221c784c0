// Point-to-point communication (MPI 3.1, chapter 3). Sends are buffered; receives match in the order in which they were
// posted, and take the messages of a sender in the order in which they were sent.
#include <algorithm>
#include <cstring>

#include "emu/mpi/mpi.hpp"

namespace shmemu::emu::mpi {
namespace {

bool matches(const Message& m, uint64_t context, const std::vector<PeId>& ranks, int source, int tag) {
  if (m.context != context) return false;
  if (source != MPI_ANY_SOURCE && ranks[static_cast<size_t>(source)] != m.from) return false;
  return tag == MPI_ANY_TAG ? m.tag >= 0 : m.tag == tag;
}

int rank_of(const std::vector<PeId>& ranks, PeId pe) {
  return static_cast<int>(std::find(ranks.begin(), ranks.end(), pe) - ranks.begin());
}

// Gives arrived messages to the receives that have been posted.
void match() {
  MpiState& s = state();
  Inbox& inbox = g_current.pe->inbox;
  for (auto at = s.posted.begin(); at != s.posted.end();) {
    Request& r = **at;
    const Message* found =
        find_message(inbox, [&](const Message& m) { return matches(m, r.context, r.ranks, r.source, r.tag); });
    if (!found) {
      ++at;
      continue;
    }
    Message m = take_message(inbox, found);
    if (m.bytes > r.capacity)
      program_error(r.site,
                    "the message of rank {} with tag {} has {} B, the receive buffer {} B; receive with a larger count",
                    rank_of(r.ranks, m.from), m.tag, m.bytes, r.capacity);
    if (m.bytes) std::memcpy(r.buffer, m.data.get(), m.bytes);
    r.done = true;
    r.status = {rank_of(r.ranks, m.from), m.tag, MPI_SUCCESS, 0, m.bytes};
    at = s.posted.erase(at);
  }
}

void complete(Request& r, uint64_t site) {
  match();
  while (!r.done) {
    wait_for_message(site);
    match();
  }
}

MPI_Request post(Communicator& comm, void* buffer, uint64_t capacity, int source, int tag, const char* call,
                 uint64_t site) {
  MpiState& s = state();
  auto r = std::make_unique<Request>();
  r->site = site;
  if (source == MPI_PROC_NULL) {
    r->done = true;
    r->status = {MPI_PROC_NULL, MPI_ANY_TAG, MPI_SUCCESS, 0, 0};
  } else {
    if (source != MPI_ANY_SOURCE) checked_rank(comm, source, call, site);
    if (tag < 0 && tag != MPI_ANY_TAG) program_error(site, "{}: the tag is {}; tags are not negative", call, tag);
    r->buffer = buffer, r->capacity = capacity, r->source = source, r->tag = tag;
    r->context = comm.context, r->ranks = comm.ranks;
    s.posted.push_back(r.get());
  }
  auto handle = reinterpret_cast<MPI_Request>(r.get());
  s.requests[handle] = std::move(r);
  return handle;
}

Request& request(MPI_Request handle, const char* call, uint64_t site) {
  auto at = state().requests.find(handle);
  if (at == state().requests.end()) program_error(site, "{}: this request does not exist or has been completed", call);
  return *at->second;
}

void finish(MPI_Request* handle, const Request& r, MPI_Status* status) {
  if (status) *status = r.status;
  state().requests.erase(*handle);
  *handle = MPI_REQUEST_NULL;
}

void checked_send(MPI_Comm handle, const void* buffer, int count, MPI_Datatype type, int dest, int tag,
                  const char* call, uint64_t site) {
  Communicator& comm = communicator(handle, call, site);
  uint64_t bytes = bytes_of(count, type, call, site);
  if (dest == MPI_PROC_NULL) return;
  if (tag < 0) program_error(site, "{}: the tag is {}; tags are not negative", call, tag);
  send(comm, checked_rank(comm, dest, call, site), tag, buffer, bytes, site);
}

const Message* probe(const Communicator& comm, int source, int tag) {
  return find_message(g_current.pe->inbox,
                      [&](const Message& m) { return matches(m, comm.context, comm.ranks, source, tag); });
}

void describe(const Communicator& comm, const Message& m, MPI_Status* status) {
  if (status) *status = {rank_of(comm.ranks, m.from), m.tag, MPI_SUCCESS, 0, m.bytes};
}

}  // namespace

void send(const Communicator& comm, int to, int tag, const void* data, uint64_t bytes, uint64_t site) {
  send_message(comm.ranks[static_cast<size_t>(to)], comm.context, tag, data, bytes, site);
}

void receive(const Communicator& comm, int from, int tag, void* data, uint64_t bytes, const char* call, uint64_t site) {
  Inbox& inbox = g_current.pe->inbox;
  auto wanted = [&](const Message& m) { return matches(m, comm.context, comm.ranks, from, tag); };
  const Message* found;
  while (!(found = find_message(inbox, wanted))) wait_for_message(site);
  Message m = take_message(inbox, found);
  if (m.bytes != bytes)
    program_error(site, "{}: rank {} sends {} B, rank {} expects {} B; all members must give equal counts", call, from,
                  m.bytes, comm.me, bytes);
  if (bytes) std::memcpy(data, m.data.get(), bytes);
}

}  // namespace shmemu::emu::mpi

using namespace shmemu;
using namespace shmemu::emu;
using namespace shmemu::emu::mpi;

extern "C" {

int MPI_Send(const void* buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  checked_send(comm, buffer, count, type, dest, tag, "MPI_Send", SHMEMU_SITE());
  return MPI_SUCCESS;
}

int MPI_Recv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm handle, MPI_Status* status) {
  uint64_t site = SHMEMU_SITE();
  Communicator& comm = communicator(handle, "MPI_Recv", site);
  MPI_Request r = post(comm, buffer, bytes_of(count, type, "MPI_Recv", site), source, tag, "MPI_Recv", site);
  Request& posted = request(r, "MPI_Recv", site);
  complete(posted, site);
  finish(&r, posted, status);
  return MPI_SUCCESS;
}

int MPI_Sendrecv(const void* out, int send_count, MPI_Datatype send_type, int dest, int send_tag, void* in,
                 int receive_count, MPI_Datatype receive_type, int source, int receive_tag, MPI_Comm handle,
                 MPI_Status* status) {
  uint64_t site = SHMEMU_SITE();
  checked_send(handle, out, send_count, send_type, dest, send_tag, "MPI_Sendrecv", site);
  Communicator& comm = communicator(handle, "MPI_Sendrecv", site);
  uint64_t capacity = bytes_of(receive_count, receive_type, "MPI_Sendrecv", site);
  MPI_Request r = post(comm, in, capacity, source, receive_tag, "MPI_Sendrecv", site);
  Request& posted = request(r, "MPI_Sendrecv", site);
  complete(posted, site);
  finish(&r, posted, status);
  return MPI_SUCCESS;
}

int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request* out) {
  uint64_t site = SHMEMU_SITE();
  checked_send(comm, buffer, count, type, dest, tag, "MPI_Isend", site);
  auto r = std::make_unique<Request>();
  r->done = true;
  *out = reinterpret_cast<MPI_Request>(r.get());
  state().requests[*out] = std::move(r);
  return MPI_SUCCESS;
}

int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm handle, MPI_Request* out) {
  uint64_t site = SHMEMU_SITE();
  Communicator& comm = communicator(handle, "MPI_Irecv", site);
  *out = post(comm, buffer, bytes_of(count, type, "MPI_Irecv", site), source, tag, "MPI_Irecv", site);
  return MPI_SUCCESS;
}

int MPI_Wait(MPI_Request* handle, MPI_Status* status) {
  uint64_t site = SHMEMU_SITE();
  running("MPI_Wait", site);
  if (*handle == MPI_REQUEST_NULL) return MPI_SUCCESS;
  Request& r = request(*handle, "MPI_Wait", site);
  complete(r, site);
  finish(handle, r, status);
  return MPI_SUCCESS;
}

int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  uint64_t site = SHMEMU_SITE();
  running("MPI_Waitall", site);
  for (int i = 0; i < count; ++i) {
    if (requests[i] == MPI_REQUEST_NULL) continue;
    Request& r = request(requests[i], "MPI_Waitall", site);
    complete(r, site);
    finish(&requests[i], r, statuses ? statuses + i : nullptr);
  }
  return MPI_SUCCESS;
}

int MPI_Test(MPI_Request* handle, int* flag, MPI_Status* status) {
  uint64_t site = SHMEMU_SITE();
  running("MPI_Test", site);
  *flag = 1;
  if (*handle == MPI_REQUEST_NULL) return MPI_SUCCESS;
  Request& r = request(*handle, "MPI_Test", site);
  look_for_messages(site);
  match();
  *flag = r.done;
  if (r.done) finish(handle, r, status);
  return MPI_SUCCESS;
}

int MPI_Probe(int source, int tag, MPI_Comm handle, MPI_Status* status) {
  uint64_t site = SHMEMU_SITE();
  Communicator& comm = communicator(handle, "MPI_Probe", site);
  const Message* found;
  while (!(found = probe(comm, source, tag))) wait_for_message(site);
  describe(comm, *found, status);
  return MPI_SUCCESS;
}

int MPI_Iprobe(int source, int tag, MPI_Comm handle, int* flag, MPI_Status* status) {
  uint64_t site = SHMEMU_SITE();
  Communicator& comm = communicator(handle, "MPI_Iprobe", site);
  look_for_messages(site);
  const Message* found = probe(comm, source, tag);
  *flag = found != nullptr;
  if (found) describe(comm, *found, status);
  return MPI_SUCCESS;
}

int MPI_Get_count(const MPI_Status* status, MPI_Datatype type, int* count) {
  uint64_t bytes = type_of(type, "MPI_Get_count", SHMEMU_SITE()).bytes;
  *count = bytes && status->shmemu_bytes % bytes ? MPI_UNDEFINED
                                                 : static_cast<int>(bytes ? status->shmemu_bytes / bytes : 0);
  return MPI_SUCCESS;
}

}  // extern "C"
