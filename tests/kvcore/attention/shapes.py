"""Small random models of every kind that the runner must run, and sequences in shuffled blocks."""

from __future__ import annotations

from dataclasses import replace

import torch

from kvcore.model.random_weights import random_weights
from kvcore.model.shape import MlaShape, ModelShape
from kvcore.model.weights import Model

BASE = ModelShape(
    name="small",
    layers=2,
    hidden=64,
    intermediate=96,
    heads=4,
    kv_heads=2,
    head_dim=32,
    vocab=160,
    rope_theta=10_000.0,
    max_context=512,
    tied_embeddings=True,
)

SHAPES = {
    "GQA": BASE,
    "MHA": replace(BASE, kv_heads=4),
    "MQA": replace(BASE, kv_heads=1),
    "GQA of three, head_dim 64": replace(BASE, heads=3, kv_heads=1, head_dim=64),
    "head_dim 128": replace(BASE, heads=2, kv_heads=2, head_dim=128),
    "seven queries a key": replace(BASE, heads=7, kv_heads=1),
    "biases": replace(BASE, qkv_bias=True),
    "query and key norms": replace(BASE, qk_norm=True, tied_embeddings=False),
    "odd sizes": replace(BASE, hidden=72, intermediate=88, vocab=101),
}
MLA = {
    "MLA": replace(
        BASE,
        kv_heads=4,
        head_dim=24,
        mla=MlaShape(q_rank=None, kv_rank=48, nope_dim=16, rope_dim=8, v_dim=16),
    ),
    "MLA with a query latent": replace(
        BASE,
        kv_heads=4,
        head_dim=24,
        mla=MlaShape(q_rank=40, kv_rank=32, nope_dim=16, rope_dim=8, v_dim=24),
    ),
}


def small_model(shape: ModelShape, dtype: torch.dtype = torch.float32, seed: int = 0) -> Model:
    """Random weights of a shape, norms and biases away from one and nought."""
    weights = random_weights(shape, seed=seed, dtype=torch.float32, device="cpu")
    generator = torch.Generator().manual_seed(seed)
    for layer in weights.layers:
        for norm in (layer.attn_norm, layer.mlp_norm, layer.q_norm, layer.k_norm):
            if norm is not None:
                norm.uniform_(0.5, 1.5, generator=generator)
    return Model(
        shape=shape,
        weights=weights.to(dtype, "cpu"),
        tokenizer=None,
        name=shape.name,
        source="random",
        weight_dtype=dtype,
        is_random=True,
    )


def random_tokens(count: int, vocab: int, seed: int = 0) -> torch.Tensor:
    """``count`` token ids, int64."""
    return torch.randint(vocab, (count,), generator=torch.Generator().manual_seed(seed))


def shuffled_tables(counts: list[int], blocks: int, seed: int = 0) -> list[torch.Tensor]:
    """A block table for each count of blocks, int32, drawn from one shuffled pool."""
    order = torch.randperm(blocks, generator=torch.Generator().manual_seed(seed)).int()
    return list(torch.split(order[: sum(counts)], counts))
