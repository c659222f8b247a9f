"""Bytes of the cache, and that what is written is read back whatever the blocks' order."""

from __future__ import annotations

import pytest
import torch

from kvcore.attention.kv_cache import PagedKV
from kvcore.model.shape import SMOLLM2
from tests.kvcore.attention.shapes import BASE, MLA, SHAPES, shuffled_tables


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("block_tokens", [8, 16, 32])
@pytest.mark.parametrize("name", [*SHAPES, *MLA])
def test_allocated_bytes_equal_the_formula_and_the_named_metadata(
    name: str, block_tokens: int, dtype: torch.dtype
) -> None:
    kv = PagedKV((SHAPES | MLA)[name], 7, block_tokens, dtype)
    assert kv.bytes == kv.formula_bytes + sum(kv.metadata_bytes.values())


def test_a_thousand_tokens_of_smollm2_keep_46_080_bytes_each_in_float32() -> None:
    kv = PagedKV(SMOLLM2, 64, 16, torch.float32)
    assert kv.bytes == 64 * 16 * 46_080


def test_a_latent_token_keeps_rank_and_rope_once_per_layer() -> None:
    kv = PagedKV(MLA["MLA"], 3, 16, torch.bfloat16)
    assert kv.bytes == 3 * 16 * 2 * (48 + 8) * 2


def test_a_cache_of_no_blocks_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one block"):
        PagedKV(BASE, 0, 16, torch.float32)


@pytest.mark.parametrize("pieces", [(40,), (16, 16, 8), (5, 11, 1, 23), (15, 2, 23)])
def test_what_is_written_in_pieces_is_read_back_in_order(pieces: tuple[int, ...]) -> None:
    kv = PagedKV(BASE, 9, 16, torch.float32)
    (table,) = shuffled_tables([3], 9)
    table = table.long()
    k, v = torch.randn(2, 40, BASE.kv_heads, BASE.head_dim)
    start = 0
    for count in pieces:
        rows = slice(start, start + count)
        kv.write(1, k[rows], v[rows], start, table)
        start += count
    read_k, read_v = kv.read(1, 40, table)
    assert torch.equal(read_k, k.transpose(0, 1))
    assert torch.equal(read_v, v.transpose(0, 1))
    assert not kv.k[0].any()


def test_latents_written_in_pieces_are_read_back_in_order() -> None:
    kv = PagedKV(MLA["MLA"], 9, 16, torch.float32)
    table = shuffled_tables([3], 9)[0].long()
    latent, position = torch.randn(40, 48), torch.randn(40, 8)
    for start, end in ((0, 7), (7, 33), (33, 40)):
        kv.write_latent(0, latent[start:end], position[start:end], start, table)
    read_latent, read_position = kv.read_latent(0, 40, table)
    assert torch.equal(read_latent, latent)
    assert torch.equal(read_position, position)


@pytest.mark.parametrize("name", ["GQA", "MLA"])
def test_a_copied_block_holds_the_same_in_every_layer_and_no_other_block_moves(name: str) -> None:
    kv = PagedKV((SHAPES | MLA)[name], 4, 16, torch.float32)
    for tensor in kv.tensors.values():
        tensor.normal_()
    before = {part: tensor.clone() for part, tensor in kv.tensors.items()}
    kv.copy_block(3, 1)
    axis = 2 if name == "GQA" else 1
    for part, tensor in kv.tensors.items():
        order = torch.tensor([0, 3, 2, 3])
        assert torch.equal(tensor, before[part].index_select(axis, order))
