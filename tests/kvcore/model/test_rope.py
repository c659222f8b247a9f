"""Rotary positions: relative, reversible, and llama.cpp's order undone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from kvcore.model.gguf_file import undo_rope_permutation
from kvcore.model.rope import inverse_frequencies, rope_tables, rotate, unrotate
from kvcore.model.safetensors_folder import half_split_rows
from kvcore.model.shape import SMOLLM2, RopeScaling


def llama_cpp_order(rows: np.ndarray, heads: int) -> np.ndarray:
    """What llama.cpp's converter does to query and key rows, written as it writes it."""
    halves = rows.reshape(heads, 2, rows.shape[0] // heads // 2, *rows.shape[1:])
    return halves.swapaxes(1, 2).reshape(rows.shape)


@pytest.mark.parametrize(("heads", "head_dim"), [(1, 2), (3, 64), (9, 64), (4, 6)])
def test_the_order_of_llama_cpp_is_undone(heads: int, head_dim: int) -> None:
    rows = torch.arange(heads * head_dim * 3, dtype=torch.float32).reshape(-1, 3)
    stored = torch.from_numpy(llama_cpp_order(rows.numpy(), heads))
    assert torch.equal(undo_rope_permutation(stored, heads), rows)


def test_a_bias_is_put_in_order_as_its_rows_are() -> None:
    bias = torch.arange(24, dtype=torch.float32)
    stored = torch.from_numpy(llama_cpp_order(bias.numpy(), 3))
    assert torch.equal(undo_rope_permutation(stored, 3), bias)


def test_interleaved_pairs_become_halves() -> None:
    assert half_split_rows(torch.arange(6.0).reshape(6, 1)).flatten().tolist() == [0, 2, 4, 1, 3, 5]


def test_a_quarter_turn_by_hand() -> None:
    turned = rotate(torch.tensor([[1.0, 2.0]]), torch.tensor([[0.0]]), torch.tensor([[1.0]]))
    assert turned.tolist() == [[-2.0, 1.0]]


def test_frequencies_by_hand() -> None:
    found = inverse_frequencies(4, 100.0)
    assert found.tolist() == pytest.approx([1.0, 0.1])


@given(shift=st.integers(0, 200), seed=st.integers(0, 50))
def test_scores_depend_on_distance_alone(shift: int, seed: int) -> None:
    q, k = torch.randn(2, 1, 64, generator=torch.Generator().manual_seed(seed))
    cos, sin = rope_tables(SMOLLM2, 260)

    def score(at: int) -> float:
        turned = rotate(q, cos[at + 7 : at + 8], sin[at + 7 : at + 8])
        return float((turned * rotate(k, cos[at : at + 1], sin[at : at + 1])).sum())

    assert score(shift) == pytest.approx(score(0), abs=2e-3)


def test_positions_are_taken_out_again() -> None:
    x = torch.randn(2, 30, 64, generator=torch.Generator().manual_seed(1))
    cos, sin = rope_tables(SMOLLM2, 30)
    assert (unrotate(rotate(x, cos, sin), cos, sin) - x).abs().max() < 1e-5


def test_llama_3_keeps_fast_frequencies_and_slows_the_slow_ones() -> None:
    scaling = RopeScaling(
        factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_context=8192
    )
    plain = inverse_frequencies(128, 500_000.0)
    stretched = inverse_frequencies(128, 500_000.0, scaling)
    ratio = plain / stretched
    assert ratio[0] == 1.0
    assert ratio[-1] == pytest.approx(8.0)
    assert torch.all(ratio.diff() >= -1e-5)


def test_tables_cover_the_positions_asked_for() -> None:
    cos, sin = rope_tables(replace(SMOLLM2, head_dim=32), 5)
    assert cos.shape == sin.shape == (5, 16)
    assert torch.equal(cos[0], torch.ones(16))
