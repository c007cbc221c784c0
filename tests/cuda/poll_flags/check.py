#!/usr/bin/env python3
"""Compares the polls that `shmemu cc` inserts into kernels.cu with the file's comments.

usage: check.py <shmemu> <kernels.cu>
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile


def expected(source):
    """{function: sorted [(bytes, flags)]} from the comments; a comment belongs to the function above or around it."""
    polls, function = {}, None
    for line in open(source):
        head = re.match(r"__device__.*?(\w+)\(", line)
        if head:
            function = head.group(1)
            polls[function] = []
        comment = re.search(r"// poll (\d+) (\d+)", line)
        if comment:
            polls[function].append((int(comment.group(1)), int(comment.group(2))))
    return {name: sorted(calls) for name, calls in polls.items()}


def lowering(shmemu, source, folder):
    """The command that lowers the device code, from the driver's own log; its input stays in the folder."""
    log = subprocess.run([shmemu, "cc", "-v", "--keep", "-c", source, "-o", os.path.join(folder, "out.o")],
                         capture_output=True, text=True, check=True, env={**os.environ, "TMPDIR": folder}).stderr
    return next(line for line in log.splitlines() if line.startswith("SHMEMU_STAGE=lower"))


def compiled(lower_command):
    words = lower_command.split()
    environment = dict(word.split("=", 1) for word in words if re.match(r"SHMEMU_\w+=", word))
    command = [word for word in words if not re.match(r"SHMEMU_\w+=", word)]
    command[command.index("-O2")] = "-O0"  # only our pass, so that polls are not multiplied by unrolling
    command = command[:command.index("-c")] + ["-S", "-emit-llvm", command[command.index("-c") + 1], "-o", "-"]
    text = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, **environment}).stdout
    polls, function = {}, None
    for line in text.splitlines():
        head = re.match(r"define .*@__dev__Z\d+([a-z_]+)P", line)  # all take a pointer first
        if line.startswith("define"):
            function = head.group(1) if head else None
            if function:
                polls[function] = []
        call = re.search(r"call void @__shmemu_poll\(ptr .*?, i32 (\d+), i32 (\d+)\)", line)
        if call and function:
            polls[function].append((int(call.group(1)), int(call.group(2))))
    return {name: sorted(calls) for name, calls in polls.items()}


def main():
    shmemu, source = sys.argv[1:]
    folder = tempfile.mkdtemp(prefix="shmemu-polls-")
    try:
        found = compiled(lowering(shmemu, source, folder))
    finally:
        shutil.rmtree(folder)
    failures = 0
    for function, polls in expected(source).items():
        got = found.get(function)
        if got != polls:
            print(f"FAIL {function}: polls (bytes, flags) are {got}, expected {polls}")
            failures += 1
    print("ok" if not failures else f"{failures} functions differ")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
