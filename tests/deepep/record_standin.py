#!/usr/bin/env python3
"""tools/deepep_record.py around a stand-in Buffer, then `shmemu deepep --trace` on what it wrote.

Usage: record_standin.py <shmemu> <folder of deepep_record.py>
"""
import json
import pathlib
import random
import subprocess
import sys
import tempfile


class Tensor:  # what the recorder asks of a tensor
    def __init__(self, shape, rows=None):
        self.shape, self.rows = shape, rows

    def copy(self):
        return Tensor(self.shape, [list(row) for row in self.rows])

    def tolist(self):
        return self.rows


class Config:
    num_sms, num_max_nvl_chunked_send_tokens, num_max_nvl_chunked_recv_tokens = 24, 8, 256


def buffer_class():
    class Buffer:
        def __init__(self, rank, ranks):
            self.rank, self.group_size = rank, ranks

        def get_dispatch_layout(self, topk_idx, num_experts):
            return Tensor((1,)), None, Tensor((num_experts,)), None, None

        def dispatch(self, x, handle=None, topk_idx=None, num_tokens_per_expert=None, config=None):
            return x, topk_idx, None

        def combine(self, x, handle, config=None):
            return x, None, None

        def low_latency_dispatch(self, x, topk_idx, num_max_dispatch_tokens_per_rank, num_experts, use_fp8=True, return_recv_hook=False):
            return x, None, "handle", None, (lambda: "hooked") if return_recv_hook else None

        def low_latency_combine(self, x, topk_idx, topk_weights, handle, use_logfmt=False, return_recv_hook=False):
            return x, None, (lambda: None) if return_recv_hook else None
    return Buffer


def record(module, folder, rank, ranks):
    buffer = buffer_class()
    module.start(folder, buffer)
    b = buffer(rank, ranks)
    source = random.Random(rank)
    x = Tensor((64, 7168))
    topk_idx = Tensor((64, 8), [source.sample(range(64), 8) for _ in range(64)])
    out = b.low_latency_dispatch(x, topk_idx, 128, 64, return_recv_hook=True)
    assert out[4]() == "hooked"  # the results stay what they were
    b.low_latency_combine(x, topk_idx, None, out[2])
    layout = b.get_dispatch_layout(topk_idx, 64)
    assert len(layout) == 5
    received, back, _ = b.dispatch((x, x), topk_idx=topk_idx, num_tokens_per_expert=layout[2], config=Config)
    assert back is topk_idx
    b.combine(received[0], None, config=Config)
    b.dispatch(x, handle=("a", "cached", "one"), config=Config)  # routing as before
    module.stop()
    b.combine(x, None)  # no longer recorded


def main(shmemu, tools):
    sys.path.insert(0, tools)
    import deepep_record
    with tempfile.TemporaryDirectory() as folder:
        for rank in range(4):
            record(deepep_record, folder, rank, 4)
        lines = [json.loads(line) for line in (pathlib.Path(folder) / "rank_0002.jsonl").read_text().splitlines()]
        assert lines[0]["format"] == "shmemu.deepep" and lines[0]["rank"] == 2 and lines[0]["ranks"] == 4, lines[0]
        assert [line["op"] for line in lines[1:]] == ["dispatch", "combine", "layout", "dispatch", "combine", "dispatch"], lines
        assert lines[1]["mode"] == "ll" and lines[1]["hook"] and lines[1]["topk"] == 8 and lines[1]["experts"] == 64
        assert lines[4]["mode"] == "ht" and lines[4]["dtype"] == "fp8" and lines[4]["nvl_chunk"] == 8 and lines[4]["nvl_ring"] == 256
        assert lines[6]["cached"] is False if "cached" in lines[6] else lines[6]["topk"] == 8
        out = subprocess.run([shmemu, "deepep", "--trace", folder, "-p", "hgx-h200", "--json"], capture_output=True, text=True)
        assert out.returncode == 0, out.stderr
        rows = json.loads(out.stdout)["calls"]
        assert [(r["call"], r["op"]) for r in rows] == [(0, "dispatch"), (0, "combine"), (1, "dispatch"), (1, "combine"), (2, "dispatch")], rows
        assert all(r["predicted_us"] > 5 and len(r["predicted_per_rank_us"]) == 4 for r in rows), rows

        broken = pathlib.Path(folder) / "rank_0002.jsonl"
        text = broken.read_text()
        for change, reason in ((text[:-40], "cut off"), (text.replace('"topk": 8', '"topk": 4'), "same operation"),
                               (text.replace('"version": 1', '"version": 7'), "version 7"), ("", "is empty")):
            broken.write_text(change)
            out = subprocess.run([shmemu, "deepep", "--trace", folder, "-p", "hgx-h200"], capture_output=True, text=True)
            assert out.returncode == 2 and reason in out.stderr and "rank_0002" in out.stderr, (reason, out.returncode, out.stderr)
        broken.unlink()
        out = subprocess.run([shmemu, "deepep", "--trace", folder, "-p", "hgx-h200"], capture_output=True, text=True)
        assert out.returncode == 2 and "no file of rank 2" in out.stderr, out.stderr
    print("ok")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
