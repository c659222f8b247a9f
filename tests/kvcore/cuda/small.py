"""A small random model and block tables for the runner's tests."""

from __future__ import annotations

import torch

from kvcore.model.random_weights import random_weights
from kvcore.model.shape import ModelShape
from kvcore.model.weights import Model

SHAPE = ModelShape(
    name="tiny",
    layers=2,
    hidden=48,
    intermediate=96,
    heads=6,
    kv_heads=2,
    head_dim=16,
    vocab=211,
    rope_theta=10_000.0,
    max_context=512,
    qkv_bias=True,
    qk_norm=True,
)


def model(device: str = "cpu", dtype: torch.dtype = torch.float32) -> Model:
    weights = random_weights(SHAPE, seed=3, dtype=dtype, device="cpu").to(dtype, device)
    return Model(
        shape=SHAPE, weights=weights, tokenizer=None, name="tiny", source="random",
        weight_dtype=dtype, is_random=True,
    )  # fmt: skip


def tokens(count: int, seed: int = 1) -> torch.Tensor:
    return torch.randint(0, SHAPE.vocab, (count,), generator=torch.Generator().manual_seed(seed))


def table(first: int, count: int, blocks: int) -> torch.Tensor:
    """Blocks in an order that is not their own."""
    order = torch.randperm(blocks, generator=torch.Generator().manual_seed(7))
    return order[first : first + count].to(torch.int32)
