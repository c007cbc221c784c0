// Which loops get a poll, on which bytes and with which flags. Not run: check.py compares the calls in the
// compiled code with the "poll" comments. flags: 1 mixed, 2 clock; bytes 0: the address is not known.
__device__ void plain(volatile int* f) { while (*f == 0) {} }                    // poll 4 0
__device__ void wide(volatile long long* f) { while (*f == 0) {} }               // poll 8 0
__device__ void add_zero(int* f, int v) { while (atomicAdd(f, 0) != v) {} }      // poll 4 0
__device__ void compare_and_swap(int* l) { while (atomicCAS(l, 0, 1) != 0) {} }  // poll 4 0
__device__ void test_and_set(int* l) { while (atomicExch(l, 1)) {} }             // poll 4 0
__device__ void same_word_twice(volatile int* f) { while (*f != 3 && *f != 5) {} }   // poll 4 0
__device__ void two_words(volatile int* f, volatile int* g) { while (!*f || !*g) {} }  // poll 0 0
__device__ void element(volatile int* f) { while (f[threadIdx.x + 1] == 0) {} }  // poll 4 0
__device__ bool counted(volatile int* f, int n) {
  for (int i = 0; i < n; ++i)  // poll 4 1
    if (*f) return true;
  return false;
}
__device__ bool timed(volatile int* f) {
  long long start = clock64();
  while (!*f)  // poll 4 3
    if (clock64() - start > 1000) return false;
  return true;
}
__device__ void sleeping(volatile int* f) {
  do __nanosleep(20);  // poll 4 0
  while (!*f);
}
__device__ void retry(int* p) {  // poll 4 1
  int old = *(volatile int*)p, assumed;
  do {
    assumed = old;
    old = atomicCAS(p, assumed, assumed + 1);
  } while (old != assumed);
}
__device__ void forever(volatile int* f, int* out) {
  for (;;)  // poll 4 1
    if (*f) out[0]++;
}
__device__ __noinline__ int load_acquire(const int* p) {
  int value;
  asm volatile("ld.acquire.sys.global.s32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
  return value;
}
struct Pair {
  int first, second;
};
__device__ void through_call(Pair* p) { while (load_acquire(&p->second) < 7) {} }  // poll 4 0
__device__ void ticket(int* next, int* done, int n) { for (int i; (i = atomicAdd(next, 1)) < n;) done[i] = 1; }
__device__ void no_wait(int* a, int n) { for (int i = 0; i < n; ++i) a[i] += i; }
__device__ void many_atomics(int* a, int n) { for (int i = 0; i < n; ++i) atomicAdd(a, i); }
