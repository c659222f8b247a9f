"""Attention in parts equals attention in one, by torch's fused kernel and by the definition."""

from __future__ import annotations

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from kvcore.attention.merge import attend, attend_plainly, merge


def drawn(past: int, new: int, width: int = 32) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """q ``[2, 3, new, hd]`` and k, v ``[2, past + new, hd]``."""
    generator = torch.Generator().manual_seed(past * 100 + new)
    q = torch.randn(2, 3, new, 32, generator=generator)
    k = torch.randn(2, past + new, 32, generator=generator)
    return q, k, torch.randn(2, past + new, width, generator=generator)


@settings(max_examples=40, deadline=None)
@given(past=st.integers(1, 50), new=st.integers(1, 20), width=st.sampled_from([16, 32]))
def test_past_and_new_tokens_apart_equal_both_together(past: int, new: int, width: int) -> None:
    q, k, v = drawn(past, new, width)
    hidden = torch.ones(new, past + new, dtype=torch.bool).triu(past + 1)
    scores = torch.einsum("kgnd,kmd->kgnm", q, k) * 0.2
    expected = torch.softmax(scores.masked_fill(hidden, -torch.inf), -1) @ v[:, None]
    before = attend(q, k[:, :past], v[:, :past], causal=False, scale=0.2)
    own = attend(q, k[:, past:], v[:, past:], causal=True, scale=0.2)
    torch.testing.assert_close(merge(before, own), expected, atol=1e-5, rtol=0)


@settings(max_examples=20, deadline=None)
@given(new=st.integers(1, 40), causal=st.booleans())
def test_the_definition_gives_output_and_normaliser_of_the_fused_kernel(
    new: int, causal: bool
) -> None:
    q, k, v = drawn(0, new)
    fused = attend(q, k, v, causal=causal, scale=0.3)
    shared = (part[:, None].expand(-1, 3, -1, -1) for part in (k, v))
    plain = attend_plainly(q, *shared, causal=causal, scale=0.3)
    torch.testing.assert_close(plain[0], fused[0], atol=1e-5, rtol=0)
    torch.testing.assert_close(plain[1], fused[1], atol=1e-5, rtol=0)


def test_a_part_that_weighs_nothing_changes_nothing() -> None:
    out = torch.randn(3, 4)
    nothing = (torch.randn(3, 4), torch.full((3,), -1e30))
    assert torch.equal(merge(nothing, (out, torch.zeros(3))), out)
