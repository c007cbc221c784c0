#!/usr/bin/env python3
"""Checks that include/nvshmem*.h has every name of nvshmem_names.txt, with its type, callable from the right side.

The expected type of a name is derived here from the name alone, independently of the X-macros of the headers. Writes
a .cu file of static_asserts and compiles it (syntax only) for the device, for the host, and, with the names a host may
call, as plain C++ and plain C. With --shmemu the file becomes a program that keeps the address of every name, which is
compiled, linked, loaded and run.

  check_nvshmem_names.py [--include DIR]... [--clang clang++-19] [--keep FILE] [--shmemu build/bin/shmemu]
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent

TYPES = {
    "bfloat16": "__nv_bfloat16", "half": "half", "float": "float", "double": "double", "char": "char",
    "schar": "signed char", "short": "short", "int": "int", "long": "long", "longlong": "long long",
    "uchar": "unsigned char", "ushort": "unsigned short", "uint": "unsigned int", "ulong": "unsigned long",
    "ulonglong": "unsigned long long", "int8": "int8_t", "int16": "int16_t", "int32": "int32_t", "int64": "int64_t",
    "uint8": "uint8_t", "uint16": "uint16_t", "uint32": "uint32_t", "uint64": "uint64_t", "size": "size_t",
    "ptrdiff": "ptrdiff_t",
}
TYPE = "(?P<type>" + "|".join(sorted(TYPES, key=len, reverse=True)) + ")"
GROUP = "(?:_warp|_block)?"  # scopes do not change the parameters; on_stream appends the stream
TEAM = "nvshmem_team_t"
CONFIG = "nvshmem_team_config_t"

# (pattern of the name without nvshmem_/nvshmemx_ and without _on_stream, function type; T stands for the element type)
RULES = [
    (TYPE + "_(?:put|get)(?:_nbi)?" + GROUP, "void(T *, const T *, size_t, int)"),
    (TYPE + "_p", "void(T *, const T, int)"),
    (TYPE + "_g", "T(const T *, int)"),
    (TYPE + "_i(?:put|get)" + GROUP, "void(T *, const T *, ptrdiff_t, ptrdiff_t, size_t, int)"),
    (TYPE + "_put_signal(?:_nbi)?" + GROUP, "void(T *, const T *, size_t, uint64_t *, uint64_t, int, int)"),
    (r"(?:put|get)(?:\d+|mem)(?:_nbi)?" + GROUP, "void(void *, const void *, size_t, int)"),
    (r"i(?:put|get)\d+" + GROUP, "void(void *, const void *, ptrdiff_t, ptrdiff_t, size_t, int)"),
    (r"put(?:\d+|mem)_signal(?:_nbi)?" + GROUP,
     "void(void *, const void *, size_t, uint64_t *, uint64_t, int, int)"),
    (TYPE + "_(?:fcollect|alltoall)" + GROUP, f"int({TEAM}, T *, const T *, size_t)"),
    (TYPE + "_(?:and|or|xor|sum|prod|min|max)_reduce(?:scatter)?" + GROUP, f"int({TEAM}, T *, const T *, size_t)"),
    (TYPE + "_broadcast" + GROUP, f"int({TEAM}, T *, const T *, size_t, int)"),
    ("(?:fcollect|alltoall)mem" + GROUP, f"int({TEAM}, void *, const void *, size_t)"),
    ("broadcastmem" + GROUP, f"int({TEAM}, void *, const void *, size_t, int)"),
    ("(?:barrier|team_sync)" + GROUP, f"int({TEAM})"),
    ("barrier_warpgroup", f"int({TEAM})"),
    ("(?:barrier|sync)_all" + GROUP, "void()"),
    ("double2_maxloc_reduce_block", f"int({TEAM}, double2 *, const double2 *, size_t)"),
    (TYPE + "_atomic_(?:add|set|and|or|xor)", "void(T *, T, int)"),
    (TYPE + "_atomic_inc", "void(T *, int)"),
    (TYPE + "_atomic_(?:fetch_(?:add|and|or|xor)|swap)", "T(T *, T, int)"),
    (TYPE + "_atomic_fetch_inc", "T(T *, int)"),
    (TYPE + "_atomic_fetch", "T(const T *, int)"),
    (TYPE + "_atomic_compare_swap", "T(T *, T, T, int)"),
    (TYPE + "_wait_until", "void(T *, int, T)"),
    (TYPE + "_wait_until_all", "void(T *, size_t, const int *, int, T)"),
    (TYPE + "_wait_until_all_vector", "void(T *, size_t, const int *, int, T *)"),
    (TYPE + "_test", "int(T *, int, T)"),
    (TYPE + "_test_all", "int(T *, size_t, const int *, int, T)"),
    (TYPE + "_test_all_vector", "int(T *, size_t, const int *, int, T *)"),
    (TYPE + "_(?:wait_until|test)_any", "size_t(T *, size_t, const int *, int, T)"),
    (TYPE + "_(?:wait_until|test)_any_vector", "size_t(T *, size_t, const int *, int, T *)"),
    (TYPE + "_(?:wait_until|test)_some", "size_t(T *, size_t, size_t *, const int *, int, T)"),
    (TYPE + "_(?:wait_until|test)_some_vector", "size_t(T *, size_t, size_t *, const int *, int, T *)"),
    ("signal_fetch", "uint64_t(uint64_t *)"),
    ("signal_op", "void(uint64_t *, uint64_t, int, int)"),
    ("fence|quiet|init|finalize|hostlib_finalize|buffer_unregister_all", "void()"),
    ("my_pe|n_pes|init_status", "int()"),
    ("init_thread", "int(int, int *)"),
    ("query_thread", "void(int *)"),
    ("global_exit", "void(int)"),
    ("info_get_version", "void(int *, int *)"),
    ("info_get_name", "void(char *)"),
    ("vendor_get_version_info", "void(int *, int *, int *)"),
    ("(?:hostlib_)?init_attr", "int(unsigned int, nvshmemx_init_attr_t *)"),
    ("get_uniqueid", "int(nvshmemx_uniqueid_t *)"),
    ("set_attr_uniqueid_args", "int(int, int, const nvshmemx_uniqueid_t *, nvshmemx_init_attr_t *)"),
    ("set_attr_mpi_comm_args", "int(void *, nvshmemx_init_attr_t *)"),
    ("malloc", "void *(size_t)"),
    ("calloc|align", "void *(size_t, size_t)"),
    ("free", "void(void *)"),
    ("ptr", "void *(const void *, int)"),
    ("mc_ptr", f"void *({TEAM}, const void *)"),
    ("buffer_register", "int(void *, size_t)"),
    ("buffer_unregister", "int(void *)"),
    ("buffer_register_symmetric", "void *(void *, size_t, int)"),
    ("buffer_unregister_symmetric", "int(void *, size_t)"),
    ("team_(?:my_pe|n_pes)", f"int({TEAM})"),
    ("team_translate_pe", f"int({TEAM}, int, {TEAM})"),
    ("team_get_config", f"void({TEAM}, {CONFIG} *)"),
    ("team_split_strided", f"int({TEAM}, int, int, int, const {CONFIG} *, long, {TEAM} *)"),
    ("team_split_2d", f"int({TEAM}, int, const {CONFIG} *, long, {TEAM} *, const {CONFIG} *, long, {TEAM} *)"),
    ("team_destroy", f"void({TEAM})"),
    ("team_get_uniqueid", "int(nvshmemx_team_uniqueid_t *)"),
    ("team_init", f"int({TEAM} *, {CONFIG} *, long, int, int)"),
    ("qp_create", "int(int, nvshmemx_qp_handle_t **)"),
    ("qp_(?:quiet|fence)" + GROUP, "void(int, nvshmemx_qp_handle_t *, int)"),
    ("collective_launch", "int(const void *, dim3, dim3, void **, size_t, cudaStream_t)"),
    ("collective_launch_query_gridsize", "int(const void *, dim3, void **, size_t, int *)"),
    ("cumodule_(?:init|finalize)", "int(struct CUmod_st *)"),
    ("culibrary_(?:init|finalize)", "int(struct CUlib_st *)"),
]
# differs between the device form (returns the value) and the stream form
SIGNAL_WAIT = {True: "void(uint64_t *, int, uint64_t, cudaStream_t)", False: "uint64_t(uint64_t *, int, uint64_t)"}


def function_type(name):
    """The C++ function type that `name` must have."""
    core = re.sub("^nvshmemx?_", "", name)
    on_stream = core.endswith("_on_stream")
    core = core.removesuffix("_on_stream")
    if core.startswith("qp_") and core.split("_")[1] not in ("create", "quiet", "fence"):  # the same with a handle
        return function_type("nvshmem_" + core.removeprefix("qp_"))[:-1] + ", nvshmemx_qp_handle_t)"
    if core == "signal_wait_until":
        return SIGNAL_WAIT[on_stream]
    for pattern, result in RULES:
        match = re.fullmatch(pattern, core)
        if not match:
            continue
        if "type" in match.groupdict():
            result = re.sub(r"\bT\b", TYPES[match["type"]], result)
        if on_stream:
            result = result[:-1] + ("cudaStream_t)" if result.endswith("()") else ", cudaStream_t)")
        return result
    sys.exit(f"no rule gives the type of {name}")


def read_names():
    lines = (HERE / "nvshmem_names.txt").read_text().splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def cuda_source(names):
    out = ["#include <nvshmem.h>", "#include <nvshmemx.h>", "template <class A, class B> struct same;",
           "template <class A> struct same<A, A> { static constexpr bool value = true; };",
           "template <class T> __host__ __device__ inline void use(T *f) {",
           "  const void *volatile kept = reinterpret_cast<const void *>(f);", "  (void)kept;", "}"]
    out += [f"static_assert(same<decltype({name}), {function_type(name)}>::value, \"type of {name}\");"
            for name, _ in names]
    out.append("__global__ void from_device() {")
    out += [f"  use(&{name});" for name, where in names if where in ("device", "host+device")]
    out += ["}", "void from_host() {"]
    out += [f"  use(&{name});" for name, where in names if where != "device"]
    out += ["}", "int main() {", "  nvshmem_init();", "  from_host();", "  from_device<<<1, 1>>>();",
            "  return cudaDeviceSynchronize();", "}", ""]
    return "\n".join(out)


def link_and_run(shmemu, source):
    """The exit code of the program."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "names.cu"
        path.write_text(source)
        program = path.with_suffix("")
        status = subprocess.run([shmemu, "cc", "-O1", path, "-o", program], check=False).returncode
        return status or subprocess.run([shmemu, "run", "-q", "-n", "1", program], check=False).returncode


def host_source(names, language):
    def visible(name):
        return language == "c++" or not re.search("_(half|bfloat16)_", name)
    out = ["#include <nvshmem.h>", "#include <nvshmemx.h>", "void from_host(void) {"]
    out += [f"  (void)&{name};" for name, where in names if where != "device" and visible(name)]
    return "\n".join(out + ["}", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--include", action="append", help="folder of nvshmem.h; may be repeated")
    parser.add_argument("--clang", default="clang++-19")
    parser.add_argument("--keep", help="write the CUDA source there as well")
    parser.add_argument("--shmemu", help="compile, link and run with this shmemu as well")
    parser.add_argument("--no-c", action="store_true", help="leave out the plain C pass")
    options = parser.parse_args()
    includes = ["-I" + folder for folder in options.include or [str(HERE.parents[1] / "include")]]
    names = read_names()
    if options.keep:
        pathlib.Path(options.keep).write_text(cuda_source(names))
    cuda = ["-x", "cuda", "--cuda-gpu-arch=sm_90", "--cuda-path=/nonexistent", "-nocudainc", "-nocudalib",
            "-include", "cuda_runtime.h", "-Xclang", "-target-sdk-version=12.3"]
    passes = [("device", cuda_source(names), cuda + ["--cuda-device-only"]),
              ("host", cuda_source(names), cuda + ["--cuda-host-only"]),
              ("plain C++", host_source(names, "c++"), ["-x", "c++"]),
              ("plain C", host_source(names, "c"), ["-x", "c"])]
    failed = 0
    for what, source, flags in passes[:3] if options.no_c else passes:
        with tempfile.NamedTemporaryFile("w", suffix=".cu") as file:
            file.write(source)
            file.flush()
            command = [options.clang, *flags, *includes, "-fsyntax-only", "-ferror-limit=0", file.name]
            status = subprocess.run(command, check=False).returncode
        print(f"{what}: {'ok' if status == 0 else 'failed'}, {len(names)} names")
        failed |= status
    if options.shmemu:
        status = link_and_run(options.shmemu, cuda_source(names))
        print(f"linked and run: {'ok' if status == 0 else 'failed'}, {len(names)} names")
        failed |= status
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
