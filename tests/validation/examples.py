#!/usr/bin/env python3
"""The programs of examples/ on hardware beside their emulation. None of their times sets a constant.

On a machine with nvcc, GPUs and NVSHMEM (its folder has include/ and lib/), one process per PE:

    examples.py measure --nvshmem DIR --pes 2 --out h200x2_examples.csv

and where shmemu is built:

    examples.py compare --shmemu build/dev/bin/shmemu --work DIR platforms/measurements/h200x2_examples.csv

A row of the CSV is `program,arguments,pes,us`: the time that the program itself prints, of its fastest repetition.
"""
import argparse
import csv
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from errors import Errors

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parent.parent / "examples"

# program, arguments, and the count of repetitions that ends the line: on hardware, emulated
CASES = [
    ("jacobi", "64 16", 200, 20),
    ("jacobi", "1024 64", 200, 20),
    ("jacobi", "1024 512", 200, 10),
    ("jacobi", "8192 128", 200, 10),
    ("ring_allreduce", "256", 50, 3),
    ("ring_allreduce", "4096", 50, 3),
    ("ring_allreduce", "65536", 50, 3),
    ("ring_allreduce", "1048576", 50, 2),
    ("transpose", "16", 50, 3),
    ("transpose", "128", 50, 3),
    ("transpose", "512", 50, 2),
    ("transpose", "1024", 50, 2),
    ("histogram", "32 4", 50, 3),
    ("histogram", "1024 16", 50, 3),
    ("histogram", "16384 16", 50, 2),
    ("queue", "16 8", 50, 3),
    ("queue", "64 8", 50, 3),
    ("queue", "64 1", 50, 3),
]
TIME = re.compile(r"^(\w+) ok: .* ([0-9.]+) us")


def microseconds(text, what):
    for line in text.splitlines():
        if m := TIME.match(line):
            return float(m[2])
    raise SystemExit(f"{what}: no line '<program> ok: ... us' in its output:\n{text}")


def measure(a):
    work = pathlib.Path(tempfile.mkdtemp())
    host = next(pathlib.Path(a.nvshmem, "lib").glob("libnvshmem_host.so*"))
    environment = dict(os.environ, NVSHMEM_DISABLE_NVLS="1", NVSHMEM_REMOTE_TRANSPORT="none", NVSHMEM_SYMMETRIC_SIZE="1G",
                       NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME="lo")
    for name in sorted({case[0] for case in CASES}):
        subprocess.run(["nvcc", "-O3", "-std=c++17", "-arch=sm_90", "-rdc=true", "-include", HERE / "uid_init.hpp",
                        f"-I{a.nvshmem}/include", EXAMPLES / f"{name}.cu", "-o", work / name, f"-L{a.nvshmem}/lib",
                        f"-l:{host.name}", "-lnvshmem_device", "-lcuda", "-lnvidia-ml", "-Xlinker",
                        f"-rpath={a.nvshmem}/lib"], check=True)
    with open(a.out, "w") as out:
        print("program,arguments,pes,us", file=out)
        for name, arguments, repetitions, _ in CASES:
            uid = work / "uid"
            uid.unlink(missing_ok=True)
            command = [work / name, *arguments.split(), str(repetitions)]
            processes = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                          env=dict(environment, PROBE_PE=str(pe), PROBE_PES=str(a.pes),
                                                   PROBE_UID_FILE=str(uid)))
                         for pe in range(a.pes)]
            try:
                texts = [p.communicate(timeout=60)[0] for p in processes]
            except subprocess.TimeoutExpired:
                for p in processes:
                    p.kill()
                print(f"{name} {arguments}: not finished in 60 s", file=sys.stderr)
                continue
            if any(p.returncode for p in processes):
                print(f"{name} {arguments}: failed:\n" + "\n".join(texts), file=sys.stderr)
                continue
            row = f"{name},{arguments},{a.pes},{microseconds(texts[0], name):.3f}"
            print(row, file=out, flush=True)
            print(row, flush=True)


def compare(a):
    repetitions = {(name, arguments): emulated for name, arguments, _, emulated in CASES}
    a.work.mkdir(parents=True, exist_ok=True)
    errors = Errors()
    for row in csv.DictReader(line for line in open(a.measured) if not line.startswith("#")):
        name, arguments = row["program"], row["arguments"]
        program = a.work / name
        if not program.exists():
            subprocess.run([a.shmemu, "cc", EXAMPLES / f"{name}.cu", "-o", program], check=True)
        command = [a.shmemu, "run", "-q", "-n", row["pes"], program, *arguments.split(), str(repetitions[name, arguments])]
        run = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        errors.add(name, f"{arguments}, {row['pes']} PEs, us", float(row["us"]), microseconds(run.stdout, name))
    errors.print_rows()
    errors.print_tables()
    errors.print_summary()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    m = commands.add_parser("measure")
    m.add_argument("--nvshmem", required=True)
    m.add_argument("--pes", type=int, required=True)
    m.add_argument("--out", required=True)
    m.set_defaults(run=measure)
    c = commands.add_parser("compare")
    c.add_argument("--shmemu", required=True, type=pathlib.Path)
    c.add_argument("--work", required=True, type=pathlib.Path)
    c.add_argument("measured")
    c.set_defaults(run=compare)
    a = parser.parse_args()
    a.run(a)


if __name__ == "__main__":
    main()
