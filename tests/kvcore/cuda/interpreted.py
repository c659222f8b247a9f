"""The kernel against plain attention: on a GPU, or under TRITON_INTERPRET=1 by itself.

Reads one JSON list of cases from standard input, prints the largest error of each.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import torch

from kvcore.cuda.paged_decode import Scales, paged_decode


def reference(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, table: list[int], length: int, scale: float
) -> torch.Tensor:
    """Attention of q [H, hd] over the first tokens of a table, written out."""
    kv_heads, _, head_dim, _ = k.shape
    keys = k[:, table].float().transpose(2, 3).reshape(kv_heads, -1, head_dim)[:, :length]
    values = v[:, table].float().reshape(kv_heads, -1, head_dim)[:, :length]
    grouped = q.float().view(kv_heads, -1, head_dim)
    weights = torch.softmax(grouped @ keys.transpose(1, 2) * scale, dim=-1)
    return (weights @ values).reshape(q.shape)


def error_of(case: dict[str, Any]) -> float:
    torch.manual_seed(case.get("seed", 0))
    device = case.get("device", "cpu")
    heads, kv_heads, head_dim, size = (case[key] for key in ("heads", "kv_heads", "hd", "block"))
    lengths = case["lengths"]
    dtype = getattr(torch, case.get("dtype", "float32"))
    counts = [-(-length // size) for length in lengths]
    blocks = sum(counts) + 3
    order = torch.randperm(blocks).tolist()
    tables = torch.full((len(lengths), max(counts) + 1), 2**20, dtype=torch.int32)
    for row, count in enumerate(counts):
        tables[row, :count] = torch.tensor([order.pop() for _ in range(count)], dtype=torch.int32)
    q = torch.randn(len(lengths), heads, head_dim)
    k = torch.randn(kv_heads, blocks, head_dim, size)
    v = torch.randn(kv_heads, blocks, size, head_dim)
    scales = None
    wide_k, wide_v = k, v
    if case.get("format") == "int8":
        k_scale = k.abs().amax(2).clamp(min=1e-6) / 127
        v_scale = v.abs().amax(3).clamp(min=1e-6) / 127
        k = (k / k_scale[:, :, None]).round().to(torch.int8)
        v = (v / v_scale[..., None]).round().to(torch.int8)
        scales = Scales(k_scale, v_scale)
        wide_k, wide_v = k.float() * k_scale[:, :, None], v.float() * v_scale[..., None]
    else:
        kind = torch.float8_e4m3fn if case.get("format") == "fp8" else dtype
        k, v = k.to(kind), v.to(kind)
        wide_k, wide_v = k.float(), v.float()
    q = q.to(dtype)
    scale = head_dim**-0.5
    found = paged_decode(
        q.to(device),
        k.to(device),
        v.to(device),
        tables.to(device),
        torch.tensor(lengths, dtype=torch.int32, device=device),
        scale=scale,
        scales=scales and Scales(*(part.to(device) for part in scales)),
        split=case.get("split"),
    ).cpu()
    worst = 0.0
    for row, (length, count) in enumerate(zip(lengths, counts, strict=True)):
        wanted = reference(q[row], wide_k, wide_v, tables[row, :count].tolist(), length, scale)
        worst = max(worst, float((found[row].float() - wanted).abs().max()))
    return worst


if __name__ == "__main__":
    print(json.dumps([error_of(case) for case in json.load(sys.stdin)]))
