/* Communicators: split with keys, by shared memory, dup, free; messages of two communicators do not mix. */
#include <mpi.h>
#include <string.h>

#include "check.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  MPI_Comm reversed, twin, odd, node;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  int number, members, relation;
  MPI_Comm_rank(reversed, &number);
  CHECK(number == size - 1 - rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  MPI_Comm_compare(MPI_COMM_WORLD, twin, &relation);
  CHECK(relation == MPI_CONGRUENT);
  MPI_Comm_compare(MPI_COMM_WORLD, reversed, &relation);
  CHECK(relation == (size == 1 ? MPI_CONGRUENT : MPI_SIMILAR));

  MPI_Comm_split(MPI_COMM_WORLD, rank % 2 ? 1 : MPI_UNDEFINED, 0, &odd);
  CHECK((odd == MPI_COMM_NULL) == (rank % 2 == 0));
  if (odd != MPI_COMM_NULL) {
    MPI_Comm_size(odd, &members);
    CHECK(members == size / 2);
    int sum = -1;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, odd);
    CHECK(sum == (size / 2) * (size / 2));
    MPI_Comm_free(&odd);
  }
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &members);
  CHECK(members >= 1 && members <= size);

  /* the same tag, two communicators: the second message is asked for first */
  int a = 1, b = 2, got = 0;
  MPI_Send(&a, 1, MPI_INT, rank, 3, MPI_COMM_WORLD);
  MPI_Send(&b, 1, MPI_INT, rank, 3, twin);
  MPI_Recv(&got, 1, MPI_INT, rank, 3, twin, MPI_STATUS_IGNORE);
  CHECK(got == 2);
  MPI_Recv(&got, 1, MPI_INT, rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK(got == 1);
  MPI_Comm_free(&twin);
  CHECK(twin == MPI_COMM_NULL);

  char name[MPI_MAX_PROCESSOR_NAME];
  int length = 0, version = 0, subversion = 0;
  MPI_Get_processor_name(name, &length);
  CHECK(length > 0 && strlen(name) == (size_t)length);
  MPI_Get_version(&version, &subversion);
  CHECK(version == MPI_VERSION && subversion == MPI_SUBVERSION);
  MPI_Finalize();
  if (rank == 0) puts("ok");
  return 0;
}
