// expect: exit=2 message="compiled by another version of shmemu"
// pes: 1
// Refers to the registration function that programs of the first layout call.
#include <nvshmem.h>

extern "C" void __shmemu_register(const void*);

int main() {
  nvshmem_init();
  __shmemu_register(nullptr);
  nvshmem_finalize();
  return 0;
}
