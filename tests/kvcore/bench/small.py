"""A bench over a small random model and short sizes: every case runs for real, in seconds."""

from __future__ import annotations

from typing import Any

import torch

from kvcore.bench.context import Bench, Budget, Sizes
from kvcore.model.load import load_model
from kvcore.model.shape import ModelShape

SHAPE = ModelShape(
    name="tiny",
    layers=2,
    hidden=32,
    intermediate=64,
    heads=4,
    kv_heads=2,
    head_dim=32,
    vocab=101,
    rope_theta=10_000.0,
    max_context=16_384,
)
SIZES = Sizes(
    prompts=(32, 64),
    contexts=(32, 1024),
    batches=(2,),
    no_cache_contexts=(32,),
    replies=(1, 4),
    serve_prompt_tokens=320,
    serve_requests=2,
    pool_tokens=10_240,
    repeats=2,
)


def bench(total_s: float = 1_000.0, **changes: Any) -> Bench:
    made = Bench(
        model=load_model(SHAPE),
        device=torch.device("cpu"),
        sizes=SIZES,
        quick=True,
        budget=Budget(total_s=total_s),
        **changes,
    )
    made.budget.begin(1.0)
    return made
