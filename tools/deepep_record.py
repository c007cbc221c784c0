"""Records DeepEP calls of a running job, for `shmemu deepep --trace DIR`.

    import deepep_record                      # before deep_ep.Buffer is made
    deepep_record.start("trace")              # or: SHMEMU_DEEPEP_TRACE=trace in the environment
    …                                         # the job; wraps dispatch, combine, low_latency_*, get_dispatch_layout
    deepep_record.stop()                      # also at exit

Writes DIR/rank_<r>.jsonl (a header, then a line per call) and DIR/rank_<r>_call_<n>.npy (topk_idx of a dispatch). Start and end are CUDA
events on the current stream, placed on the host's clock; without CUDA (tests) the host's clock alone. A call with a hook ends when the hook
has run. Costs: two events, a copy of topk_idx to the host when the file is written (at stop).
"""
import array
import atexit
import functools
import json
import os
import sys
import time

VERSION = 1
_recorder = None


def _clock_us():
    return time.time_ns() / 1000.0


class _HostEvent:
    """Stands in for a CUDA event."""

    def record(self):
        self.at = _clock_us()

    def us(self, base):
        return self.at


class _CudaEvent:
    def __init__(self, torch):
        self.event = torch.cuda.Event(enable_timing=True)

    def record(self):
        self.event.record()

    def us(self, base):
        return base[1] + base[0].elapsed_time(self.event) * 1000.0


class Recorder:
    def __init__(self, folder, torch=None):
        self.folder, self.torch, self.calls, self.buffer = folder, torch, [], None
        os.makedirs(folder, exist_ok=True)
        self.base = None
        if torch is not None:
            torch.cuda.synchronize()
            base = torch.cuda.Event(enable_timing=True)
            base.record()
            base.synchronize()
            self.base = (base, _clock_us())

    def event(self):
        return _CudaEvent(self.torch) if self.torch is not None else _HostEvent()

    def begin(self, buffer, line, topk_idx=None):
        self.buffer = buffer
        call = {"line": line, "topk_idx": None if topk_idx is None else _copy(topk_idx), "start": self.event(), "end": self.event()}
        call["start"].record()
        self.calls.append(call)
        return call

    def write(self):
        if not self.calls:
            return
        if self.torch is not None:
            self.torch.cuda.synchronize()
        rank, ranks = _rank_of(self.buffer)
        name = os.path.join(self.folder, f"rank_{rank:04d}")
        with open(name + ".jsonl.part", "w", encoding="utf-8") as file:
            header = {"format": "shmemu.deepep", "version": VERSION, "rank": rank, "ranks": ranks,
                      "gpus_per_node": min(ranks, int(os.environ.get("LOCAL_WORLD_SIZE", 8))), "library": _library()}
            file.write(json.dumps(header) + "\n")
            for number, call in enumerate(self.calls):
                line = {"call": number, **call["line"], "start_us": call["start"].us(self.base), "end_us": call["end"].us(self.base)}
                if call["topk_idx"] is not None:
                    line["topk_idx_file"] = f"{os.path.basename(name)}_call_{number:05d}.npy"
                    _save_npy(os.path.join(self.folder, line["topk_idx_file"]), call["topk_idx"].tolist())
                file.write(json.dumps(line) + "\n")
        os.replace(name + ".jsonl.part", name + ".jsonl")  # a job that dies leaves no half trace


def _save_npy(path, rows):
    """[tokens, k] as little-endian int16, without NumPy."""
    values = array.array("h", (v for row in rows for v in row))
    if sys.byteorder == "big":
        values.byteswap()
    shape = f"({len(rows)}, {len(rows[0]) if rows else 0})"
    header = f"{{'descr': '<i2', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode("ascii") + values.tobytes())


def _copy(topk_idx):
    return topk_idx.clone() if hasattr(topk_idx, "clone") else topk_idx.copy()


def _rank_of(buffer):
    rank = getattr(buffer, "rank", 0)
    return int(rank), int(getattr(buffer, "group_size", 1))


def _library():
    try:
        import importlib.metadata
        return "deep_ep " + importlib.metadata.version("deep_ep")
    except Exception:
        return "deep_ep"


def _tensor_of(x):
    return x[0] if isinstance(x, tuple) else x


def _type_of(x):
    return "fp8" if isinstance(x, tuple) or "float8" in str(getattr(x, "dtype", "")) else "bf16"


def _config_of(config):
    names = {"num_sms": "num_sms", "num_max_nvl_chunked_send_tokens": "nvl_chunk", "num_max_nvl_chunked_recv_tokens": "nvl_ring",
             "num_max_rdma_chunked_send_tokens": "rdma_chunk", "num_max_rdma_chunked_recv_tokens": "rdma_ring"}
    return {ours: int(getattr(config, theirs)) for theirs, ours in names.items() if hasattr(config, theirs)} if config is not None else {}


def _finish(call, result):
    """Ends the call now, or when the hook among its results has run."""
    items = list(result) if isinstance(result, tuple) else [result]
    for i, item in enumerate(items):
        if callable(item) and not hasattr(item, "shape"):
            def hooked(hook=item):
                out = hook()
                call["end"].record()
                return out
            call["line"]["hook"] = True
            items[i] = hooked
            call["end"].record()  # until the hook runs: the end of the send phase
            return tuple(items)
    call["end"].record()
    return result


def _wrap(method, name):
    @functools.wraps(method)
    def call_it(self, *args, **kwargs):
        recorder = _recorder
        if recorder is None:
            return method(self, *args, **kwargs)
        bound = _arguments(method, self, args, kwargs)
        call = recorder.begin(self, *_describe(name, self, bound))
        result = method(self, *args, **kwargs)
        if name == "dispatch" and call["topk_idx"] is None:
            call["line"]["cached"] = True
        return _finish(call, result)
    call_it.deepep_record = method
    return call_it


def _arguments(method, self, args, kwargs):
    import inspect
    try:
        bound = inspect.signature(method).bind(self, *args, **kwargs)
        bound.apply_defaults()
        return dict(bound.arguments)
    except TypeError:
        return dict(kwargs)


def _describe(name, buffer, a):
    """The line of a call and its topk_idx."""
    if name == "get_dispatch_layout":
        return {"op": "layout", "mode": "ht"}, None
    if name == "low_latency_dispatch":
        x = a["x"]
        line = {"op": "dispatch", "mode": "ll", "tokens": int(x.shape[0]), "hidden": int(x.shape[1]), "topk": int(a["topk_idx"].shape[1]),
                "experts": int(a["num_experts"]), "dtype": "fp8" if a.get("use_fp8", True) else "bf16"}
        buffer._shmemu_last = line
        return line, a["topk_idx"]
    if name == "low_latency_combine":
        x = a["x"]
        line = dict(getattr(buffer, "_shmemu_last", {}), op="combine", mode="ll", hidden=int(x.shape[-1]),
                    dtype="logfmt" if a.get("use_logfmt") else "bf16")
        return line, None
    x = _tensor_of(a["x"])
    line = {"op": name, "mode": "ht", "tokens": int(x.shape[0]), "hidden": int(x.shape[1]), "dtype": _type_of(a["x"]),
            **_config_of(a.get("config"))}
    topk_idx = a.get("topk_idx")
    if name == "dispatch":
        if topk_idx is None:  # a cached handle: the routing is that of the dispatch that made it
            last = getattr(buffer, "_shmemu_last", None)
            if last is not None:
                line.update({k: last["line"][k] for k in ("topk", "experts")})
                topk_idx = last["topk_idx"]
        else:
            experts = a.get("num_tokens_per_expert")
            line.update(topk=int(topk_idx.shape[1]), experts=int(experts.shape[0]) if experts is not None else int(topk_idx.max()) + 1)
        if topk_idx is not None:
            buffer._shmemu_last = {"line": line, "topk_idx": topk_idx}
    return line, topk_idx


_WRAPPED = ("dispatch", "combine", "low_latency_dispatch", "low_latency_combine", "get_dispatch_layout")


def start(folder, buffer_class=None, torch=None):
    """Wraps deep_ep.Buffer (or `buffer_class`) and records from now on."""
    global _recorder
    if buffer_class is None:
        import deep_ep
        import torch as real_torch
        buffer_class, torch = deep_ep.Buffer, real_torch
    for name in _WRAPPED:
        method = getattr(buffer_class, name, None)
        if method is not None and not hasattr(method, "deepep_record"):
            setattr(buffer_class, name, _wrap(method, name))
    _recorder = Recorder(folder, torch)
    return _recorder


def stop():
    """Writes what was recorded; further calls are not recorded."""
    global _recorder
    recorder, _recorder = _recorder, None
    if recorder is not None:
        recorder.write()


atexit.register(stop)
if os.environ.get("SHMEMU_DEEPEP_TRACE"):
    start(os.environ["SHMEMU_DEEPEP_TRACE"])
