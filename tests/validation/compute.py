#!/usr/bin/env python3
"""Runs compute_probe emulated and prints its rows beside those measured on an H200.

copy, stencil and reduce have set constants (platforms/gpus/h200.yaml); the other kernels have not.
"""
import argparse
import csv
import pathlib
import subprocess
import sys

from errors import Errors

HERE = pathlib.Path(__file__).resolve().parent
MEASURED = HERE.parent.parent / "platforms" / "measurements" / "h200x1_compute.csv"


def rows(lines):
    table = csv.DictReader(line for line in lines if not line.startswith("#"))
    return {(r["kernel"], int(r["blocks"]), int(r["threads"]), int(r["bytes"])): float(r["us"]) for r in table}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--shmemu", required=True, type=pathlib.Path)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--mib", type=int, default=1, help="largest array in MiB (default %(default)d)")
    parser.add_argument("--all", action="store_true", help="print every row")
    a = parser.parse_args()
    a.work.mkdir(parents=True, exist_ok=True)
    program = a.work / "compute_probe"
    subprocess.run([a.shmemu, "cc", "-O2", HERE / "compute_probe.cu", "-o", program], check=True)
    run = subprocess.run([a.shmemu, "run", "-q", "-n", "1", program, str(a.mib), "1"], stdout=subprocess.PIPE, text=True)
    predicted = rows(run.stdout.splitlines())
    with open(MEASURED) as measured:
        measured = rows(measured)
    errors = Errors()
    for key, value in measured.items():
        kernel, blocks, threads, size = key
        errors.add(kernel, f"{blocks} x {threads}, {size} B", value, predicted.get(key))
    if a.all:
        errors.print_rows()
    errors.print_tables()
    errors.print_summary()
    return run.returncode


if __name__ == "__main__":
    sys.exit(main())
