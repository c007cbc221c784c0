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
    # its default of 96 blocks of 1024 threads holds 1.6 million threads at once; -c: no memory of malloc in kernels
    "examples/moe_shuffle.cu": ("-c -b 16 -t 32", every_pe(r"Rank: \d+ Time: \d*[1-9]")),
    # registers 512 MiB on each PE and says so once
    "examples/user-buffer.cu": ("", lambda out, n: silent(out.replace("No errors found", ""), n)),
}
OTHER_PES = {"examples/user-buffer.cu": (2, 8),
             # without a barrier it looks at what its left neighbour sends: too early where that one is on another node
             "examples/put-block.cu": (2, 8),
             "examples/moe_shuffle.cu": (16,)}  # it asks PE threadIdx / npes for each of its 16 experts
MORE_TIME = {"examples/moe_shuffle.cu": 600}  # moves 11 GB in rows of 16 KiB
# What is left out, and why.
EXCEPTIONS = {
    "examples/gemm_allreduce": "needs CUTLASS",
    "perftest/device/coll/redmaxloc_latency.cu": "compiles nowhere: it calls its function of 7 parameters with 8 "
                                                 "arguments, and NVSHMEM's CMake leaves it out",
}


class Examples:
    def __init__(self, shmemu, checkout, work, flags):
        self.shmemu, self.checkout, self.work, self.flags = shmemu, checkout, work, flags

    def build(self, source):
        program = self.work / pathlib.Path(source).stem
        subprocess.run([self.shmemu, "cc", "-w", *self.flags, self.checkout / source, "-o", program], check=True,
                       capture_output=True, text=True)
        return program


def shipped_runs(file):
    """The runs that an .args file asks for, one a line; one without arguments if there is no file."""
    lines = file.read_text().splitlines() if file.exists() else [""]
    return [(2, line.strip(), perftest.some_rows) for line in lines if line.strip()] or [(2, "", perftest.some_rows)]


def programs(shipped):
    """-> name, source for the builder, is it an example, [(PEs, arguments, check)]

    shipped: the checkout whose argument files say how perftest runs, instead of our small sizes
    """
    for source, (arguments, check) in EXAMPLES.items():
        if not shipped:
            yield source, source, True, [(n, arguments, check) for n in OTHER_PES.get(source, EXAMPLE_PES)]
    for source, runs in perftest.PROGRAMS.items():
        asked = [(2, arguments, perftest.must_print(t)) for arguments, t in runs]
        if shipped:
            asked = shipped_runs((shipped / "perftest" / source).with_suffix(".args"))
        yield f"perftest/{source}", source, False, asked


def left_out(checkout):
    """Sources of the checkout that neither run nor have a reason."""
    folders = ("examples", "perftest/device/pt-to-pt", "perftest/device/coll", "perftest/device/tile",
               "perftest/host")
    sources = {str(p.relative_to(checkout)) for f in folders for p in (checkout / f).rglob("*.c*")
               if p.suffix in (".cu", ".cpp")}
    known = {name for name, *_ in programs(None)} | set(EXCEPTIONS)
    return sorted(s for s in sources if not any(s == k or s.startswith(k + "/") for k in known))


def run_once(shmemu, program, pes, arguments, check, limit, flags):
    """-> seconds, None or why it failed, the number of its last row"""
    start = time.time()
    command = [shmemu, "run", "-q", *flags, "-n", str(pes), program, *shlex.split(arguments)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit,
                              env=os.environ | perftest.ENVIRONMENT)
    except subprocess.TimeoutExpired:
        return time.time() - start, f"no end after {limit:.0f} s", None
    why = check(done.stdout, pes)
    if done.returncode:
        why = f"exit {done.returncode}: {(done.stderr or done.stdout).strip()[:1500]}"
    return time.time() - start, why, perftest.last_row(done.stdout)


def try_program(a, builders, name, source, is_example, runs):
    result = {"program": name, "passed": False, "compile_s": None, "runs": []}
    start = time.time()
    try:
        program = builders[is_example].build(source)
    except subprocess.CalledProcessError as e:
        return result | {"why": f"does not compile: {e.stderr.strip()[-1500:]}"}
    result["compile_s"] = time.time() - start
    for pes, arguments, check in runs:
        limit = max(a.timeout, MORE_TIME.get(name, 0))
        seconds, why, predicted = run_once(a.shmemu, program, pes, arguments, check, limit, a.flags)
        result["runs"].append({"pes": pes, "arguments": arguments, "run_s": seconds, "why": why,
                               "predicted": predicted})
    return result | {"passed": all(r["why"] is None for r in result["runs"])}


def report_row(r):
    compiled = "FAILED" if r["compile_s"] is None else f"{r['compile_s']:.1f} s"
    good = sum(run["why"] is None for run in r["runs"])
    tally = f"{good}/{len(r['runs'])}" if r["runs"] else ""
    pes = ", ".join(str(n) for n in dict.fromkeys(run["pes"] for run in r["runs"]))
    predicted = next((run["predicted"] for run in r["runs"] if run["predicted"]), "")
    return (f"{r['program']:<64}{compiled:>9}{sum(run['run_s'] for run in r['runs']):>8.2f} s{pes:>10}"
            f"{tally:>8}  {'pass' if r['passed'] else 'FAILED'}   {predicted}")


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
    parser.add_argument("--shipped", action="store_true",
                        help="perftest with the sizes of NVSHMEM's own .args files, which take much longer")
    parser.add_argument("--check", action="store_true", help="with the checker: a program with findings fails")
    parser.add_argument("--json", action="store_true", help="results as JSON on standard output, the table on error")
    parser.add_argument("checkout", type=pathlib.Path)
    a = parser.parse_args()
    a.flags = ["--check"] if a.check else []
    a.work.mkdir(parents=True, exist_ok=True)
    builders = {True: Examples(a.shmemu, a.checkout, a.work, a.flags),
                False: perftest.Builder(a.shmemu, a.checkout, a.work, a.flags)}
    table = sys.stderr if a.json else sys.stdout
    forgotten = left_out(a.checkout)
    if forgotten:
        parser.error("neither run nor excepted: " + " ".join(forgotten))
    chosen = [p for p in programs(a.checkout if a.shipped else None) if re.search(a.only, p[0])]
    if not chosen:
        parser.error(f"no program matches '{a.only}'")
    print(f"{'program':<64}{'compile':>9}{'run':>10}{'PEs':>10}{'runs':>8}  result   predicted", file=table)
    results = []
    for i, (name, source, is_example, runs) in enumerate(chosen):
        if sys.stderr.isatty():
            print(f"[{i + 1}/{len(chosen)}] {name}", end="\r", file=sys.stderr, flush=True)
        results.append(try_program(a, builders, name, source, is_example, runs))
        print(report_row(results[-1]), file=table, flush=True)
    failed = [r for r in results if not r["passed"]]
    for r in failed:
        print(f"\n{report_failure(r)}", file=table)
    for name, reason in EXCEPTIONS.items():
        print(f"left out: {name}: {reason}", file=table)
    print(f"\n{len(failed)} of {len(results)} failed" if failed else f"\nall {len(results)} passed", file=table)
    if a.json:
        json.dump({"version": 1, "programs": results}, sys.stdout, indent=1)
        print()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
