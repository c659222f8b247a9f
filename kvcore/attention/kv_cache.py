"""Storage of keys and values in blocks, with an exact byte count."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from kvcore.attention.pages import ask_for_large_pages

if TYPE_CHECKING:
    from kvcore.model.shape import ModelShape


class PagedKV:
    """All blocks of all layers, allocated once.

    Keys lie transposed inside their block, so that the tokens of a block fill one vector:

    * MHA, GQA, MQA: ``k [L, KV, NB, hd, BS]`` (after RoPE) and ``v [L, KV, NB, BS, hd]``;
    * MLA: ``latent [L, NB, BS, rank]`` (after its norm) and ``position [L, NB, BS, rope]``
      (after RoPE), shared by all heads.

    L layers, KV heads, NB blocks, BS tokens a block, hd elements a head.
    """

    def __init__(
        self,
        shape: ModelShape,
        blocks: int,
        block_tokens: int,
        dtype: torch.dtype,
        device: str | torch.device = "cpu",
    ) -> None:
        if blocks < 1 or block_tokens < 1:
            raise ValueError(
                f"a cache needs at least one block of one token, not {blocks} of {block_tokens}"
            )
        self.shape, self.blocks, self.block_tokens, self.dtype = shape, blocks, block_tokens, dtype
        layers, mla = shape.layers, shape.mla

        def zeros(*size: int) -> torch.Tensor:
            tensor = torch.empty(size, dtype=dtype, device=device)
            if tensor.device.type == "cpu":
                ask_for_large_pages(tensor)
            return tensor.zero_()

        if mla is not None:
            self.latent = zeros(layers, blocks, block_tokens, mla.kv_rank)
            self.position = zeros(layers, blocks, block_tokens, mla.rope_dim)
            self.tensors = {"latent": self.latent, "position": self.position}
        else:
            kv_heads, head_dim = shape.kv_heads, shape.head_dim
            self.k = zeros(layers, kv_heads, blocks, head_dim, block_tokens)
            self.v = zeros(layers, kv_heads, blocks, block_tokens, head_dim)
            self.tensors = {"k": self.k, "v": self.v}

    @property
    def formula_bytes(self) -> int:
        """Elements of one token over all layers x bytes of an element x tokens of all blocks."""
        tokens = self.blocks * self.block_tokens
        return self.shape.kv_elements_per_token * self.dtype.itemsize * tokens

    @property
    def metadata_bytes(self) -> dict[str, int]:
        """What is kept beside keys and values, by name: nothing, for formats without scales."""
        return {}

    @property
    def bytes(self) -> int:
        """Bytes that the allocator gave for the storage of all tensors."""
        return sum(tensor.untyped_storage().nbytes() for tensor in self.tensors.values())

    def copy_block(self, source: int, destination: int) -> None:
        """Copy one block of all layers, for a fork that is about to write."""
        for name, tensor in self.tensors.items():
            axis = 1 if name in ("latent", "position") else 2
            tensor.select(axis, destination).copy_(tensor.select(axis, source))

    def write_latent(
        self,
        layer: int,
        latent: torch.Tensor,
        position: torch.Tensor,
        start: int,
        table: torch.Tensor,
    ) -> None:
        """Store MLA's ``latent [n, rank]`` and ``position [n, rope]`` at ``start ..``."""
        places = torch.arange(start, start + latent.shape[0])
        slots = table[places // self.block_tokens] * self.block_tokens + places % self.block_tokens
        self.latent[layer].flatten(0, 1).index_copy_(0, slots, latent.to(self.dtype))
        self.position[layer].flatten(0, 1).index_copy_(0, slots, position.to(self.dtype))

    def read_latent(
        self, layer: int, count: int, table: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Gather the first ``count`` tokens as ``latent [count, rank], position [count, rope]``."""
        blocks = table[: -(-count // self.block_tokens)]
        latent = self.latent[layer].index_select(0, blocks).flatten(0, 1)
        return latent[:count], self.position[layer].index_select(0, blocks).flatten(0, 1)[:count]

    def write(
        self, layer: int, k: torch.Tensor, v: torch.Tensor, start: int, table: torch.Tensor
    ) -> None:
        """Store ``k, v [n, KV, hd]`` at positions ``start ..`` of the sequence of ``table``.

        Tables are int64 here: the index type of torch.
        """
        size, count = self.block_tokens, k.shape[0]
        head = min(count, -start % size)
        body = (count - head) // size * size
        first = (start + head) // size
        self._write_some(layer, k[:head], v[:head], start, table)
        if body:
            blocks = table[first : first + body // size]
            whole = slice(head, head + body)
            kv_heads, head_dim = k.shape[1:]
            tiles = k[whole].view(-1, size, kv_heads, head_dim).permute(2, 0, 3, 1)
            self.k[layer].index_copy_(1, blocks, tiles.to(self.dtype))
            tiles = v[whole].view(-1, size, kv_heads, head_dim).permute(2, 0, 1, 3)
            self.v[layer].index_copy_(1, blocks, tiles.to(self.dtype))
        tail = head + body
        self._write_some(layer, k[tail:], v[tail:], start + tail, table)

    def _write_some(
        self, layer: int, k: torch.Tensor, v: torch.Tensor, start: int, table: torch.Tensor
    ) -> None:
        count, size = k.shape[0], self.block_tokens
        if count:  # all of one block
            block, slot = int(table[start // size]), start % size
            slots = slice(slot, slot + count)
            self.k[layer, :, block, :, slots] = k.permute(1, 2, 0).to(self.dtype)
            self.v[layer, :, block, slots] = v.permute(1, 0, 2).to(self.dtype)

    def read(
        self, layer: int, count: int, table: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Gather the first ``count`` tokens of a sequence as ``k, v [KV, count, hd]``."""
        blocks = table[: -(-count // self.block_tokens)]
        kv_heads, head_dim = self.shape.kv_heads, self.shape.head_dim
        k = self.k[layer].index_select(1, blocks).transpose(2, 3).contiguous()
        v = self.v[layer].index_select(1, blocks)
        k, v = (part.reshape(kv_heads, -1, head_dim) for part in (k, v))
        return k[:, :count], v[:, :count]
