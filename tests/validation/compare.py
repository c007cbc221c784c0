#!/usr/bin/env python3
"""Predicted beside measured, row by row: two CSVs of nvshmem_probe.

usage: compare.py MEASURED.csv PREDICTED.csv [--all]
Prints per test: rows, median and largest error in percent, and the worst row. --all prints every row.
"""
import csv
import sys

from errors import Errors


def read(lines):
    """(test, scope, npes, ctas, threads, bytes, metric) -> median"""
    return {tuple(r[:7]): float(r[7]) for r in csv.reader(line for line in lines if not line.startswith("#"))
            if len(r) >= 10 and r[0] != "test"}


def compare(measured, predicted):
    errors = Errors()
    for key, value in measured.items():
        test, scope, _, ctas, threads, size, _ = key
        errors.add(f"{test:<31}{scope}", f"{ctas} CTA {threads} thr {size} B", value, predicted.get(key))
    return errors


def main():
    with open(sys.argv[1]) as measured, open(sys.argv[2]) as predicted:
        errors = compare(read(measured), read(predicted))
    if "--all" in sys.argv:
        errors.print_rows()
    errors.print_tables()
    errors.print_summary()


if __name__ == "__main__":
    main()
