"""Blocks as tokens, bytes and dollars."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econ.replay_memory import SHAPES, UNITS, Scale, Unit


def test_bytes_of_the_named_shapes_follow_their_formula() -> None:
    each = {shape.name: shape.bytes_per_token for shape in SHAPES}
    assert each == {
        "Llama 3.1 8B": 131_072,  # 32 layers x 8 KV heads x 128 x 2 x 2 bytes
        "Llama 3.1 70B": 327_680,
        "Llama 2 7B": 524_288,
        "DeepSeek-V3": 70_272,  # 61 layers x (512 + 64) x 2 bytes, keys and values as one latent
    }
    assert SHAPES[0].formula == "32 × 8 × 128 × 2 × 2"


def test_a_size_is_rounded_down_to_whole_blocks_but_never_to_none() -> None:
    scale = Scale(block_tokens=512, bytes_per_token=131_072)
    assert scale.blocks(Decimal(3_000_000), "tokens") == 5_859
    assert scale.blocks(Decimal(50_000_000), "tokens") == 97_656
    assert scale.blocks(Decimal("67.108864"), "gb") == 1_000
    assert scale.blocks(Decimal("67.108863"), "gb") == 999
    assert scale.blocks(Decimal("0.001"), "gb") == 1


def test_dollars_an_hour_are_exact_and_none_without_a_price() -> None:
    scale = Scale(block_tokens=512, bytes_per_token=131_072, usd_per_gb_hour=Decimal("0.01"))
    assert scale.usd_per_hour(1_000) == Decimal("0.67108864")
    assert Scale(block_tokens=512).usd_per_hour(1_000) is None


@pytest.mark.parametrize("unit", UNITS)
@given(blocks=st.integers(1, 10**9), block_tokens=st.sampled_from([16.0, 512.0, 1484.0]))
def test_a_size_said_in_any_unit_comes_back_as_the_same_blocks_or_one_less(
    unit: Unit, blocks: int, block_tokens: float
) -> None:
    scale = Scale(block_tokens=block_tokens, unit=unit)
    again = scale.blocks(Decimal(str(scale.of(blocks))), unit)
    assert again in (blocks, max(blocks - 1, 1))
