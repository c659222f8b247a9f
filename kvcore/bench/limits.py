"""The device's own limits: copy, triad, matrix rate by type, host link. The floors stand on them.

Bytes are those read plus those written by the program (STREAM's way of counting: copy 2, triad 3
arrays; https://www.cs.virginia.edu/stream/ref.html); a matrix product of n x n counts 2 n^3 FLOP.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch

from kvcore.bench.context import Bench
from kvcore.profile import CaseResult, Limits

COPY, TRIAD, TO_DEVICE, TO_HOST = "copy", "triad", "host to device", "device to host"
MATMUL = "matmul "
REPEATS = 7


def measured_limits(bench: Bench) -> Iterator[CaseResult]:
    """One row a limit, with its spread and whether others slowed it."""
    device = bench.device
    count = 2**24 if bench.quick and device.type == "cpu" else 2**26  # floats: beyond any cache
    a, b, c = (torch.ones(count, device=device) for _ in range(3))
    yield _bytes(bench, COPY, 2 * a.nbytes, lambda: a.copy_(b))
    yield _bytes(bench, TRIAD, 3 * a.nbytes, lambda: torch.add(b, c, alpha=3.0, out=a))
    for dtype, side in _products(device, quick=bench.quick):
        x, y = (torch.ones(side, side, device=device, dtype=dtype) for _ in range(2))

        def product(x: torch.Tensor = x, y: torch.Tensor = y) -> torch.Tensor:
            return torch.mm(x, y)

        name = MATMUL + str(dtype).removeprefix("torch.")
        timing = bench.time(product, repeats=REPEATS)
        yield bench.rate("limit_flop", timing, 2.0 * side**3, limit=name, side=side)
    if device.type == "cuda":
        yield from _host_link(bench)


def limits_of(rows: list[CaseResult]) -> Limits:
    """The medians of the rows; of several matrix sizes the fastest."""
    matmul: dict[str, float] = {}
    medians: dict[str, float] = {}
    for row in rows:
        name = str(row.params.get("limit", ""))
        if row.median is not None and name.startswith(MATMUL):
            dtype = name.removeprefix(MATMUL)
            matmul[dtype] = max(matmul.get(dtype, 0.0), row.median)
        elif row.median is not None and name:
            medians[name] = row.median
    return Limits(
        copy_bytes_per_s=medians.get(COPY),
        triad_bytes_per_s=medians.get(TRIAD),
        matmul_flop_per_s=matmul,
        host_to_device_bytes_per_s=medians.get(TO_DEVICE),
        device_to_host_bytes_per_s=medians.get(TO_HOST),
    )


def _bytes(bench: Bench, name: str, size: int, run: Callable[[], object]) -> CaseResult:
    return bench.rate("limit_bytes", bench.time(run, repeats=REPEATS), size, limit=name)


def _products(device: torch.device, *, quick: bool) -> Iterator[tuple[torch.dtype, int]]:
    types = [torch.float32, torch.bfloat16]
    if device.type != "cpu":
        types.append(torch.float16)
    sides = (1024, 2048) if device.type == "cpu" else (4096, 8192)
    for dtype in types:
        for side in sides[:1] if quick else sides:
            yield dtype, side


def _host_link(bench: Bench) -> Iterator[CaseResult]:
    """Pinned host memory to the device and back."""
    host = torch.ones(2**26, pin_memory=True)
    there = torch.ones(2**26, device=bench.device)
    size = host.nbytes
    yield _bytes(bench, TO_DEVICE, size, lambda: there.copy_(host, non_blocking=True))
    yield _bytes(bench, TO_HOST, size, lambda: host.copy_(there, non_blocking=True))
