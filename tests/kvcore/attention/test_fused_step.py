"""The fused kernel against the same runner in torch alone, around the borders of blocks."""

from __future__ import annotations

from functools import cache

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from kvcore.attention import cpu
from kvcore.attention.cpu import CpuRunner
from kvcore.model.weights import Model
from tests.kvcore.attention.shapes import (
    SHAPES,
    random_tokens,
    shuffled_tables,
    small_model,
)

pytest.importorskip("numba")

TOLERANCE = {torch.float32: 2e-5, torch.bfloat16: 0.06}  # of logits of order three


@cache
def model(name: str, dtype: torch.dtype) -> Model:
    return small_model(SHAPES[name], dtype)


def runners(
    monkeypatch: pytest.MonkeyPatch, one: Model, block_tokens: int
) -> tuple[CpuRunner, CpuRunner]:
    """Fused, and what a machine without numba gets; over caches of their own."""
    fused = CpuRunner(one, blocks=48, block_tokens=block_tokens)
    with monkeypatch.context() as patch:
        patch.setattr(cpu, "is_present", lambda package: False)
        plain = CpuRunner(one, blocks=48, block_tokens=block_tokens)
    return fused, plain


@pytest.mark.parametrize("dtype", list(TOLERANCE))
@pytest.mark.parametrize("block_tokens", [8, 16, 32])
@pytest.mark.parametrize("name", SHAPES)
def test_over_two_parts_of_the_keys_it_equals_torch(
    monkeypatch: pytest.MonkeyPatch, name: str, block_tokens: int, dtype: torch.dtype
) -> None:
    one = model(name, dtype)
    tokens = random_tokens(290, one.shape.vocab)
    (table,) = shuffled_tables([-(-290 // block_tokens)], 48)
    fused, plain = runners(monkeypatch, one, block_tokens)
    for runner in (fused, plain):
        runner.prefill(tokens[:286], 0, table)
    ours, expected = (runner.prefill(tokens[286:], 286, table) for runner in (fused, plain))
    torch.testing.assert_close(ours, expected, atol=TOLERANCE[dtype], rtol=0)
    torch.testing.assert_close(fused.kv.k.float(), plain.kv.k.float(), atol=0.04, rtol=0.01)
    torch.testing.assert_close(fused.kv.v.float(), plain.kv.v.float(), atol=0.04, rtol=0.01)


@settings(max_examples=25, deadline=None)
@given(
    blocks=st.integers(0, 2),
    border=st.integers(-2, 2),
    new=st.integers(1, 7),
    block_tokens=st.sampled_from([8, 16, 32]),
)
def test_around_a_border_of_blocks_it_equals_torch(
    blocks: int, border: int, new: int, block_tokens: int
) -> None:
    start = max(0, blocks * block_tokens + border)
    one = model("GQA", torch.float32)
    tokens = random_tokens(start + new, one.shape.vocab, seed=start)
    (table,) = shuffled_tables([-(-(start + new) // block_tokens)], 48, seed=new)
    with pytest.MonkeyPatch.context() as patch:
        fused, plain = runners(patch, one, block_tokens)
    for runner in (fused, plain):
        if start:
            runner.prefill(tokens[:start], 0, table)
    ours, expected = (runner.prefill(tokens[start:], start, table) for runner in (fused, plain))
    torch.testing.assert_close(ours, expected, atol=2e-5, rtol=0)


def test_more_than_one_thread_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    one = model("GQA", torch.float32)
    tokens = random_tokens(40, one.shape.vocab)
    (table,) = shuffled_tables([3], 48)
    alone = CpuRunner(one, blocks=48)
    monkeypatch.setattr(torch, "get_num_threads", lambda: 2)
    together = CpuRunner(one, blocks=48)
    answers = []
    for runner in (alone, together):
        runner.prefill(tokens[:39], 0, table)
        answers.append(runner.decode(tokens[39:], torch.tensor([39]), [table]))
    torch.testing.assert_close(answers[0], answers[1], atol=1e-6, rtol=0)
