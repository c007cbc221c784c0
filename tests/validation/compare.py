#!/usr/bin/env python3
"""Predicted beside measured, row by row: two CSVs of nvshmem_probe.

usage: compare.py MEASURED.csv PREDICTED.csv [--all]
Prints per test: rows, median and largest error in percent, and the worst row. --all prints every row.
"""
import csv
import statistics
import sys


def read(path):
    rows = {}
    for r in csv.reader(line for line in open(path) if not line.startswith("#")):
        if len(r) >= 10 and r[0] != "test":
            rows[tuple(r[:7])] = float(r[7])
    return rows


def main():
    measured, predicted = read(sys.argv[1]), read(sys.argv[2])
    groups, everything = {}, []
    for key, m in measured.items():
        if key not in predicted or m == 0:
            continue
        error = (predicted[key] - m) / m * 100
        groups.setdefault((key[0], key[1]), []).append((abs(error), error, key, m, predicted[key]))
        everything.append(abs(error))
        if "--all" in sys.argv:
            print(f"{key[0]:<28}{key[1]:<8}{key[3]:>4} CTA {key[4]:>5} thr {key[5]:>9} B  measured {m:>10.4f}  "
                  f"predicted {predicted[key]:>10.4f}  {error:>+7.1f} %")
    print(f"{'test':<28}{'scope':<8}{'rows':>5}{'median %':>10}{'max %':>8}   worst row")
    for (test, scope), rows in groups.items():
        worst = max(rows)
        print(f"{test:<28}{scope:<8}{len(rows):>5}{statistics.median(r[0] for r in rows):>10.1f}{worst[0]:>8.1f}   "
              f"{worst[2][3]} CTA {worst[2][4]} thr {worst[2][5]} B: measured {worst[3]:.4f}, predicted {worst[4]:.4f}")
    everything.sort()
    print(f"{len(everything)} rows: median {statistics.median(everything):.1f} %, "
          f"95 % of rows within {everything[int(len(everything) * 0.95)]:.1f} %")


if __name__ == "__main__":
    main()
