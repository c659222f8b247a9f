"""The runner of a device: the CPU's own, or the one for everything else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kvcore.attention.cpu import CpuRunner

if TYPE_CHECKING:
    import torch

    from kvcore.attention.runner import Runner
    from kvcore.model.weights import Model


def runner_for(
    model: Model,
    *,
    blocks: int,
    block_tokens: int,
    kv_dtype: torch.dtype | None = None,
) -> Runner:
    """A runner where the model's weights lie; its keys and values are zeros."""
    if model.device.type == "cpu":
        return CpuRunner(model, blocks=blocks, block_tokens=block_tokens, kv_dtype=kv_dtype)
    from kvcore.cuda.runner import CudaRunner

    return CudaRunner(model, blocks=blocks, block_tokens=block_tokens, kv_dtype=kv_dtype)
