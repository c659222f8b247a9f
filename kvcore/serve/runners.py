"""Which runner serves a device."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

    from kvcore.attention.runner import Runner
    from kvcore.model.weights import Model


def make_runner(
    model: Model,
    device: str,
    *,
    blocks: int,
    block_tokens: int,
    kv_dtype: torch.dtype | None = None,
) -> Runner:
    """The runner for a model whose weights lie on `device` or are moved there: the CPU's own, or
    the one for every other torch device."""
    if model.device.type != device.partition(":")[0]:
        model = model.to(model.weight_dtype, device)
    if device == "cpu":
        from kvcore.attention.cpu import CpuRunner

        return CpuRunner(model, blocks=blocks, block_tokens=block_tokens, kv_dtype=kv_dtype)
    from kvcore.cuda.runner import CudaRunner

    return CudaRunner(model, blocks=blocks, block_tokens=block_tokens, kv_dtype=kv_dtype)
