"""NVIDIA's perftest programs: how they are built, how their output is read, and which rows each of them must print.

Used by run.py (do they run?) and by tests/validation/perftest.py (do they print what hardware prints?). Sizes are
small: every program ends within seconds. The programs print rows of value 0 not at all, so a missing row is a finding.
"""
import math
import pathlib
import re
import subprocess

ROW = re.compile(r"^&&&& PERF (?P<job>.+?)___(?P<scope>.+?)___size__(?P<bytes>\d+)___(?P<metric>\S+) "
                 r"(?P<value>\S+) [+-](?P<unit>\S+)$", re.M)
ENVIRONMENT = {"NVSHMEM_MACHINE_READABLE_OUTPUT": "1"}


def rows(output):
    """(job, scope, bytes) -> (value, unit), in the order printed."""
    return {(m["job"], m["scope"], int(m["bytes"])): (float(m["value"]), m["unit"]) for m in ROW.finditer(output)}


class Builder:
    """Compiles programs of a checkout; the code they share is compiled once."""

    def __init__(self, shmemu, checkout, work, flags=()):
        self.flags = flags
        self.shmemu, self.perftest, self.work = shmemu, pathlib.Path(checkout) / "perftest", pathlib.Path(work)
        self.common = None

    def build(self, source):
        """-> path of the program; raises CalledProcessError with what the compiler said."""
        if self.common is None:
            self.work.mkdir(parents=True, exist_ok=True)
            common = self.work / "utils.o"
            self._compile("-c", self.perftest / "common" / "utils.cu", "-o", common)
            self.common = common
        program = self.work / source.replace("/", "_").rsplit(".", 1)[0]
        self._compile(self.perftest / source, self.common, "-o", program)
        return program

    def _compile(self, *arguments):
        subprocess.run([self.shmemu, "cc", "-w", *self.flags, "-I", self.perftest / "common", *arguments], check=True,
                       capture_output=True, text=True)


def sizes(first, last, factor=2):
    out = []
    while first <= last:
        out.append(first)
        first *= factor
    return out


def must_print(tables):
    """A check of output: every (job, scope) of `tables` with each of its sizes, nothing else, numbers above 0."""
    expected = {(job, scope, b) for (job, scope), all_sizes in tables.items() for b in all_sizes}

    def check(output, pes):
        got = rows(output)
        missing, extra = expected - got.keys(), got.keys() - expected
        bad = [k for k, (value, _) in got.items() if not math.isfinite(value) or value <= 0]
        for what, keys in (("missing", missing), ("not expected", extra), ("not a positive number", bad)):
            if keys:
                return f"{len(keys)} rows {what}, first {min(keys)}"
        return None

    return check


def last_row(output):
    """The last number that the program has printed: 'shmem_put_bw_uni, 65536 B: 151.3 GB/sec'."""
    got = list(rows(output).items())
    if not got:
        return None
    (job, scope, size), (value, unit) = got[-1]
    return f"{job}{'' if scope == 'None' else ' ' + scope}, {size} B: {value} {unit}"


def some_rows(output, pes):
    """A check of output: rows, and numbers above 0 only."""
    got = rows(output)
    bad = [k for k, (value, _) in got.items() if not math.isfinite(value) or value <= 0]
    return f"not a positive number: {bad[0]}" if bad else None if got else "no row of a table"


def one_table(job, scope="None", first=8, last=4096):
    return {(job, scope): sizes(first, last)}


LATENCY = "-b 8 -e 4K -n 10 -w 2 -t 64"
BANDWIDTH = "-b 4K -e 64K -n 10 -w 2 -c 2 -t 64"
COLLECTIVE = "-b 8 -e 32K -n 5 -w 1 -t 64"
TILE = "-b 8 -e 256K -n 2 -w 1 -t 128"
ON_STREAM = "-b 8 -e 32K -n 5 -w 1"


def bandwidth(job):
    return one_table(job, first=4 << 10, last=64 << 10)


def atomic_runs(end_of_job):
    """One run per operation; the types differ: bitwise operations exist for unsigned types (and xor for int64_t)."""
    types = {"unsigned int": 4, "unsigned long": 8, "unsigned long long": 8, "uint32_t": 4, "uint64_t": 8}
    signed = {"int32_t": 4, "int": 4, "long": 8, "size_t": 8}
    out = []
    for op in ("inc", "fetch_inc", "set", "add", "fetch_add", "swap", "compare_swap", "and", "fetch_and", "or",
               "fetch_or", "xor", "fetch_xor"):
        kinds = types | ({"int64_t": 8} if "xor" in op else {} if op.split("_")[-1] in ("and", "or") else signed)
        out.append((f"-a {op}", {(f"shmem_at_{t}_{op}_{end_of_job(op)}", "None"): [b] for t, b in kinds.items()}))
    return out


def collective(job, last):
    """Tables of a device collective; `last` holds the largest size per scope of the 32-bit and the 64-bit table.

    A thread does fewer than 512 elements and a warp fewer than 4096, in each program in its own way.
    """
    return {(job, f"{bits}-bit-{scope}"): sizes(first, top)
            for bits, first, tops in last for scope, top in zip(("thread", "warp", "block"), tops)}


def reductions(job, last):
    return {(job, f"int{bits}-{op}-{scope}"): sizes(first, top)
            for bits, first, tops in last for scope, top in zip("twb", tops)
            for op in ("sum", "prod", "and", "or", "xor", "min", "max")}


def tiles(job, middle):
    """Tables of a tile program: 16-bit and 32-bit elements, by thread, warp, warpgroup and block."""
    last = {"t": (512, 1024), "w": (4096, 8192), "g": (65536, 131072), "b": (131072, 131072)}
    return {(job, f"{kind}-{middle}-{scope}"): sizes(16, top)
            for scope, tops in last.items() for kind, top in zip(("fp16", "float"), tops)}


def synchronisations(name):
    return {(f"{name}{which}_device", scope): [64] for which in ("", "_all") for scope in ("thread", "warp", "block")}


K = 1 << 10
# source below perftest/: [(arguments, tables)]
PROGRAMS = {
    "device/pt-to-pt/shmem_p_latency.cu": [(LATENCY, one_table("shmem_p_latency"))],
    "device/pt-to-pt/shmem_g_latency.cu": [(LATENCY, one_table("shmem_g_latency"))],
    "device/pt-to-pt/shmem_put_latency.cu": [
        (LATENCY, {("shmem_put_latency", s): sizes(8, 4 * K) for s in ("Thread", "Warp", "Block")})],
    "device/pt-to-pt/shmem_get_latency.cu": [
        (LATENCY, {("shmem_g_latency" if s == "Thread" else "shmem_get_latency", s): sizes(8, 4 * K)
                   for s in ("Thread", "Warp", "Block")})],
    "device/pt-to-pt/shmem_p_bw.cu": [(BANDWIDTH, bandwidth("shmem_p_bw"))],
    # with its default of int elements it reads four times the memory that it allocates
    "device/pt-to-pt/shmem_g_bw.cu": [(f"{BANDWIDTH} -d double", bandwidth("shmem_g_bw"))],
    "device/pt-to-pt/shmem_put_bw.cu": [(BANDWIDTH, bandwidth("shmem_put_bw_uni")),
                                        (f"{BANDWIDTH} --bidir", bandwidth("shmem_put_bw_bidi")),
                                        (f"{BANDWIDTH} -s warp", bandwidth("shmem_put_bw_uni")),
                                        (f"{BANDWIDTH} -s thread", bandwidth("shmem_put_bw_uni"))],
    "device/pt-to-pt/shmem_get_bw.cu": [(BANDWIDTH, bandwidth("shmem_get_bw_uni"))],
    "device/pt-to-pt/shmem_st_bw.cu": [(BANDWIDTH, bandwidth("shmem_st_bw"))],
    "device/pt-to-pt/shmem_atomic_bw.cu": [
        (f"{BANDWIDTH} -a {op}", bandwidth(f"shmem_atomic_{op}"))
        for op in ("inc", "fetch_inc", "set", "add", "fetch_add", "swap", "compare_swap", "and", "fetch_and", "or",
                   "fetch_or", "xor", "fetch_xor")],
    "device/pt-to-pt/shmem_atomic_latency.cu": atomic_runs(lambda op: "ping_lat"),
    "device/pt-to-pt/shmem_atomic_ping_pong_latency.cu": atomic_runs(
        lambda op: "ping_lat" if op in ("inc", "fetch_inc") else "lat"),
    "device/pt-to-pt/shmem_p_ping_pong_latency.cu": [(LATENCY, one_table("shmem_ping_pong_lat"))],
    "device/pt-to-pt/shmem_put_ping_pong_latency.cu": [(LATENCY, one_table("shmem_put_ping_lat"))],
    "device/pt-to-pt/shmem_put_signal_ping_pong_latency.cu": [(LATENCY, one_table("shmem_put_ping_lat"))],
    "device/pt-to-pt/shmem_put_atomic_ping_pong_latency.cu": [("", one_table("shmem_at_ping_lat", first=4, last=K * K))],
    "device/pt-to-pt/shmem_signal_ping_pong_latency.cu": [(LATENCY, {("shmem_sig_ping_lat", "None"): [8]})],
    "device/coll/barrier_latency.cu": [(COLLECTIVE, synchronisations("barrier"))],
    "device/coll/sync_latency.cu": [(COLLECTIVE, synchronisations("sync"))],
    "device/coll/bcast_latency.cu": [(COLLECTIVE, collective("bcast_device", [
        (32, 8, (1 * K, 8 * K, 32 * K)), (64, 8, (2 * K, 16 * K, 32 * K))]))],
    "device/coll/alltoall_latency.cu": [(COLLECTIVE, collective("alltoall_device", [
        (32, 8, (2 * K, 16 * K, 32 * K)), (64, 16, (4 * K, 32 * K, 32 * K))]))],
    "device/coll/fcollect_latency.cu": [(COLLECTIVE, collective("fcollect_device", [
        (32, 8, (2 * K, 16 * K, 32 * K)), (64, 16, (4 * K, 16 * K, 16 * K))]))],
    "device/coll/reduction_latency.cu": [(COLLECTIVE, reductions("device_reduction", [
        (32, 8, (1 * K, 8 * K, 16 * K)), (64, 8, (2 * K, 16 * K, 16 * K))]))],
    "device/coll/reducescatter_latency.cu": [(COLLECTIVE, reductions("device_reducescatter", [
        (32, 8, (2 * K, 16 * K, 16 * K)), (64, 16, (4 * K, 32 * K, 16 * K))]))],
    # its loops over sizes go up to 65535 elements whatever -e allocates
    "device/tile/tile_allreduce_latency.cu": [(TILE, tiles("device_reduction", "sum"))],
    "device/tile/tile_allgather_latency.cu": [(TILE, tiles("fcollect_device", "AG"))],
    "host/coll/barrier_on_stream.cpp": [(ON_STREAM, {("barrier_on_stream", "None"): [1]})],
    "host/coll/barrier_all_on_stream.cpp": [(ON_STREAM, {("barrier_all_on_stream", "None"): [1]})],
    "host/coll/sync_on_stream.cpp": [(ON_STREAM, {("sync_on_stream", "None"): [1]})],
    "host/coll/sync_all_on_stream.cpp": [(ON_STREAM, {("sync_all_on_stream", "None"): [1]})],
}
for _name, _scope in (("broadcast", "int"), ("alltoall", "int"), ("fcollect", "int"), ("reduction", "int-sum"),
                      ("reducescatter", "int-sum")):
    _tables = one_table(f"{_name}_on_stream", _scope, last=32 * K)
    PROGRAMS[f"host/coll/{_name}_on_stream.cpp"] = [(ON_STREAM, _tables), (f"{ON_STREAM} --cudagraph", _tables)]
PROGRAMS |= {
    "host/pt-to-pt/bw.cpp": [(f"-b 8 -e 4K -n 10 -w 2 --dir {d} --issue {i}", one_table("Bandwidth"))
                             for d in ("write", "read") for i in ("host", "on_stream")],
    "host/pt-to-pt/latency.cpp": [(f"-b 8 -e 4K -n 10 -w 2 --dir {d} --issue {i}", one_table("Latency"))
                                  for d in ("write", "read") for i in ("host", "on_stream")],
    "host/pt-to-pt/stream_latency.cu": [
        (f"-s 8 -S 4096 -n 5 -d {d}", {("Stream_Latency", f"{w} _on_stream"): sizes(8, 4 * K)
                                       for w in ("with", "without")}) for d in (0, 1)],
    "host/init/malloc.cpp": [("", {("malloc", "None"): sizes(1 << 30, 16 << 30)})],
}
