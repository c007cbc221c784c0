// MPI's predefined datatypes (MPI 3.1, section 3.2): the names of their objects and what is reduced in them.
#pragma once
#include <cstdint>
#include <type_traits>

#include "mpi.h"
#include "shmemu/abi.h"

namespace shmemu::emu::mpi {

// The shmemu_type of the runtime's reductions.
template <class T>
constexpr int element_of() {
  if constexpr (std::is_same_v<T, float>) return SHMEMU_F32;
  if constexpr (std::is_same_v<T, double>) return SHMEMU_F64;
  if constexpr (std::is_same_v<T, long double>) return SHMEMU_LONG_DOUBLE;
  constexpr bool sign = std::is_signed_v<T>;
  switch (sizeof(T)) {
    case 1:
      return sign ? SHMEMU_I8 : SHMEMU_U8;
    case 2:
      return sign ? SHMEMU_I16 : SHMEMU_U16;
    case 4:
      return sign ? SHMEMU_I32 : SHMEMU_U32;
    default:
      return sign ? SHMEMU_I64 : SHMEMU_U64;
  }
}

}  // namespace shmemu::emu::mpi

// X(end of the object's name, C type)
// clang-format off
#define SHMEMU_MPI_C_TYPES(X)                                                                                         \
  X(char, char) X(signed_char, signed char) X(unsigned_char, unsigned char) X(byte, unsigned char) X(short, short)    \
  X(unsigned_short, unsigned short) X(int, int) X(unsigned, unsigned) X(long, long) X(unsigned_long, unsigned long)   \
  X(long_long_int, long long) X(unsigned_long_long, unsigned long long) X(float, float) X(double, double)             \
  X(long_double, long double) X(c_bool, bool) X(aint, MPI_Aint) X(int8_t, int8_t) X(int16_t, int16_t)                 \
  X(int32_t, int32_t) X(int64_t, int64_t) X(uint8_t, uint8_t) X(uint16_t, uint16_t) X(uint32_t, uint32_t)             \
  X(uint64_t, uint64_t)
// clang-format on
