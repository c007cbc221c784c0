/* MPI for programs compiled by `shmemu cc`: the part that set-up code of GPU programs uses, with the names and meanings
 * of the MPI standard (version 3.1, C binding). The ranks of MPI_COMM_WORLD are the PEs of the run; messages travel
 * between their hosts in virtual time. Calls with a wrong argument end the run, as MPI_ERRORS_ARE_FATAL does. Handles
 * are addresses of objects called as in Open MPI, because programs that open an MPI library while they run look those
 * names up. No logic lives here; the runtime is src/emu/mpi.
 */
#ifndef SHMEMU_MPI_H
#define SHMEMU_MPI_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MPI_VERSION 3
#define MPI_SUBVERSION 1

typedef struct shmemu_mpi_comm* MPI_Comm;
typedef struct shmemu_mpi_type* MPI_Datatype;
typedef struct shmemu_mpi_op* MPI_Op;
typedef struct shmemu_mpi_request* MPI_Request;
typedef struct shmemu_mpi_info* MPI_Info;
typedef struct shmemu_mpi_errhandler* MPI_Errhandler;
typedef ptrdiff_t MPI_Aint;
typedef long long MPI_Count;
typedef struct {
  int MPI_SOURCE, MPI_TAG, MPI_ERROR;
  int shmemu_cancelled;
  size_t shmemu_bytes;
} MPI_Status;
typedef void MPI_User_function(void* in, void* inout, int* count, MPI_Datatype* type);

/* ---- handles ---- */
extern struct shmemu_mpi_comm ompi_mpi_comm_world, ompi_mpi_comm_self;
#define MPI_COMM_WORLD (&ompi_mpi_comm_world)
#define MPI_COMM_SELF (&ompi_mpi_comm_self)
#define MPI_COMM_NULL ((MPI_Comm)0)
#define MPI_REQUEST_NULL ((MPI_Request)0)
#define MPI_INFO_NULL ((MPI_Info)0)
#define MPI_DATATYPE_NULL ((MPI_Datatype)0)
#define MPI_OP_NULL ((MPI_Op)0)
#define MPI_ERRORS_ARE_FATAL ((MPI_Errhandler)1)
#define MPI_ERRORS_RETURN ((MPI_Errhandler)2)

/* X(object, name): the name is that of the standard without MPI_ */
/* clang-format off */
#define SHMEMU_MPI_TYPES(X)                                                                                          \
  X(char, CHAR) X(signed_char, SIGNED_CHAR) X(unsigned_char, UNSIGNED_CHAR) X(byte, BYTE) X(short, SHORT)             \
  X(unsigned_short, UNSIGNED_SHORT) X(int, INT) X(unsigned, UNSIGNED) X(long, LONG) X(unsigned_long, UNSIGNED_LONG)   \
  X(long_long_int, LONG_LONG_INT) X(unsigned_long_long, UNSIGNED_LONG_LONG) X(float, FLOAT) X(double, DOUBLE)         \
  X(long_double, LONG_DOUBLE) X(c_bool, C_BOOL) X(aint, AINT) X(int8_t, INT8_T) X(int16_t, INT16_T)                   \
  X(int32_t, INT32_T) X(int64_t, INT64_T) X(uint8_t, UINT8_T) X(uint16_t, UINT16_T) X(uint32_t, UINT32_T)             \
  X(uint64_t, UINT64_T)
#define SHMEMU_MPI_OPS(X)                                                                                            \
  X(max, MAX) X(min, MIN) X(sum, SUM) X(prod, PROD) X(land, LAND) X(band, BAND) X(lor, LOR) X(bor, BOR) X(lxor, LXOR) \
  X(bxor, BXOR)
/* clang-format on */
#define SHMEMU_X(OBJECT, NAME) extern struct shmemu_mpi_type ompi_mpi_##OBJECT;
SHMEMU_MPI_TYPES(SHMEMU_X)
#undef SHMEMU_X
#define SHMEMU_X(OBJECT, NAME) extern struct shmemu_mpi_op ompi_mpi_op_##OBJECT;
SHMEMU_MPI_OPS(SHMEMU_X)
#undef SHMEMU_X
#define MPI_CHAR (&ompi_mpi_char)
#define MPI_SIGNED_CHAR (&ompi_mpi_signed_char)
#define MPI_UNSIGNED_CHAR (&ompi_mpi_unsigned_char)
#define MPI_BYTE (&ompi_mpi_byte)
#define MPI_SHORT (&ompi_mpi_short)
#define MPI_UNSIGNED_SHORT (&ompi_mpi_unsigned_short)
#define MPI_INT (&ompi_mpi_int)
#define MPI_UNSIGNED (&ompi_mpi_unsigned)
#define MPI_LONG (&ompi_mpi_long)
#define MPI_UNSIGNED_LONG (&ompi_mpi_unsigned_long)
#define MPI_LONG_LONG_INT (&ompi_mpi_long_long_int)
#define MPI_LONG_LONG (&ompi_mpi_long_long_int)
#define MPI_UNSIGNED_LONG_LONG (&ompi_mpi_unsigned_long_long)
#define MPI_FLOAT (&ompi_mpi_float)
#define MPI_DOUBLE (&ompi_mpi_double)
#define MPI_LONG_DOUBLE (&ompi_mpi_long_double)
#define MPI_C_BOOL (&ompi_mpi_c_bool)
#define MPI_AINT (&ompi_mpi_aint)
#define MPI_INT8_T (&ompi_mpi_int8_t)
#define MPI_INT16_T (&ompi_mpi_int16_t)
#define MPI_INT32_T (&ompi_mpi_int32_t)
#define MPI_INT64_T (&ompi_mpi_int64_t)
#define MPI_UINT8_T (&ompi_mpi_uint8_t)
#define MPI_UINT16_T (&ompi_mpi_uint16_t)
#define MPI_UINT32_T (&ompi_mpi_uint32_t)
#define MPI_UINT64_T (&ompi_mpi_uint64_t)
#define MPI_MAX (&ompi_mpi_op_max)
#define MPI_MIN (&ompi_mpi_op_min)
#define MPI_SUM (&ompi_mpi_op_sum)
#define MPI_PROD (&ompi_mpi_op_prod)
#define MPI_LAND (&ompi_mpi_op_land)
#define MPI_BAND (&ompi_mpi_op_band)
#define MPI_LOR (&ompi_mpi_op_lor)
#define MPI_BOR (&ompi_mpi_op_bor)
#define MPI_LXOR (&ompi_mpi_op_lxor)
#define MPI_BXOR (&ompi_mpi_op_bxor)

/* ---- constants ---- */
enum { MPI_SUCCESS = 0, MPI_ERR_OTHER = 15, MPI_ERR_LASTCODE = 92 };
enum { MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE };
enum { MPI_IDENT, MPI_CONGRUENT, MPI_SIMILAR, MPI_UNEQUAL };
enum { MPI_ANY_SOURCE = -1, MPI_ANY_TAG = -1, MPI_PROC_NULL = -2, MPI_UNDEFINED = -32766, MPI_TAG_UB = 1 };
enum { MPI_COMM_TYPE_SHARED = 0 };
#define MPI_MAX_PROCESSOR_NAME 256
#define MPI_MAX_ERROR_STRING 256
#define MPI_MAX_LIBRARY_VERSION_STRING 256
#define MPI_IN_PLACE ((void*)1)
#define MPI_BOTTOM ((void*)0)
#define MPI_STATUS_IGNORE ((MPI_Status*)0)
#define MPI_STATUSES_IGNORE ((MPI_Status*)0)

/* ---- environment ---- */
int MPI_Init(int* argc, char*** argv);
int MPI_Init_thread(int* argc, char*** argv, int required, int* provided);
int MPI_Query_thread(int* provided);
int MPI_Initialized(int* flag);
int MPI_Finalize(void);
int MPI_Finalized(int* flag);
int MPI_Abort(MPI_Comm comm, int code);
double MPI_Wtime(void);
double MPI_Wtick(void);
int MPI_Get_processor_name(char* name, int* length);
int MPI_Get_version(int* version, int* subversion);
int MPI_Get_library_version(char* version, int* length);
int MPI_Error_string(int code, char* text, int* length);

/* ---- communicators ---- */
int MPI_Comm_rank(MPI_Comm comm, int* rank);
int MPI_Comm_size(MPI_Comm comm, int* size);
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* out);
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* out);
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* out);
int MPI_Comm_free(MPI_Comm* comm);
int MPI_Comm_compare(MPI_Comm a, MPI_Comm b, int* result);
int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler);

/* ---- types, operations ---- */
int MPI_Type_size(MPI_Datatype type, int* size);
int MPI_Type_contiguous(int count, MPI_Datatype type, MPI_Datatype* out);
int MPI_Type_commit(MPI_Datatype* type);
int MPI_Type_free(MPI_Datatype* type);
int MPI_Op_create(MPI_User_function* function, int commute, MPI_Op* out);
int MPI_Op_free(MPI_Op* op);

/* ---- messages ---- */
int MPI_Send(const void* buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm);
int MPI_Recv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status);
int MPI_Sendrecv(const void* send, int send_count, MPI_Datatype send_type, int dest, int send_tag, void* receive,
                 int receive_count, MPI_Datatype receive_type, int source, int receive_tag, MPI_Comm comm,
                 MPI_Status* status);
int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request* out);
int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request* out);
int MPI_Wait(MPI_Request* request, MPI_Status* status);
int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses);
int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status);
int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status);
int MPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status);
int MPI_Get_count(const MPI_Status* status, MPI_Datatype type, int* count);

/* ---- collectives ---- */
int MPI_Barrier(MPI_Comm comm);
int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm);
int MPI_Gather(const void* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
               MPI_Datatype receive_type, int root, MPI_Comm comm);
int MPI_Gatherv(const void* send, int send_count, MPI_Datatype send_type, void* receive, const int* counts,
                const int* displacements, MPI_Datatype receive_type, int root, MPI_Comm comm);
int MPI_Scatter(const void* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
                MPI_Datatype receive_type, int root, MPI_Comm comm);
int MPI_Allgather(const void* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
                  MPI_Datatype receive_type, MPI_Comm comm);
int MPI_Allgatherv(const void* send, int send_count, MPI_Datatype send_type, void* receive, const int* counts,
                   const int* displacements, MPI_Datatype receive_type, MPI_Comm comm);
int MPI_Alltoall(const void* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
                 MPI_Datatype receive_type, MPI_Comm comm);
int MPI_Reduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm);
int MPI_Allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int MPI_Scan(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);

#ifdef __cplusplus
}
#endif
#endif
