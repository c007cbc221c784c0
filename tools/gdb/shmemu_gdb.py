"""gdb on emulated PEs: who stands where, and a look at a suspended thread.

    gdb -x shmemu_gdb.py --args shmemu run -n 2 ./prog        (./prog from `shmemu cc -g -O0`)

shmemu list                           PEs, kernels, blocks and threads that have begun
shmemu thread PE BLOCK THREAD [KERNEL]   show a suspended thread: backtrace, locals … (KERNEL: its number in the list)
shmemu host PE                        the same for the host thread of a PE
shmemu back                           return to the thread that runs; done before the program goes on
$pe(), $threadIdx("x"), $blockIdx("x")   of the thread that runs, for `print` and conditions of breakpoints
"""
import gdb

REGISTERS = ["rsp", "rip", "rbp", "rbx", "r12", "r13", "r14", "r15"]
saved = None


def ask(call, kind):
    return gdb.parse_and_eval(f"(({kind}(*)()){call.split('(')[0]})({call.split('(', 1)[1]}")


def line_of(address):
    if not address:
        return ""
    found = gdb.find_pc_line(address)
    return f"{found.symtab.filename.split('/')[-1]}:{found.line}" if found.symtab else f"{address:#x}"


def back():
    global saved
    if saved:
        gdb.execute("frame 0", to_string=True)
        for name, value in saved.items():
            gdb.execute(f"set ${name} = {value}", to_string=True)
        gdb.execute("maintenance flush register-cache", to_string=True)
        saved = None


def show(registers, name):
    global saved
    if not int(registers):
        raise gdb.GdbError(f"{name} is not suspended: it runs, has not begun, or has ended (see shmemu list)")
    values = [int(registers[i]) for i in range(len(REGISTERS))]
    if not saved:
        gdb.execute("frame 0", to_string=True)
        saved = {r: int(gdb.parse_and_eval(f"(unsigned long)${r}")) for r in REGISTERS}
    for register, value in zip(REGISTERS, values):
        gdb.execute(f"set ${register} = {value}", to_string=True)
    print(f"[now at {name}; `shmemu back` returns]")
    leave_runtime()


def leave_runtime():
    """Selects the innermost frame of the program itself."""
    frame = gdb.newest_frame()
    while frame:
        place = gdb.solib_name(frame.pc()) or ""
        if "/proc/" in place or "memfd" in place:
            frame.select()
            gdb.execute("frame")
            return
        frame = frame.older()


class Shmemu(gdb.Command):
    """PEs, blocks and threads of a program under shmemu run: list, thread, host, back."""

    def __init__(self):
        super().__init__("shmemu", gdb.COMMAND_STACK, prefix=True)


class List(gdb.Command):
    """shmemu list: PEs, kernels, blocks and threads that have begun and not ended. Threads alike are one line."""

    def __init__(self):
        super().__init__("shmemu list", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        back()
        groups = {}
        for line in ask("__shmemu_debug_list()", "const char*").string().splitlines():
            mark, words = line[0], line[1:].split(None)
            if words[0] == "host":
                print(f"{mark} PE {words[1]} host: {words[2]} {line_of(int(words[3], 0))}")
            else:
                pe, kernel, block, thread, what, address, name = words[1:8]
                key = (mark, pe, kernel, name, block, what, line_of(int(address, 0)))
                groups.setdefault(key, []).append(int(thread))
        for (mark, pe, kernel, name, block, what, place), threads in groups.items():
            print(f"{mark} PE {pe} kernel {kernel} {name} block {block} {ranges(threads)}: {what} {place}")


def ranges(numbers):
    parts, numbers = [], sorted(numbers)
    first = last = numbers[0]
    for n in numbers[1:] + [None]:
        if n == last + 1 if n is not None else False:
            last = n
            continue
        parts.append(str(first) if first == last else f"{first}-{last}")
        first = last = n
    return ("thread " if len(numbers) == 1 else "threads ") + ",".join(parts)


class Thread(gdb.Command):
    """shmemu thread PE BLOCK THREAD [KERNEL]: look at a suspended thread of a kernel."""

    def __init__(self):
        super().__init__("shmemu thread", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        words = [int(w) for w in argument.split()]
        if len(words) not in (3, 4):
            raise gdb.GdbError("shmemu thread PE BLOCK THREAD [KERNEL]")
        back()
        pe, block, thread = words[:3]
        kernels = {int(w[2]) for w in (l[1:].split() for l in ask("__shmemu_debug_list()", "const char*").string()
                                       .splitlines()) if w[0] == "thread" and int(w[1]) == pe}
        kernel = words[3] if len(words) == 4 else min(kernels, default=0)
        show(ask(f"__shmemu_debug_thread({pe}, {kernel}u, {block}u, {thread}u)", "unsigned long*"),
             f"PE {pe} kernel {kernel} block {block} thread {thread}")


class Host(gdb.Command):
    """shmemu host PE: look at the host thread of a PE."""

    def __init__(self):
        super().__init__("shmemu host", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        back()
        show(ask(f"__shmemu_debug_host({int(argument)})", "unsigned long*"), f"PE {int(argument)} host")


class Back(gdb.Command):
    """shmemu back: return to the thread that runs."""

    def __init__(self):
        super().__init__("shmemu back", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        back()


class Index(gdb.Function):
    """$threadIdx("x"), $blockIdx("x") of the thread that runs; -1 on the host."""

    def __init__(self, name):
        super().__init__(name)
        self.letter = name[0]

    def invoke(self, axis):
        return int(ask(f"__shmemu_debug_index('{self.letter}', {'xyz'.index(axis.string())})", "int"))


class Pe(gdb.Function):
    """$pe(): the PE that runs."""

    def __init__(self):
        super().__init__("pe")

    def invoke(self):
        return int(ask("__shmemu_debug_index('p', 0)", "int"))


for command in (Shmemu, List, Thread, Host, Back, Pe):
    command()
Index("threadIdx")
Index("blockIdx")
gdb.execute("set breakpoint pending on")
# registers must be those of the running thread before it goes on
for command in ("continue", "next", "step", "finish", "stepi", "nexti", "until"):
    gdb.execute(f"define hook-{command}\npython back()\nend")
