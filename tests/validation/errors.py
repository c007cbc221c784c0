"""Predicted beside measured: rows of named tables, and what is printed of them. Shared by compute.py, examples.py and perftest.py."""
import statistics


class Errors:
    def __init__(self):
        self.tables = {}  # name -> [(error in %, row, measured, predicted)]
        self.absent = 0  # measured rows without a prediction

    def add(self, table, row, measured, predicted):
        if predicted is None:
            self.absent += 1
        elif measured:
            self.tables.setdefault(table, []).append(((predicted - measured) / measured * 100, row, measured, predicted))

    def print_rows(self, table=None):
        for name in [table] if table else self.tables:
            for error, row, measured, predicted in self.tables.get(name, []):
                print(f"{name}  {row:<28} measured {measured:>11.4f}  predicted {predicted:>11.4f}  {error:>+7.1f} %")

    def print_tables(self):
        width = max((len(name) for name in self.tables), default=0)
        print(f"{'table':<{width}}{'rows':>6}{'median %':>10}{'max %':>8}   worst row")
        for name, rows in self.tables.items():
            error, row, measured, predicted = max(rows, key=lambda r: abs(r[0]))
            median = statistics.median(abs(r[0]) for r in rows)
            print(f"{name:<{width}}{len(rows):>6}{median:>10.1f}{abs(error):>8.1f}   "
                  f"{row}: measured {measured:.4f}, predicted {predicted:.4f}")

    def print_summary(self):
        everything = sorted(abs(r[0]) for rows in self.tables.values() for r in rows)
        if not everything:
            print("no row was both measured and predicted")
            return
        print(f"{len(everything)} rows: median {statistics.median(everything):.1f} %, "
              f"95 % of rows within {everything[int((len(everything) - 1) * 0.95)]:.1f} %"
              + (f"; {self.absent} measured rows were not run" if self.absent else ""))
