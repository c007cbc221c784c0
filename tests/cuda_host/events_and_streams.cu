// Order between streams: the legacy default stream waits for blocking streams and they for it; events order the others.
// Times between events are positive, and a query sees work that goes on and then that it has ended.
#include "check.hpp"

__global__ void spin(long long cycles) {
  long long start = clock64();
  while (clock64() - start < cycles) {
  }
}
__global__ void store_after(volatile int* p, int value, long long cycles) {
  long long start = clock64();
  while (clock64() - start < cycles) {
  }
  *p = value;
}
__global__ void copy_word(const volatile int* from, int* to) { *to = *from; }

int called = 0;
void count(void* data) { called += *static_cast<int*>(data); }
void count_callback(cudaStream_t, cudaError_t status, void* data) {
  if (status == cudaSuccess) called += *static_cast<int*>(data);
}

int main() {
  int* words = nullptr;
  WORKS(cudaMalloc(&words, 16 * sizeof(int)));
  WORKS(cudaMemset(words, 0, 16 * sizeof(int)));
  cudaStream_t a, b, free_a;
  WORKS(cudaStreamCreate(&a));
  WORKS(cudaStreamCreate(&b));
  WORKS(cudaStreamCreateWithFlags(&free_a, cudaStreamNonBlocking));
  constexpr long long kLong = 400000;

  // default stream after a, b after default stream
  store_after<<<1, 1, 0, a>>>(words, 1, kLong);
  copy_word<<<1, 1>>>(words, words + 1);
  copy_word<<<1, 1, 0, b>>>(words + 1, words + 2);
  int seen[3];
  WORKS(cudaMemcpy(seen, words, sizeof seen, cudaMemcpyDeviceToHost));
  CHECK(seen[0] == 1 && seen[1] == 1 && seen[2] == 1);

  // a non-blocking stream does not wait for the default stream, but does for an event
  cudaEvent_t done, early;
  WORKS(cudaEventCreate(&done));
  WORKS(cudaEventCreate(&early));
  store_after<<<1, 1>>>(words, 2, kLong);
  WORKS(cudaEventRecord(done));
  copy_word<<<1, 1, 0, free_a>>>(words, words + 3);
  WORKS(cudaStreamWaitEvent(free_a, done));
  copy_word<<<1, 1, 0, free_a>>>(words, words + 4);
  WORKS(cudaStreamSynchronize(free_a));
  int free_seen[2];
  WORKS(cudaMemcpy(free_seen, words + 3, sizeof free_seen, cudaMemcpyDeviceToHost));
  CHECK(free_seen[0] == 1 && free_seen[1] == 2);

  // queries and times
  WORKS(cudaEventQuery(early));  // never recorded
  WORKS(cudaStreamQuery(a));
  WORKS(cudaEventRecord(early, a));
  spin<<<1, 1, 0, a>>>(kLong);
  WORKS(cudaEventRecord(done, a));
  GIVES(cudaErrorNotReady, cudaStreamQuery(a));
  GIVES(cudaErrorNotReady, cudaEventQuery(done));
  float ms = -1;
  GIVES(cudaErrorNotReady, cudaEventElapsedTime(&ms, early, done));
  WORKS(cudaEventSynchronize(done));
  WORKS(cudaEventQuery(done));
  WORKS(cudaStreamQuery(a));
  WORKS(cudaEventElapsedTime(&ms, early, done));
  CHECK(ms > 0.15f && ms < 10);  // 400000 cycles at up to 2 GHz
  WORKS(cudaEventElapsedTime(&ms, done, early));
  CHECK(ms < 0);

  // two streams at once take as long as one
  float alone = ms = 0;
  WORKS(cudaEventRecord(early, a));
  spin<<<1, 1, 0, a>>>(kLong);
  WORKS(cudaEventRecord(done, a));
  WORKS(cudaEventSynchronize(done));
  WORKS(cudaEventElapsedTime(&alone, early, done));
  WORKS(cudaEventRecord(early, a));
  WORKS(cudaStreamWaitEvent(b, early));
  spin<<<1, 1, 0, a>>>(kLong);
  spin<<<1, 1, 0, b>>>(kLong);
  WORKS(cudaEventRecord(done, b));
  WORKS(cudaStreamWaitEvent(a, done));
  WORKS(cudaEventRecord(done, a));
  WORKS(cudaEventSynchronize(done));
  WORKS(cudaEventElapsedTime(&ms, early, done));
  CHECK(ms < alone * 1.5f);

  // functions of the host in a stream
  int one = 1, ten = 10;
  WORKS(cudaLaunchHostFunc(a, count, &one));
  WORKS(cudaStreamAddCallback(a, count_callback, &ten, 0));
  WORKS(cudaStreamSynchronize(a));
  CHECK(called == 11);

  // what a stream says about itself
  unsigned flags = 9;
  int priority = 9, least, greatest;
  unsigned long long id_a = 0, id_b = 0;
  WORKS(cudaStreamGetFlags(free_a, &flags));
  CHECK(flags == cudaStreamNonBlocking);
  WORKS(cudaStreamGetFlags(a, &flags));
  CHECK(flags == cudaStreamDefault);
  WORKS(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  cudaStream_t urgent;
  WORKS(cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, greatest - 7));  // is brought into the range
  WORKS(cudaStreamGetPriority(urgent, &priority));
  CHECK(priority == greatest);
  WORKS(cudaStreamGetId(a, &id_a));
  WORKS(cudaStreamGetId(b, &id_b));
  CHECK(id_a != id_b);
  for (cudaStream_t s : {a, b, free_a, urgent}) WORKS(cudaStreamDestroy(s));
  return finish();
}
