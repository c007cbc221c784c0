#!/usr/bin/env python3
"""Runs nvshmem_probe emulated and prints its rows beside those measured on two H200.

The rows of section bw that move many bytes take minutes to emulate, so there is a limit on the bytes of a row; rows
above it are left out, and the last line says how many.
"""
import argparse
import pathlib
import subprocess
import sys

from compare import compare, read

HERE = pathlib.Path(__file__).resolve().parent
MEASURED = HERE.parent.parent / "platforms" / "measurements" / "h200x2_nvshmem345.csv"
SECTIONS = ["scalar", "rma", "pingpong", "launch", "bw"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--shmemu", required=True, type=pathlib.Path)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--bytes", type=int, default=1 << 20, help="most bytes of a row of bw (default %(default)d)")
    parser.add_argument("--all", action="store_true", help="print every row")
    parser.add_argument("sections", nargs="*", default=SECTIONS, help="default: " + " ".join(SECTIONS))
    a = parser.parse_args()
    a.work.mkdir(parents=True, exist_ok=True)
    program = a.work / "nvshmem_probe"
    subprocess.run([a.shmemu, "cc", HERE / "nvshmem_probe.cu", "-o", program], check=True)
    run = subprocess.run([a.shmemu, "run", "-q", "-n", "2", program, *a.sections, f"bytes={a.bytes}"],
                         stdout=subprocess.PIPE, text=True)
    with open(MEASURED) as measured:
        rows = read(measured)
    predicted = read(run.stdout.splitlines())
    tests = {key[0] for key in predicted}
    errors = compare({key: value for key, value in rows.items() if key[0] in tests}, predicted)
    if a.all:
        errors.print_rows()
    errors.print_tables()
    errors.print_summary()
    return run.returncode


if __name__ == "__main__":
    sys.exit(main())
