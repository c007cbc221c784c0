#!/usr/bin/env python3
"""NCCL's collectives on the GPUs of one node: collective,gpus,bytes,us (median of the slowest rank's events).

    NCCL_NVLS_ENABLE=0 torchrun --nproc-per-node N nccl_probe.py > h200xN_nccl.csv

`bytes` is the size that nccl-tests would print: all of the larger buffer of a rank.
"""
import os

import torch
import torch.distributed as dist


def main():
    rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", device_id=torch.device("cuda", rank))
    n = dist.get_world_size()
    most = 256 << 20
    a = torch.zeros(most // 2, dtype=torch.bfloat16, device="cuda")
    b = torch.zeros(most // 2, dtype=torch.bfloat16, device="cuda")
    calls = {
        "all_reduce": lambda e: dist.all_reduce(a[:e]),
        "all_gather": lambda e: dist.all_gather_into_tensor(b[:e], a[:e // n]),
        "reduce_scatter": lambda e: dist.reduce_scatter_tensor(b[:e // n], a[:e]),
        "all_to_all": lambda e: dist.all_to_all_single(b[:e], a[:e]),
    }
    if rank == 0:
        print(f"# NCCL {'.'.join(map(str, torch.cuda.nccl.version()))}, torch {torch.__version__}")
        print("collective,gpus,bytes,us")
    for name, call in calls.items():
        size = 1024
        while size <= most:
            elements = size // 2
            batch = 20 if size <= 1 << 20 else 5
            for _ in range(3):
                call(elements)
            times = []
            for _ in range(10):
                dist.barrier()
                torch.cuda.synchronize()
                begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
                begin.record()
                for _ in range(batch):
                    call(elements)
                end.record()
                end.synchronize()
                times.append(begin.elapsed_time(end) * 1000 / batch)
            slowest = torch.tensor(sorted(times), device="cuda")
            dist.all_reduce(slowest, dist.ReduceOp.MAX)
            if rank == 0:
                print(f"{name},{n},{size},{slowest[len(times) // 2].item():.2f}", flush=True)
            size *= 4
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
