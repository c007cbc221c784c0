#!/usr/bin/env python3
"""Speed and memory of runs by number of PEs: 10 rounds of put + signal + wait + barrier, 128 threads per PE.

The first row is a program that does next to nothing on 2 PEs: what a run costs at least. Times are of this machine at this moment; compare only numbers of one run.
"""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile
import time


def measure(shmemu, pes, program):
    """-> wall seconds, peak memory of the run in MiB, its report"""
    with tempfile.TemporaryFile("w+") as out:
        start = time.time()
        child = subprocess.Popen([shmemu, "run", "--json", "-p", "nvlink-flat", "-n", str(pes), program], stdout=out)
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.time() - start
        if status:
            raise SystemExit(f"{program} on {pes} PEs failed")
        out.seek(0)
        text = out.read()
    return wall, usage.ru_maxrss / 1024, json.loads(text[text.index("{\n"):])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--shmemu", required=True, type=pathlib.Path)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    a = parser.parse_args()
    a.work.mkdir(parents=True, exist_ok=True)
    project = pathlib.Path(__file__).resolve().parent.parent.parent
    hello, rounds = a.work / "hello", a.work / "scale_rounds"
    for source, program in (("examples/hello.cu", hello), ("tests/programs/scale_rounds.cu", rounds)):
        subprocess.run([a.shmemu, "cc", project / source, "-o", program], check=True)
    print(f"{'program':<14}{'PEs':>6}{'wall s':>9}{'peak MiB':>10}{'transfers':>11}{'ordered':>10}{'switches each':>15}"
          f"{'transfers/s':>13}{'virtual µs':>12}")
    for program, pes in [(hello, 2)] + [(rounds, n) for n in (2, 64, 256, 1024, 4096)]:
        wall, peak, report = measure(a.shmemu, pes, program)
        virtual = max(r["virtual_us"] for r in report["pe_results"])
        each = report["switches"] / max(1, report["ordered_interactions"])
        print(f"{program.name:<14}{pes:>6}{wall:>9.2f}{peak:>10.0f}{report['transfers']:>11}"
              f"{report['ordered_interactions']:>10}{each:>15.1f}{report['transfers'] / wall:>13.0f}{virtual:>12.1f}",
              flush=True)


if __name__ == "__main__":
    main()
