#!/usr/bin/env python3
"""Predicted beside measured: every row of platforms/measurements/deepep_*.csv through `shmemu deepep`.

Usage: deepep.py <shmemu> <platforms/measurements/deepep_h800.csv or deepep_h200x2.csv> [--all]
Prints a line per row with --all, then median and largest error per table.
"""
import csv
import json
import statistics
import subprocess
import sys


def rows_of(path):
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def predict(shmemu, words, cache={}):
    key = tuple(words)
    if key not in cache:
        out = subprocess.run([shmemu, "deepep", "--json", *words], check=True, capture_output=True, text=True)
        cache[key] = {op["op"]: op for op in json.loads(out.stdout)["ops"]}
    return cache[key]


def published(shmemu, row):
    words = ["-p", "hgx-h800", "--mode", row["mode"], "--ep", row["ep"], "--experts", row["experts"], "--version", row["version"]]
    if row["mode"] == "ht" and row["version"] == "feb25":
        words += ["--chunk", "32"]  # the README prints the best of a sweep; here the largest chunk is the best for dispatch
    op = predict(shmemu, words)[row["op"]]
    if row["us"]:
        return float(row["us"]), op["mean_us"]
    return float(row["GBps"]), op["logical_GBps"]


def pair(shmemu, row):
    words = ["-p", "hgx-h200", "--ep", "2", "--mode", row["mode"], "--timing", "kernel"]
    for name in ("tokens", "hidden", "topk", "experts"):
        words += [f"--{name}", row[name]]
    if row["op"].endswith(("_send", "_recv")):
        words += ["--hook", "150"]
    if row["op"].startswith("dispatch"):
        words += ["--dispatch", row["dtype"]]
    if row["mode"] == "ht":
        words += ["--num-sms", row["num_sms"], "--nvl-chunk", row["nvl_chunk"], "--nvl-ring", "256"]
    return float(row["kernel_us"]), predict(shmemu, words)[row["op"]]["mean_us"]


def main(shmemu, path, show):
    errors = {}
    for row in rows_of(path):
        measured, predicted = published(shmemu, row) if "version" in row else pair(shmemu, row)
        error = 100 * (predicted / measured - 1)
        table = " ".join(filter(None, [row.get("version"), row["mode"], row["op"]]))
        errors.setdefault(table, []).append(error)
        if show:
            print(f"{','.join(row.values()):<60}{predicted:10.1f}{error:+8.1f} %")
    for table, values in errors.items():
        sizes = [abs(v) for v in values]
        print(f"{table:<24}{len(values):4} rows, error median {statistics.median(sizes):5.1f} %, largest {max(sizes):5.1f} %, "
              f"mean {statistics.mean(values):+5.1f} %")
    everything = [abs(v) for values in errors.values() for v in values]
    print(f"{'all':<24}{len(everything):4} rows, error median {statistics.median(everything):5.1f} %, largest {max(everything):5.1f} %")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], "--all" in sys.argv)
