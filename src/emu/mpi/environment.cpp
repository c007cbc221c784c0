// Start, end and surroundings of MPI on a PE (MPI 3.1, chapter 8).
#include <cstring>
#include <ctime>

#include "emu/cuda/runtime_state.hpp"
#include "emu/mpi/mpi.hpp"

namespace shmemu::emu::mpi {

MpiState& state() { return kept<MpiState>(*g_current.pe); }

MpiState& running(const char* call, uint64_t site) {
  MpiState& s = state();
  if (!s.initialised || s.finalised)
    program_error(site, "{} was called {}", call, s.finalised ? "after MPI_Finalize" : "before MPI_Init");
  return s;
}

namespace {

int start(int level, uint64_t site) {
  MpiState& s = state();
  if (s.initialised) program_error(site, "MPI_Init was called twice");
  s.initialised = true;
  s.thread_level = level;
  Pe& pe = *g_current.pe;
  Communicator world{.context = 0, .ranks = {}, .me = pe.id.value};
  for (auto& other : pe.world.all_pes) world.ranks.push_back(other->id);
  s.communicators[MPI_COMM_WORLD] = world;
  s.communicators[MPI_COMM_SELF] = {.context = 1, .ranks = {pe.id}, .me = 0};
  barrier(world, site);
  return MPI_SUCCESS;
}

void copy_text(const char* from, char* to, int* length) {
  std::strcpy(to, from);
  *length = static_cast<int>(std::strlen(from));
}

}  // namespace
}  // namespace shmemu::emu::mpi

using namespace shmemu;
using namespace shmemu::emu;
using namespace shmemu::emu::mpi;

extern "C" {

shmemu_mpi_comm ompi_mpi_comm_world = {1}, ompi_mpi_comm_self = {1};

int MPI_Init(int*, char***) { return start(MPI_THREAD_SINGLE, SHMEMU_SITE()); }

int MPI_Init_thread(int*, char***, int required, int* provided) {
  int level = required < MPI_THREAD_SERIALIZED ? required : MPI_THREAD_SERIALIZED;  // a PE has one thread
  if (provided) *provided = level;
  return start(level, SHMEMU_SITE());
}

int MPI_Query_thread(int* provided) {
  *provided = running("MPI_Query_thread", SHMEMU_SITE()).thread_level;
  return MPI_SUCCESS;
}

int MPI_Initialized(int* flag) {
  *flag = state().initialised;
  return MPI_SUCCESS;
}

int MPI_Finalize() {
  uint64_t site = SHMEMU_SITE();
  MpiState& s = running("MPI_Finalize", site);
  barrier(s.communicators.at(MPI_COMM_WORLD), site);
  s.finalised = true;
  return MPI_SUCCESS;
}

int MPI_Finalized(int* flag) {
  *flag = state().finalised;
  return MPI_SUCCESS;
}

int MPI_Abort(MPI_Comm, int code) {
  fail(ExitCode::program_failed,
       fmt::format("{}: called MPI_Abort with code {} ({})", who(), code, describe_site(SHMEMU_SITE())));
}

double MPI_Wtime() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);  // of the PE, in virtual time (cpu/libc.cpp)
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double MPI_Wtick() { return 1e-9; }

int MPI_Get_processor_name(char* name, int* length) {
  Pe& pe = *g_current.pe;
  copy_text(fmt::format("node{}", pe.world.node_of(pe.id)).c_str(), name, length);
  return MPI_SUCCESS;
}

int MPI_Get_version(int* version, int* subversion) {
  *version = MPI_VERSION;
  *subversion = MPI_SUBVERSION;
  return MPI_SUCCESS;
}

int MPI_Get_library_version(char* version, int* length) {
  copy_text("shmemu", version, length);
  return MPI_SUCCESS;
}

int MPI_Error_string(int code, char* text, int* length) {
  copy_text(code == MPI_SUCCESS ? "no error" : "error", text, length);
  return MPI_SUCCESS;
}

}  // extern "C"
