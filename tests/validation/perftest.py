#!/usr/bin/env python3
"""NVIDIA's perftest programs, from an NVSHMEM checkout, emulated with the arguments of each measured run.

Prints predicted beside measured row by row, then per table the rows, the median and the largest error.
"""
import argparse
import csv
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time

from errors import Errors

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "upstream"))
import perftest  # noqa: E402

MEASURED = HERE.parent.parent / "platforms" / "measurements" / "h200x2_perftest345.csv"
QUICK = 1 << 20  # bytes
QUICK_G = 64 << 10  # of shmem_g_bw, which emulates every 4 B as an operation of its own


def measured():
    """(program, arguments) -> {(scope or type, bytes): value}"""
    runs = {}
    with open(MEASURED) as lines:
        for r in csv.DictReader(line for line in lines if not line.startswith("#")):
            run = runs.setdefault((r["program"], r["arguments"]), {})
            run[r["scope_or_type"], int(r["bytes"])] = float(r["value"])
    return runs


def row_name(job, scope):
    """The scope or type as in the measured table."""
    atomic = re.fullmatch(r"shmem_at_(.+)_inc_ping_lat", job)
    if atomic:
        return atomic[1]
    if "barrier" in job:
        return f"{job.removesuffix('_device')} {scope}"
    return "" if scope == "None" else scope.lower()


def source_of(program):
    return next(source for source in perftest.PROGRAMS if pathlib.Path(source).stem == program)


def bytes_of(text):
    return int(text[:-1]) << {"K": 10, "M": 20}[text[-1]] if text[-1].isalpha() else int(text)


def emulated_arguments(program, arguments, quick):
    """-> arguments, and the factor by which the sizes and bandwidths of the output are too large.

    shmem_g_bw with int elements reads four times the memory that it allocates; hardware lets it, shmemu ends it. With
    -d int32 and eight times the size it is the same kernel over the same elements, within an allocation of that size.
    """
    factor = 8 if program == "shmem_g_bw" else 1
    most_bytes = None if not quick else QUICK_G if program == "shmem_g_bw" else QUICK
    words = shlex.split(arguments)
    for flag in ("-b", "-e"):
        if flag in words:
            at = words.index(flag) + 1
            size = bytes_of(words[at])
            words[at] = str((min(size, most_bytes) if flag == "-e" and most_bytes else size) * factor)
    return words + (["-d", "int32"] if factor > 1 else []), factor


def predict(a, program, words, factor):
    command = [a.shmemu, "run", "-q", "-n", "2", program, *words]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=a.timeout,
                             env=os.environ | perftest.ENVIRONMENT)
    except subprocess.TimeoutExpired:
        print(f"  no end after {a.timeout:.0f} s")
        return {}
    if run.returncode:
        print(f"  exit {run.returncode}: {run.stderr.strip()[:1000]}")
    return {(row_name(job, scope), size // factor): value / factor if unit.startswith("GB") else value
            for (job, scope, size), (value, unit) in perftest.rows(run.stdout).items()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--shmemu", required=True, type=pathlib.Path)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--quick", action="store_true", help=f"sizes up to {QUICK >> 10} KiB only, of shmem_g_bw {QUICK_G >> 10} KiB")
    parser.add_argument("--only", metavar="REGEX", default="", help="runs whose program and arguments match")
    parser.add_argument("--timeout", type=float, default=900, metavar="S", help="per run (default %(default).0f s)")
    parser.add_argument("--brief", action="store_true", help="tables only, no rows")
    parser.add_argument("checkout", type=pathlib.Path)
    a = parser.parse_args()
    builder, errors = perftest.Builder(a.shmemu, a.checkout, a.work), Errors()
    for (program, arguments), rows in measured().items():
        name = f"{program} {arguments}"
        if not re.search(a.only, name):
            continue
        words, factor = emulated_arguments(program, arguments, a.quick)
        start = time.time()
        predicted = predict(a, builder.build(source_of(program)), words, factor)
        print(f"# {name}: {time.time() - start:.1f} s", flush=True)
        scopes = [scope for scope, _ in rows]
        for (scope, size), value in rows.items():  # scopes of a single row make one table together
            table, row = (name, f"{scope} {size} B") if scopes.count(scope) == 1 else (f"{name} {scope}", f"{size} B")
            errors.add(table.rstrip(), row, value, predicted.get((scope, size)))
        for table in [] if a.brief else [t for t in errors.tables if t.startswith(name)]:
            errors.print_rows(table)
    errors.print_tables()
    errors.print_summary()


if __name__ == "__main__":
    main()
