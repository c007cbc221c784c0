// expect: exit=1 message="thread"
// pes: 2
// A PE starts a thread of the operating system; emulated PEs share one, so this is refused with a sentence.
#include "malformed.hpp"

#include <thread>

int main() {
  start();
  std::thread worker([] { printf("a second thread\n"); });
  worker.join();
  return finish();
}
