/* Messages of MPI: matching by source and tag, order per sender, wildcards, non-blocking receives, probes, PROC_NULL.
 */
#include <mpi.h>

#include "check.h"

int main(int argc, char** argv) {
  int initialised = 1, rank, size;
  MPI_Initialized(&initialised);
  CHECK(!initialised);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int right = (rank + 1) % size, left = (rank + size - 1) % size;
  MPI_Status status;

  /* tags are taken in another order than they were sent */
  int first = 10 * rank, second = 10 * rank + 1, got = -1;
  MPI_Send(&first, 1, MPI_INT, right, 1, MPI_COMM_WORLD);
  MPI_Send(&second, 1, MPI_INT, right, 2, MPI_COMM_WORLD);
  MPI_Recv(&got, 1, MPI_INT, left, 2, MPI_COMM_WORLD, &status);
  CHECK(got == 10 * left + 1 && status.MPI_TAG == 2 && status.MPI_SOURCE == left);
  MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
  CHECK(got == 10 * left && status.MPI_TAG == 1 && status.MPI_SOURCE == left);

  /* equal tags arrive in the order of the sends, also into receives that were posted before */
  MPI_Request requests[2];
  int pair[2] = {-1, -1};
  MPI_Irecv(&pair[0], 1, MPI_INT, left, 7, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(&pair[1], 1, MPI_INT, left, 7, MPI_COMM_WORLD, &requests[1]);
  MPI_Send(&first, 1, MPI_INT, right, 7, MPI_COMM_WORLD);
  MPI_Send(&second, 1, MPI_INT, right, 7, MPI_COMM_WORLD);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  CHECK(pair[0] == 10 * left && pair[1] == 10 * left + 1);
  CHECK(requests[0] == MPI_REQUEST_NULL);

  /* a longer buffer than the message; its length is known before and after */
  double numbers[8] = {1, 2, 3, 4, 5, 6, 7, 8}, in[8] = {0};
  MPI_Send(numbers, 3, MPI_DOUBLE, right, 9, MPI_COMM_WORLD);
  int count = -1;
  MPI_Probe(left, 9, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_DOUBLE, &count);
  CHECK(count == 3);
  MPI_Recv(in, 8, MPI_DOUBLE, left, 9, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_DOUBLE, &count);
  CHECK(count == 3 && in[2] == 3 && in[3] == 0);

  /* nothing travels to or from nobody */
  got = 5;
  MPI_Send(&first, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  MPI_Recv(&got, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status);
  CHECK(got == 5 && status.MPI_SOURCE == MPI_PROC_NULL);

  /* a test fails before and succeeds after the message; it takes time */
  double before = MPI_Wtime();
  int flag = 0;
  MPI_Irecv(&got, 1, MPI_INT, left, 11, MPI_COMM_WORLD, &requests[0]);
  MPI_Iprobe(left, 11, MPI_COMM_WORLD, &flag, &status);
  CHECK(!flag);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Send(&second, 1, MPI_INT, right, 11, MPI_COMM_WORLD);
  for (flag = 0; !flag;) MPI_Test(&requests[0], &flag, &status);
  CHECK(got == 10 * left + 1);
  CHECK(MPI_Wtime() > before);

  MPI_Finalize();
  if (rank == 0) puts("ok");
  return 0;
}
