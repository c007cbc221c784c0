#!/usr/bin/env python3
"""Builds and runs programs of an NVSHMEM source checkout, unmodified: examples/, and perftest/ on 2 PEs.

A program passes when it compiles, every run of it exits with 0 in time, and the output says what it must say at that
number of PEs. Prints a row per program, then what failed and why.
"""
import argparse
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time

import perftest


def every_pe(pattern):
    """Each PE prints one line that matches."""
    return lambda out, n: None if len(re.findall(pattern, out)) == n else f"not {n} lines that match {pattern}"


def per_pe(pattern, want):
    """Each PE prints one line with its number and a value, which is want(pe, n)."""
    def check(out, n):
        got = {int(a): int(b) for a, b in re.findall(pattern, out, re.M)}
        right = {pe: want(pe, n) for pe in range(n)}
        return None if got == right else f"PEs with a wrong value: {[p for p in right if got.get(p) != right[p]][:4]}"
    return check


def silent(out, n):
    return "the output speaks of an error" if "error" in out.lower() else None


def timed_and_right(out, n):
    return silent(out, n) or (None if re.search(r"\d+B\s+[\d.]+ms", out) else "no row of the table")


EXAMPLE_PES = (2, 8, 64)
# source: arguments, check
EXAMPLES = {
    "examples/hello.cpp": ("", every_pe(r"Hello from PE \d+ of \d+")),
    "examples/dev-guide-ring.cu": ("", per_pe(r"^(\d+): received message (\d+)$", lambda pe, n: (pe - 1) % n)),
    "examples/collective-launch.cu": ("", per_pe(r"results on device \[(\d+)\] is (\d+)",
                                                 lambda pe, n: n * (n - 1) // 2 + pe)),
    "examples/put-block.cu": ("", every_pe(r"run complete")),
    "examples/thread-group.cu": ("", every_pe(r"run complete")),
    "examples/on-stream.cu": ("", every_pe(r"run complete")),
    "examples/mpi-based-init.cu": ("", every_pe(r"run complete")),
    "examples/uid-based-init.cu": ("", every_pe(r"run complete")),
    "examples/shmem-based-init.cu": ("", silent),
    "examples/dev-guide-ring-mpi.cu": ("", per_pe(r"^(\d+): received message (\d+)$", lambda pe, n: (pe - 1) % n)),
    "examples/ring-bcast.cu": ("", silent),
    # its default of 32 MiB to 512 MiB is sized for hardware; the ring is the same with smaller chunks
    "examples/ring-reduce.cu": ("-b 32K -e 128K -m 1K -c 4 -t 64", timed_and_right),
    # registers 512 MiB on each PE and says so once
    "examples/user-buffer.cu": ("", lambda out, n: silent(out.replace("No errors found", ""), n)),
}
FEWER_PES = {"examples/user-buffer.cu": (2, 8)}
# Left out: gemm_allreduce needs CUTLASS; moe_shuffle is right on 16 PEs only (it asks PE threadIdx / npes for each of its
# 16 experts), copies to memory of malloc unless -c is given, and moves 10 GB, some minutes of emulation.


class Examples:
    def __init__(self, shmemu, checkout, work):
        self.shmemu, self.checkout, self.work = shmemu, checkout, work

    def build(self, source):
        program = self.work / pathlib.Path(source).stem
        subprocess.run([self.shmemu, "cc", "-w", self.checkout / source, "-o", program], check=True,
                       capture_output=True, text=True)
        return program


def programs():
    """-> name, source for the builder, is it an example, [(PEs, arguments, check)]"""
    for source, (arguments, check) in EXAMPLES.items():
        yield source, source, True, [(n, arguments, check) for n in FEWER_PES.get(source, EXAMPLE_PES)]
    for source, runs in perftest.PROGRAMS.items():
        yield f"perftest/{source}", source, False, [(2, arguments, perftest.must_print(t)) for arguments, t in runs]


def run_once(shmemu, program, pes, arguments, check, limit):
    """-> seconds, None or why it failed"""
    start = time.time()
    command = [shmemu, "run", "-q", "-n", str(pes), program, *shlex.split(arguments)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit,
                              env=os.environ | perftest.ENVIRONMENT)
    except subprocess.TimeoutExpired:
        return time.time() - start, f"no end after {limit:.0f} s"
    why = check(done.stdout, pes)
    if done.returncode:
        why = f"exit {done.returncode}: {(done.stderr or done.stdout).strip()[:1500]}"
    return time.time() - start, why


def try_program(a, builders, name, source, is_example, runs):
    result = {"program": name, "passed": False, "compile_s": None, "runs": []}
    start = time.time()
    try:
        program = builders[is_example].build(source)
    except subprocess.CalledProcessError as e:
        return result | {"why": f"does not compile: {e.stderr.strip()[-1500:]}"}
    result["compile_s"] = time.time() - start
    for pes, arguments, check in runs:
        seconds, why = run_once(a.shmemu, program, pes, arguments, check, a.timeout)
        result["runs"].append({"pes": pes, "arguments": arguments, "run_s": seconds, "why": why})
    return result | {"passed": all(r["why"] is None for r in result["runs"])}


def report_row(r):
    compiled = "FAILED" if r["compile_s"] is None else f"{r['compile_s']:.1f} s"
    good = sum(run["why"] is None for run in r["runs"])
    tally = f"{good}/{len(r['runs'])}" if r["runs"] else ""
    pes = ", ".join(str(n) for n in dict.fromkeys(run["pes"] for run in r["runs"]))
    return (f"{r['program']:<64}{compiled:>9}{sum(run['run_s'] for run in r['runs']):>8.2f} s{pes:>10}"
            f"{tally:>8}  {'pass' if r['passed'] else 'FAILED'}")


def report_failure(r):
    out = [r["program"]]
    if "why" in r:
        out.append(f"  {r['why']}")
    for run in r["runs"]:
        if run["why"]:
            out.append(f"  {run['pes']} PEs {run['arguments']}\n    " + run["why"].replace("\n", "\n    "))
    return "\n".join(out)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--shmemu", required=True, type=pathlib.Path)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--only", metavar="REGEX", default="", help="programs whose path matches")
    parser.add_argument("--timeout", type=float, default=120, metavar="S", help="per run (default %(default).0f s)")
    parser.add_argument("--json", action="store_true", help="results as JSON on standard output, the table on error")
    parser.add_argument("checkout", type=pathlib.Path)
    a = parser.parse_args()
    a.work.mkdir(parents=True, exist_ok=True)
    builders = {True: Examples(a.shmemu, a.checkout, a.work),
                False: perftest.Builder(a.shmemu, a.checkout, a.work)}
    table = sys.stderr if a.json else sys.stdout
    chosen = [p for p in programs() if re.search(a.only, p[0])]
    if not chosen:
        parser.error(f"no program matches '{a.only}'")
    print(f"{'program':<64}{'compile':>9}{'run':>10}{'PEs':>10}{'runs':>8}", file=table)
    results = []
    for i, (name, source, is_example, runs) in enumerate(chosen):
        if sys.stderr.isatty():
            print(f"[{i + 1}/{len(chosen)}] {name}", end="\r", file=sys.stderr, flush=True)
        results.append(try_program(a, builders, name, source, is_example, runs))
        print(report_row(results[-1]), file=table, flush=True)
    failed = [r for r in results if not r["passed"]]
    for r in failed:
        print(f"\n{report_failure(r)}", file=table)
    print(f"\n{len(failed)} of {len(results)} failed" if failed else f"\nall {len(results)} passed", file=table)
    if a.json:
        json.dump({"version": 1, "programs": results}, sys.stdout, indent=1)
        print()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
