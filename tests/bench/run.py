#!/usr/bin/env python3
"""Speed and memory of runs by number of PEs: 10 rounds of put + signal + wait + barrier, 128 threads per PE.

Times are of this machine at this moment; compare only numbers of one run.
"""
import argparse
import json
import pathlib
import resource
import subprocess
import time


def measure(shmemu, pes, program, arguments):
    start = time.time()
    run = subprocess.run([shmemu, "run", "--json", "-p", "nvlink-flat", "-n", str(pes), program, *arguments],
                         capture_output=True, text=True)
    wall = time.time() - start
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024  # MiB, largest so far: sizes ascend
    if run.returncode:
        raise SystemExit(f"{program} on {pes} PEs failed: {run.stderr}")
    return wall, peak, json.loads(run.stdout[run.stdout.index("{\n"):])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--shmemu", required=True, type=pathlib.Path)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    a = parser.parse_args()
    a.work.mkdir(parents=True, exist_ok=True)
    source = pathlib.Path(__file__).parent.parent / "programs" / "scale_rounds.cu"
    program = a.work / "scale_rounds"
    subprocess.run([a.shmemu, "cc", source, "-o", program], check=True)
    print(f"{'PEs':>6}{'wall s':>9}{'peak MiB':>10}{'transfers':>11}{'ordered':>10}{'switches each':>15}"
          f"{'transfers/s':>13}{'virtual µs':>12}")
    for pes in (2, 64, 256, 1024, 4096):
        wall, peak, report = measure(a.shmemu, pes, program, [])
        virtual = max(r["virtual_us"] for r in report["pe_results"])
        print(f"{pes:>6}{wall:>9.2f}{peak:>10.0f}{report['transfers']:>11}{report['ordered_interactions']:>10}"
              f"{report['switches'] / report['ordered_interactions']:>15.1f}{report['transfers'] / wall:>13.0f}"
              f"{virtual:>12.1f}", flush=True)


if __name__ == "__main__":
    main()
