#!/usr/bin/env python3
"""Writes docs/api.md from nvshmem_names.txt: one row per family of names, its status and the test that exercises it;
and from src/emu/api/limits.def what releases refuse and shmemu does.

  write_api_page.py [--check]   with --check it only compares, and fails if the page is not what it would write

A name that belongs to no family, or a family whose test does not exist, is an error.
"""
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs" / "api.md"
TESTS = HERE.parent
LIMITS = HERE.parents[1] / "src" / "emu" / "api" / "limits.def"
TYPE = ("bfloat16|half|float|double|char|schar|short|int|long|longlong|uchar|ushort|uint|ulong|ulonglong|int8|int16|int32"
        "|int64|uint8|uint16|uint32|uint64|size|ptrdiff")

# (family: TYPE, SIZE, OP and SCOPE stand for lists; status; tests)
FAMILIES = [
    ("TYPE_put|TYPE_get|TYPE_put_nbi|TYPE_get_nbi|TYPE_p|TYPE_g|TYPE_iput|TYPE_iget", "works",
     ["behaviour/rma_device.cu", "behaviour/rma_host.cu"]),
    ("putSIZE|getSIZE|putSIZE_nbi|getSIZE_nbi", "works", ["behaviour/rma_host.cu"]),
    ("iputSIZE|igetSIZE", "works", ["behaviour/rma_sized.cu"]),
    ("TYPE_put_signal(?:_nbi)?", "works", ["behaviour/rma_device.cu", "behaviour/rma_host.cu"]),
    ("putSIZE_signal(?:_nbi)?|put6_signal(?:_nbi)?", "works (the 16-bit forms with a scope are spelt put6 in 3.3.9)",
     ["behaviour/rma_sized.cu"]),
    ("signal_op|signal_fetch|signal_wait_until", "works", ["behaviour/atomics.cu", "behaviour/rma_host.cu"]),
    ("TYPE_atomic_(?:add|inc|fetch_add|fetch_inc)",
     "works (differs: ulong and long keep their 64 bits over NVLink)", ["behaviour/atomics.cu"]),
    ("TYPE_atomic_(?:set|fetch|swap|compare_swap)", "works", ["behaviour/atomics.cu"]),
    ("TYPE_atomic_(?:fetch_)?(?:and|or|xor)", "works", ["behaviour/atomics.cu"]),
    ("TYPE_(?:wait_until|test)(?:_all|_any|_some)?(?:_vector)?", "works", ["behaviour/atomics.cu"]),
    ("fence|quiet", "works", ["litmus_test.cpp", "behaviour/rma_device.cu"]),
    ("barrier|barrier_all|barrier_warpgroup|team_sync|sync_all", "works", ["behaviour/collectives_move.cu"]),
    ("TYPE_(?:broadcast|fcollect|alltoall)|(?:broadcast|fcollect|alltoall)mem", "works", ["behaviour/collectives_move.cu"]),
    ("TYPE_OP_reduce|TYPE_OP_reducescatter",
     "works (half and bfloat16 are combined in float, every step rounded to nearest even)",
     ["behaviour/collectives_reduce.cu"]),
    ("double2_maxloc_reduce", "works (differs: of equal values the smallest place wins)",
     ["behaviour/collectives_reduce.cu"]),
    ("team_(?:my_pe|n_pes|translate_pe|get_config|split_strided|split_2d|destroy|get_uniqueid|init)",
     "works (differs: team_translate_pe refuses src_pe == size; splits with a bad start, stride or size return non-zero; "
     "a stride must be at least 1, as in 3.3.9)", ["behaviour/teams.cu", "reported/team_of_team.cu"]),
    ("malloc|free|ptr|align", "works", ["api/check_nvshmem_names.py", "malformed_test.cpp"]),
    ("calloc", "works (differs: clears count times size bytes, 3.3.9 forgets count)", ["malformed_test.cpp"]),
    ("buffer_(?:un)?register|buffer_unregister_all|buffer_(?:un)?register_symmetric", "works", ["behaviour/registration.cu"]),
    ("mc_ptr", "works (differs: always null, as on a platform without multicast)", ["behaviour/registration.cu"]),
    ("init|init_thread|query_thread|finalize|global_exit|my_pe|n_pes|hostlib_finalize|init_status", "works",
     ["malformed_test.cpp", "front_ends/mpi_init.cu"]),
    ("(?:hostlib_)?init_attr|get_uniqueid|set_attr_uniqueid_args|set_attr_mpi_comm_args", "works",
     ["front_ends/mpi_init.cu", "front_ends/unique_id.cu"]),
    ("info_get_version|info_get_name|vendor_get_version_info", "works", ["api/check_nvshmem_names.py"]),
    ("cumodule_(?:init|finalize)|culibrary_(?:init|finalize)", "works (differs: nothing has to be set up for a module)",
     ["api/check_nvshmem_names.py"]),
    ("collective_launch(?:_query_gridsize)?", "works", ["malformed/collective_launch_too_large.cu"]),
    ("qp_(?:create|signal_op|quiet|fence)|qp_TYPE_(?:put|get)(?:_nbi)?|qp_TYPE_(?:p|g)|qp_TYPE_put_signal(?:_nbi)?",
     "works (3.5; queue pairs of their own with IBGDA, elsewhere every handle is the default one, as in that release)",
     ["behaviour/queue_pairs.cu", "reported/queue_pair_order.cu"]),
]
EXTRA = [
    ("nvshmemx::tile_{sum,min,max}_{allreduce,reduce}, tile_allgather, tile_collective_wait (thread, warp, warpgroup, block)", 32,
     "works (differs: by puts and gets instead of multicast)", ["behaviour/tile.cu"]),
    ("nvshmemx::tile_{put,get,broadcast}, tile_{sum,min,max}_rooted_reduce (3.5)", 24, "works", ["behaviour/tile.cu"]),
]


def pattern(family):
    p = family.replace("TYPE", f"(?:{TYPE})").replace("SIZE", r"(?:8|16|32|64|128|mem)")
    p = p.replace("OP", "(?:and|or|xor|sum|prod|min|max)")
    return re.compile(f"nvshmemx?_(?:{p})(?:_warp|_block)?(?:_on_stream)?")


def readable(family):
    return re.sub(r"\(\?:|\)", lambda m: "(" if m[0] != ")" else ")", family).replace("|", " \\| ")


def limits():
    """The rows of limits.def: name, calls, where, 3.3.9, 3.5, remedy."""
    text = "\n".join(l for l in LIMITS.read_text().splitlines() if not l.startswith("//"))
    rows = re.findall(r'LIMIT\((\w+),((?:\s*"[^"]*",?)+)\)', text)
    if len(rows) != text.count("LIMIT("):
        sys.exit(f"{LIMITS} has a row that cannot be read")
    return [[name, *re.findall(r'"([^"]*)"', words)] for name, words in rows]


def main():
    names = [l.split("\t") for l in (HERE / "nvshmem_names.txt").read_text().splitlines() if l and l[0] != "#"]
    rows, left = [], dict(names)
    for family, status, tests in FAMILIES:
        found = [n for n in left if pattern(family).fullmatch(n)]
        if not found:
            sys.exit(f"no name belongs to the family {family}")
        where = [left.pop(n) for n in found]
        places = ", ".join(w for w in ("host", "host+device", "device", "on_stream") if w in where)
        rows.append((readable(family), len(found), places, status, tests))
    if left:
        sys.exit("names of no family: " + " ".join(sorted(left)[:20]))
    rows += [(names_, count, "device", status, tests) for names_, count, status, tests in EXTRA]
    for row in rows:
        for test in row[4]:
            if not (TESTS / test).exists():
                sys.exit(f"the test {test} does not exist")
    out = ["# The NVSHMEM API", "",
           "Written by `tests/api/write_api_page.py` from the list of names that `api.nvshmem_names` compiles, links and runs.",
           "Names without their prefix `nvshmem_` or `nvshmemx_` and without `_warp`, `_block`, `_on_stream`; TYPE, SIZE and OP are lists.",
           "Release 3.3.9 unless said. *differs* says where the default is the documented meaning instead of what 3.3.9 does.", "",
           "| names | number | where | status | test |", "| --- | ---: | --- | --- | --- |"]
    out += [f"| {n} | {c} | {w} | {s} | {', '.join('`tests/' + t + '`' for t in ts)} |" for n, c, w, s, ts in rows]
    out += ["", f"{sum(r[1] for r in rows)} names. Out of scope are the names that 3.3.9 declares and implements nowhere: `TYPE_alltoalls`, `realloc`,",
            "and the signed 64-bit `atomic_add`, `fetch_add`, `inc`, `fetch_inc` other than `long`.", ""]
    out += ["## What NVSHMEM refuses", "",
            "shmemu does what these calls ask for, and says so: the finding `plat.unsupported` with the call, the path and the remedy,",
            "unless release 3.5 can do it. `shmemu run --as 3.3.9` and `--as 3.5` end the call as that release ends it. The host has",
            "no `put_signal` in either release.", "",
            "| calls | where | 3.3.9 | 3.5 | instead | test |", "| --- | --- | --- | --- | --- | --- |"]
    for name, calls, where, old, new, remedy in limits():
        if not (TESTS / "limits" / f"{name}.cu").exists():
            sys.exit(f"the limit {name} has no program in tests/limits")
        out.append(f"| {calls} | {where} | {old} | {new or 'works'} | {remedy} | `tests/limits/{name}.cu` |")
    text = "\n".join(out + [""])
    if "--check" in sys.argv:
        if PAGE.read_text() != text:
            sys.exit("docs/api.md is not what the list of names says: run tests/api/write_api_page.py")
    else:
        PAGE.write_text(text)


if __name__ == "__main__":
    main()
