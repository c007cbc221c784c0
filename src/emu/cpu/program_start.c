/* Where a program made by `shmemu cc` begins when somebody starts it directly: it says how to run it and stops.
 *
 * The driver links this into every program and makes it the entry point. The file names no ELF interpreter, so the
 * kernel jumps here without loading any library: only system calls may be used, and nothing that needs relocation.
 */
static long system_call(long number, long a, long b, long c) {
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
  return result;
}

#ifdef SHMEMU_CHECK
/* `cc --check`: the program reports its plain accesses to the symmetric heaps. */
__attribute__((used, visibility("default"))) const int __shmemu_reports_accesses = 1;
#endif

__attribute__((noreturn, used, visibility("default"))) void __shmemu_program_start(void) {
  static const char message[] = "this program was built for emulation: run it with `shmemu run -n N ./prog`\n";
  enum { sys_write = 1, sys_exit_group = 231, standard_error = 2 };
  system_call(sys_write, standard_error, (long)message, sizeof message - 1);
  for (;;) system_call(sys_exit_group, 2, 0, 0);
}
