/* Collectives of MPI against what each rank can compute alone; every root; in place and out of place. */
#include <mpi.h>

#include "check.h"

static int rank, size;

/* sum, product, minimum … over ranks of f(rank), for one type */
#define REDUCTIONS(TYPE, MPI_TYPE)                                            \
  do {                                                                        \
    TYPE mine[3], all[3], expected[4] = {0, 1, 0, 0};                         \
    for (int r = 0; r < size; ++r) {                                          \
      TYPE v = (TYPE)(r % 3 + 1);                                             \
      expected[0] = (TYPE)(expected[0] + v);                                  \
      expected[1] = (TYPE)(expected[1] * v);                                  \
      expected[2] = r == 0 || v > expected[2] ? v : expected[2];              \
      expected[3] = r == 0 || v < expected[3] ? v : expected[3];              \
    }                                                                         \
    MPI_Op ops[4] = {MPI_SUM, MPI_PROD, MPI_MAX, MPI_MIN};                    \
    for (int o = 0; o < 4; ++o) {                                             \
      for (int i = 0; i < 3; ++i) mine[i] = (TYPE)(rank % 3 + 1);             \
      MPI_Allreduce(mine, all, 3, MPI_TYPE, ops[o], MPI_COMM_WORLD);          \
      for (int i = 0; i < 3; ++i) CHECK(all[i] == expected[o]);               \
      MPI_Allreduce(MPI_IN_PLACE, mine, 3, MPI_TYPE, ops[o], MPI_COMM_WORLD); \
      for (int i = 0; i < 3; ++i) CHECK(mine[i] == expected[o]);              \
    }                                                                         \
  } while (0)

static void keep_left(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((int*)inout)[i] = ((int*)in)[i];
}

int main(int argc, char** argv) {
  int provided = -1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  CHECK(provided == MPI_THREAD_SERIALIZED);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int* all = malloc((size_t)size * 2 * sizeof(int));
  int* out = malloc((size_t)size * 2 * sizeof(int));

  for (int root = 0; root < size; ++root) {
    int word[2] = {rank == root ? root + 50 : -1, rank == root ? 7 : -1};
    MPI_Bcast(word, 2, MPI_INT, root, MPI_COMM_WORLD);
    CHECK(word[0] == root + 50 && word[1] == 7);
    int mine[2] = {rank, -rank};
    MPI_Gather(mine, 2, MPI_INT, all, 2, MPI_INT, root, MPI_COMM_WORLD);
    if (rank == root)
      for (int r = 0; r < size; ++r) CHECK(all[2 * r] == r && all[2 * r + 1] == -r);
    for (int r = 0; r < size; ++r) out[2 * r] = root + r, out[2 * r + 1] = r;
    MPI_Scatter(out, 2, MPI_INT, mine, 2, MPI_INT, root, MPI_COMM_WORLD);
    CHECK(mine[0] == root + rank && mine[1] == rank);
    int total = -1, one = 1;
    MPI_Reduce(&one, &total, 1, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
    CHECK(total == (rank == root ? size : -1));
  }
  MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
  for (int r = 0; r < size; ++r) CHECK(all[r] == r);
  for (int r = 0; r < size; ++r) all[r] = r == rank ? 3 * rank : -1;
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, MPI_COMM_WORLD);
  for (int r = 0; r < size; ++r) CHECK(all[r] == 3 * r);

  /* rank r gives r % 2 + 1 words */
  int* counts = malloc((size_t)size * sizeof(int));
  int* places = malloc((size_t)size * sizeof(int));
  int total = 0;
  for (int r = 0; r < size; ++r) places[r] = total, counts[r] = r % 2 + 1, total += counts[r];
  int some[2] = {100 + rank, 200 + rank};
  MPI_Allgatherv(some, counts[rank], MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD);
  for (int r = 0; r < size; ++r) CHECK(all[places[r]] == 100 + r && (counts[r] < 2 || all[places[r] + 1] == 200 + r));

  for (int r = 0; r < size; ++r) out[r] = 100 * rank + r;
  MPI_Alltoall(out, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
  for (int r = 0; r < size; ++r) CHECK(all[r] == 100 * r + rank);
  int prefix = -1, number = rank + 1;
  MPI_Scan(&number, &prefix, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(prefix == (rank + 1) * (rank + 2) / 2);

  REDUCTIONS(signed char, MPI_SIGNED_CHAR);
  REDUCTIONS(short, MPI_SHORT);
  REDUCTIONS(int, MPI_INT);
  REDUCTIONS(long, MPI_LONG);
  REDUCTIONS(long long, MPI_LONG_LONG);
  REDUCTIONS(unsigned, MPI_UNSIGNED);
  REDUCTIONS(unsigned long, MPI_UNSIGNED_LONG);
  REDUCTIONS(uint64_t, MPI_UINT64_T);
  REDUCTIONS(float, MPI_FLOAT);
  REDUCTIONS(double, MPI_DOUBLE);
  REDUCTIONS(long double, MPI_LONG_DOUBLE);
  int bit = rank < 31 ? 1 << rank : 0, bits = 0, any = rank == size - 1, every = 1;
  MPI_Allreduce(&bit, &bits, 1, MPI_INT, MPI_BOR, MPI_COMM_WORLD);
  CHECK(bits == (1 << size) - 1);
  MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
  CHECK(any == 1);
  any = rank + 2;
  MPI_Allreduce(&any, &every, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  CHECK(every);

  MPI_Op op;
  MPI_Op_create(keep_left, 0, &op);
  int left = -1;
  MPI_Allreduce(&rank, &left, 1, MPI_INT, op, MPI_COMM_WORLD);
  CHECK(left == 0); /* combined in rank order */
  MPI_Op_free(&op);
  MPI_Finalize();
  if (rank == 0) puts("ok");
  return 0;
}
