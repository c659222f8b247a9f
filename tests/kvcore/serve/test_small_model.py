"""A small real model with random weights: whatever runs beside it, a request is answered as the
model without any cache answers it."""

from __future__ import annotations

from functools import cache

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from kvcore.model.dense import dense_generate
from kvcore.model.load import load_model
from kvcore.model.shape import ModelShape
from kvcore.model.weights import Model
from kvcore.serve.engine import Engine
from kvcore.serve.request import Request

NEW = 6
SHAPE = ModelShape(
    name="small",
    layers=2,
    hidden=32,
    intermediate=48,
    heads=4,
    kv_heads=2,
    head_dim=8,
    vocab=61,
    rope_theta=10_000.0,
    max_context=128,
)
PROMPTS = [tuple(range(7, 7 + length)) for length in (5, 16, 22)]
PROMPTS += [(*range(7, 23), *range(50, 50 + length)) for length in (1, 9)]


pytestmark = pytest.mark.usefixtures("one_thread")


@cache
def _model() -> Model:
    return load_model(SHAPE, seed=4)


@cache
def _lone(prompt: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(dense_generate(_model(), torch.tensor(prompt), NEW))


def _request(number: int, prompt: int, salt: str = "") -> Request:
    return Request(id=str(number), tokens=PROMPTS[prompt], max_new_tokens=NEW, salt=salt)


@settings(max_examples=25)
@given(
    asked=st.lists(
        st.tuples(st.integers(0, 4), st.sampled_from(["", "red"]), st.integers(0, 3)),
        min_size=1,
        max_size=8,
    ),
    blocks=st.integers(8, 20),
    chunk_tokens=st.sampled_from([5, 12, 64]),
    prefix_cache=st.booleans(),
    cancelled=st.sets(st.integers(0, 7), max_size=2),
)
def test_every_answer_is_that_of_the_model_without_a_cache(
    asked: list[tuple[int, str, int]],
    blocks: int,
    chunk_tokens: int,
    prefix_cache: bool,
    cancelled: set[int],
) -> None:
    with Engine(
        _model(),
        blocks=blocks,
        block_tokens=4,
        chunk_tokens=chunk_tokens,
        max_batch=4,
        prefix_cache=prefix_cache,
    ) as engine:
        for number, (prompt, salt, steps) in enumerate(asked):
            engine.submit(_request(number, prompt, salt))
            for _ in range(steps):
                engine.step()
        for number in cancelled:
            engine.cancel(str(number))
        for number, (prompt, _, _) in enumerate(asked):
            sample = engine.result(str(number)).samples[0]
            expected = _lone(PROMPTS[prompt])
            assert sample.tokens == expected[: len(sample.tokens)]
            assert len(sample.tokens) == NEW or sample.reason == "cancelled"
        assert engine.pool.blocks_in_use == 0


def test_samples_and_a_full_hit_on_real_keys_and_values() -> None:
    request = Request(id="a", tokens=PROMPTS[1], max_new_tokens=NEW, samples=3)
    with Engine(_model(), blocks=30, block_tokens=4) as engine:
        for _ in range(2):
            done = engine.run_all([request])[0]
            assert [sample.tokens for sample in done.samples] == [_lone(PROMPTS[1])] * 3
    assert done.report.computed_tokens == 1 + 3 * (NEW - 1)
