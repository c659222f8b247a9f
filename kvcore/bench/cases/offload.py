"""Blocks to and from host memory: what a prefix costs to bring back."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from kvcore.bench.context import TIME_BUDGET, Bench, missing
from kvcore.profile import CaseResult

BLOCKS = (16, 64, 256, 832)  # 832 blocks of 16 tokens hold 13,312 tokens
DIRECTIONS = ("device to host", "host to device")


def offload(bench: Bench) -> Iterator[CaseResult]:
    """Scattered blocks of all layers gathered on the device and moved to pinned memory, and back.

    Bytes are those of the keys and values, counted once.
    """
    if bench.device.type != "cuda":
        for direction in DIRECTIONS:
            yield missing(
                "offload", f"{bench.device.type} has no memory of its own", direction=direction
            )
        return
    runner = bench.runner()
    parts = list(runner.kv.tensors.values())
    for count in BLOCKS:
        params = {"blocks": count, "block_tokens": runner.block_tokens}
        if count > runner.blocks or bench.budget.left_s <= 0:
            yield missing("offload", TIME_BUDGET, direction=DIRECTIONS[0], **params)
            continue
        ids = torch.randperm(runner.blocks)[:count].to(bench.device)
        held = [part.index_select(2, ids) for part in parts]
        hosts = [torch.empty_like(part, device="cpu", pin_memory=True) for part in held]

        def out(ids: torch.Tensor = ids, hosts: list[torch.Tensor] = hosts) -> None:
            for part, host in zip(parts, hosts, strict=True):
                host.copy_(part.index_select(2, ids), non_blocking=True)

        def back(ids: torch.Tensor = ids, hosts: list[torch.Tensor] = hosts) -> None:
            for part, host in zip(parts, hosts, strict=True):
                part.index_copy_(2, ids, host.to(bench.device, non_blocking=True))

        size = sum(host.nbytes for host in hosts)
        for direction, run in zip(DIRECTIONS, (out, back), strict=True):
            yield bench.rate("offload", bench.time(run), size, direction=direction, **params)
