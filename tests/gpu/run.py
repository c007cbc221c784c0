#!/usr/bin/env python3
"""Runs programs with the GPU executor and looks at what they say.

usage: run.py --shmemu FILE (--build FOLDER | --programs FOLDER) [--only REGEX] [--pes 2,8,32,128]
With --build the programs are compiled first (needs nvcc); --programs names a folder that has them, as tools/bundle makes.
Without a GPU it says so and ends with 0.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ["hello", "ring", "ring_allreduce", "histogram", "transpose", "jacobi", "queue"]
BEHAVIOUR = ["rma_device", "rma_host", "rma_sized", "atomics", "collectives_move", "collectives_reduce", "teams"]
# program and arguments, PEs, environment, exit code, what stdout or stderr must contain
CASES = [
    ("many_records", 4, {}, 0, "many_records ok"),
    ("many_records", 4, {"SHMEMU_GPU_RING": "32"}, 0, "many_records ok"),  # the rings are full most of the time
    ("start", 4, {}, 0, "start ok: 4 PEs"),
    ("graph", 3, {}, 0, "graph ok"),
    ("mpi_norm", 4, {}, 0, "mpi_norm ok"),
    ("ring_allreduce", 8, {"SHMEMU_GPU_PARTS": "2"}, 0, "ring_allreduce ok"),  # the PEs in two parts, as on two GPUs
    ("queue", 8, {"SHMEMU_GPU_PARTS": "3"}, 0, "queue ok"),
    ("ring", 129, {}, 1, "at most 128 at a time"),
    ("broken_deadlock", 2, {}, 4, "waits for the word at"),
    ("never_ends", 2, {}, 4, "spins without NVSHMEM's waits"),
    ("fault", 2, {}, 1, "kernel store failed"),
    ("put_bandwidth", 2, {}, 0, "put_block"),
    ("hello", 2, {}, 0, "hello ok"),  # the GPU is usable after all that
]
PATIENCE = "4"  # seconds


def has_gpu():
    try:
        return "GPU" in subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, check=False).stdout
    except OSError:
        return False


def build(shmemu, folder):
    folder.mkdir(parents=True, exist_ok=True)
    sources = [ROOT / "examples" / f"{n}.cu" for n in EXAMPLES + ["broken_deadlock"]]
    sources += [ROOT / "tests" / "behaviour" / f"{n}.cu" for n in BEHAVIOUR] + sorted((ROOT / "tests" / "gpu").glob("*.cu"))
    for source in sources:
        out = folder / source.stem
        if out.exists() and out.stat().st_mtime > source.stat().st_mtime:
            continue
        subprocess.run([shmemu, "cc", "--gpu", "-O2", str(source), "-o", str(out)], check=True)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--shmemu", required=True)
    arguments.add_argument("--build", type=pathlib.Path)
    arguments.add_argument("--programs", type=pathlib.Path)
    arguments.add_argument("--only", default="")
    arguments.add_argument("--pes", default="2,8,32,128")
    a = arguments.parse_args()
    if not has_gpu():
        print("skipped: there is no NVIDIA GPU here (nvidia-smi -L finds none); nothing of the GPU executor was tested")
        return 0
    folder = a.programs or a.build
    if a.build:
        build(a.shmemu, a.build)
    failed = 0

    def run(program, pes, environment, code, text):
        nonlocal failed
        name = f"{program} n={pes}" + "".join(f" {k}={v}" for k, v in environment.items())
        if not re.search(a.only, name):
            return ""
        begin = time.monotonic()
        try:
            done = subprocess.run([a.shmemu, "run", "-n", str(pes), "--patience", PATIENCE, str(folder / program)], capture_output=True,
                                  text=True, timeout=60, env={**os.environ, **environment}, errors="replace", check=False)
            output, got = done.stdout + done.stderr, done.returncode
        except subprocess.TimeoutExpired:
            output, got = "did not end within 60 s", -1
        good = got == code and text in output
        failed += not good
        virtual = re.search(r"virtual time: (\S+ \S+)", output)
        records = re.search(r"(\d+) records", output)
        print(f"{'ok  ' if good else 'FAIL'} {name:42} {time.monotonic() - begin:6.2f} s"
              + (f"  virtual {virtual.group(1)}, {records.group(1) if records else '?'} records" if virtual else ""), flush=True)
        if not good:
            print("\n".join("     | " + line for line in [f"exit code {got}, expected {code}"] + output.splitlines()[-12:]), flush=True)
        return output

    for program in EXAMPLES:
        for pes in map(int, a.pes.split(",")):
            run(program, pes, {}, 0, f"{program} ok")
    for program in BEHAVIOUR:
        for pes in (2, 5):
            run(program, pes, {}, 0, "")
    # as many blocks at once as this GPU holds of that kernel, and one PE more
    limit = re.search(r"it holds \d+ of them.* at most (\d+) PEs", run("many_blocks", 128, {}, 1, "must be on the GPU at once"))
    if limit:
        most = int(limit.group(1))
        run("many_blocks", most, {}, 0, "many_blocks ok")
        run("many_blocks", most + 1, {}, 1, f"at most {most} PEs")
    for case in CASES:
        run(*case)
    print(f"{failed} failed" if failed else "all passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
