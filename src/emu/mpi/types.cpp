// Datatypes and operations of MPI: sizes, arithmetic, and what a program makes of its own (MPI 3.1, chapters 4
// and 5.9).
#include <climits>
#include <cstring>

#include "emu/api/reductions.hpp"
#include "emu/mpi/mpi.hpp"
#include "emu/mpi/predefined.hpp"
#include "shmemu/abi.h"

namespace shmemu::emu::mpi {
namespace {

bool is_true(const std::byte* at, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; ++i)
    if (at[i] != std::byte{0}) return true;
  return false;
}

// Logical operations of integers: the result is 0 or 1.
void combine_logical(int op, uint64_t bytes, const void* from, void* into, uint64_t count) {
  auto* a = static_cast<const std::byte*>(from);
  auto* b = static_cast<std::byte*>(into);
  for (uint64_t i = 0; i < count; ++i, a += bytes, b += bytes) {
    bool x = is_true(a, bytes), y = is_true(b, bytes);
    bool result = op == kLand ? x && y : op == kLor ? x || y : x != y;
    std::memset(b, 0, bytes);
    b[0] = std::byte{result};  // little endian
  }
}

}  // namespace

const shmemu_mpi_type& type_of(MPI_Datatype handle, const char* call, uint64_t site) {
  if (!handle) program_error(site, "{}: the datatype is MPI_DATATYPE_NULL", call);
  return *handle;
}

uint64_t bytes_of(int count, MPI_Datatype type, const char* call, uint64_t site) {
  if (count < 0) program_error(site, "{}: the count is {}; it must not be negative", call, count);
  return static_cast<uint64_t>(count) * type_of(type, call, site).bytes;
}

void combine(MPI_Op op, MPI_Datatype type, const void* from, void* into, int count, const char* call, uint64_t site) {
  if (!op) program_error(site, "{}: the operation is MPI_OP_NULL", call);
  const shmemu_mpi_type& t = type_of(type, call, site);
  if (op->op == kUser) return op->function(const_cast<void*>(from), into, &count, &type);
  bool floating = t.element == SHMEMU_F32 || t.element == SHMEMU_F64 || t.element == SHMEMU_LONG_DOUBLE;
  bool arithmetic = op->op == SHMEMU_SUM || op->op == SHMEMU_PROD || op->op == SHMEMU_MIN || op->op == SHMEMU_MAX;
  if (t.element < 0 || (floating && !arithmetic))
    program_error(site, "{}: this operation is not defined for this datatype (MPI 3.1, section 5.9.2)", call);
  if (op->op >= kLand) return combine_logical(op->op, t.bytes, from, into, static_cast<uint64_t>(count));
  reduce_elements(t.element, op->op, into, from, static_cast<uint64_t>(count));
}

}  // namespace shmemu::emu::mpi

using namespace shmemu;
using namespace shmemu::emu;
using namespace shmemu::emu::mpi;

extern "C" {

#define SHMEMU_TYPE(NAME, TYPE) shmemu_mpi_type ompi_mpi_##NAME = {sizeof(TYPE), element_of<TYPE>()};
SHMEMU_MPI_C_TYPES(SHMEMU_TYPE)
#undef SHMEMU_TYPE

shmemu_mpi_op ompi_mpi_op_max = {SHMEMU_MAX, nullptr}, ompi_mpi_op_min = {SHMEMU_MIN, nullptr},
              ompi_mpi_op_sum = {SHMEMU_SUM, nullptr}, ompi_mpi_op_prod = {SHMEMU_PROD, nullptr},
              ompi_mpi_op_band = {SHMEMU_AND, nullptr}, ompi_mpi_op_bor = {SHMEMU_OR, nullptr},
              ompi_mpi_op_bxor = {SHMEMU_XOR, nullptr}, ompi_mpi_op_land = {kLand, nullptr},
              ompi_mpi_op_lor = {kLor, nullptr}, ompi_mpi_op_lxor = {kLxor, nullptr};

int MPI_Type_size(MPI_Datatype type, int* size) {
  *size = static_cast<int>(type_of(type, "MPI_Type_size", SHMEMU_SITE()).bytes);
  return MPI_SUCCESS;
}

int MPI_Type_contiguous(int count, MPI_Datatype type, MPI_Datatype* out) {
  uint64_t site = SHMEMU_SITE();
  MpiState& s = running("MPI_Type_contiguous", site);
  auto made =
      std::make_unique<shmemu_mpi_type>(shmemu_mpi_type{bytes_of(count, type, "MPI_Type_contiguous", site), -1});
  *out = made.get();
  s.types[*out] = std::move(made);
  return MPI_SUCCESS;
}

int MPI_Type_commit(MPI_Datatype*) { return MPI_SUCCESS; }

int MPI_Type_free(MPI_Datatype* type) {
  uint64_t site = SHMEMU_SITE();
  if (!running("MPI_Type_free", site).types.erase(*type))
    program_error(site, "MPI_Type_free: the datatype is predefined or has been freed");
  *type = MPI_DATATYPE_NULL;
  return MPI_SUCCESS;
}

int MPI_Op_create(MPI_User_function* function, int, MPI_Op* out) {
  MpiState& s = running("MPI_Op_create", SHMEMU_SITE());
  auto made = std::make_unique<shmemu_mpi_op>(shmemu_mpi_op{kUser, function});
  *out = made.get();
  s.ops[*out] = std::move(made);
  return MPI_SUCCESS;
}

int MPI_Op_free(MPI_Op* op) {
  uint64_t site = SHMEMU_SITE();
  if (!running("MPI_Op_free", site).ops.erase(*op))
    program_error(site, "MPI_Op_free: the operation is predefined or has been freed");
  *op = MPI_OP_NULL;
  return MPI_SUCCESS;
}

}  // extern "C"
