"""Keys and values as int8 with one float16 scale a token and KV head, in blocks.

A block holds its own scales, so that moving or copying a block takes everything along. A scale is
the largest magnitude / 127; 8 + 16 / head_dim bits an element.
"""

from __future__ import annotations

import torch

from kvcore.attention.kv_cache import PagedKV
from kvcore.model.shape import ModelShape

SMALLEST_SCALE = 2.0**-24
"""The least positive float16: a token of zeros has zero codes whatever its scale."""


class Int8KV(PagedKV):
    """``k, v`` as in PagedKV in int8; ``k_scale, v_scale [L, KV, NB, BS]`` in float16."""

    def __init__(
        self, shape: ModelShape, blocks: int, block_tokens: int, device: str | torch.device
    ) -> None:
        super().__init__(shape, blocks, block_tokens, torch.int8, device)
        size = (shape.layers, shape.kv_heads, blocks, block_tokens)
        self.k_scale = torch.zeros(size, dtype=torch.float16, device=device)
        self.v_scale = torch.zeros(size, dtype=torch.float16, device=device)
        self.tensors |= {"k_scale": self.k_scale, "v_scale": self.v_scale}

    @property
    def metadata_bytes(self) -> dict[str, int]:
        """Bytes of the scales, by name."""
        return {"k_scale": self.k_scale.nbytes, "v_scale": self.v_scale.nbytes}

    def put(
        self,
        layer: int,
        k: torch.Tensor,
        v: torch.Tensor,
        blocks: torch.Tensor,
        slots: torch.Tensor,
    ) -> None:
        """Store ``k, v [n, KV, hd]`` at slot ``slots [n]`` of block ``blocks [n]``."""
        codes, scales = quantised(k)
        self.k[layer][:, blocks, :, slots] = codes
        self.k_scale[layer][:, blocks, slots] = scales.transpose(0, 1)
        codes, scales = quantised(v)
        self.v[layer][:, blocks, slots] = codes.transpose(0, 1)
        self.v_scale[layer][:, blocks, slots] = scales.transpose(0, 1)

    def read(
        self, layer: int, count: int, table: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The first ``count`` tokens of a sequence as ``k, v [KV, count, hd]`` in float32."""
        blocks = table[: -(-count // self.block_tokens)]
        codes = super().read(layer, count, table)
        read = []
        for part, scales in zip(codes, (self.k_scale, self.v_scale), strict=True):
            of_tokens = scales[layer].index_select(1, blocks).flatten(1)[:, :count]
            read.append(part.float() * of_tokens[..., None].float())
        return read[0], read[1]


def quantised(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Codes int8 of ``x [n, KV, hd]`` and their scales ``[n, KV]`` in float16."""
    scales = (x.abs().amax(-1).float() / 127).clamp(min=SMALLEST_SCALE).half()
    codes = (x.float() / scales[..., None].float()).round().clamp(-127, 127)
    return codes.to(torch.int8), scales
