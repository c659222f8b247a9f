"""The contract between the scheduler and whatever runs the model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import torch

if TYPE_CHECKING:
    from kvcore.attention.kv_cache import PagedKV
    from kvcore.model.shape import ModelShape


class Runner(Protocol):
    """Runs a model over paged keys and values. Block tables are the caller's."""

    shape: ModelShape
    block_tokens: int
    blocks: int
    kv: PagedKV

    def prefill(self, tokens: torch.Tensor, start: int, table: torch.Tensor) -> torch.Tensor:
        """Compute ``tokens [n]`` (int64) at positions ``start ..``; logits ``[V]`` of the last.

        Keys and values of all positions below ``start`` are in the blocks of ``table`` (int32)
        already; those of the new tokens are written there.
        """
        ...

    def decode(
        self, tokens: torch.Tensor, positions: torch.Tensor, tables: Sequence[torch.Tensor]
    ) -> torch.Tensor:
        """One token of each of B sequences, at its position; logits ``[B, V]`` in float32."""
        ...

    def copy_block(self, source: int, destination: int) -> None:
        """Copy one block of all layers."""
        ...
