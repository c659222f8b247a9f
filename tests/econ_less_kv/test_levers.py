"""Levers: exact bytes of each, and no saving where there is nothing to change."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from econ.kv_formats import kv_format
from econ.kv_levers import LEVERS, head_counts, own_heads, with_heads, with_lever
from econ.kv_memory import growing_per_token, minimum
from econ.kv_residence import request_bytes
from price_tables.hardware import ModelSpec
from price_tables.hardware_load import load_hardware
from tests.econ_less_kv.made import model

BF16 = kv_format("bf16")
MODELS = load_hardware().models


def per_token(found: ModelSpec | None) -> Fraction:
    assert found is not None
    return growing_per_token(found, BF16)


def test_mqa_keeps_a_thirty_second_of_mha() -> None:
    llama2 = model("llama-2-7b")
    assert per_token(llama2) == 524_288
    assert per_token(with_lever(llama2, "gqa")) == 131_072
    assert per_token(with_lever(llama2, "mqa")) == 16_384


def test_mha_style_of_a_70b_is_eight_times_its_gqa() -> None:
    llama = model("llama-3.1-70b")
    assert per_token(with_lever(llama, "mha")) == 8 * per_token(llama)


def test_mla_keeps_one_latent_and_one_position_part_a_layer() -> None:
    assert per_token(with_lever(model("llama-3.1-70b"), "mla")) == 80 * 576 * 2


def test_five_windows_of_six_leave_a_sixth_that_grows() -> None:
    found = with_lever(model("llama-3.1-70b"), "sliding")
    assert found is not None
    assert [(group.kind, group.layers) for group in found.groups] == [("full", 13), ("sliding", 67)]
    assert per_token(found) == Fraction(13 * 8 * 128 * 2 * 2)


def test_twenty_linear_layers_of_27_save_741_percent() -> None:
    kimi = model("kimi-linear-48b-a3b")
    assert with_lever(kimi, "hybrid") is None  # it is one already
    deepseek = model("deepseek-v3")
    found = with_lever(deepseek, "hybrid")
    assert found is not None
    assert found.groups[0].layers == 61 - round(61 * 20 / 27)


@pytest.mark.parametrize(
    ("name", "lever"),
    [
        ("deepseek-v3", "gqa"),
        ("deepseek-v3", "mla"),
        ("deepseek-v3", "sliding"),
        ("llama-2-7b", "mha"),
        ("llama-3.1-8b", "gqa"),
        ("gemma-3-27b", "sliding"),
        ("qwen3-next-80b-a3b", "hybrid"),
    ],
)
def test_a_lever_with_nothing_to_change_says_so(name: str, lever: str) -> None:
    assert with_lever(model(name), lever) is None


def test_a_lever_that_nobody_knows_is_refused() -> None:
    with pytest.raises(ValueError, match="no such lever"):
        with_lever(model("llama-2-7b"), "magic")


@pytest.mark.parametrize("name", sorted(MODELS))
def test_layers_are_neither_lost_nor_won(name: str) -> None:
    before = MODELS[name]
    for lever in LEVERS:
        after = with_lever(before, lever)
        if after is not None:
            assert sum(g.layers for g in after.groups) == sum(g.layers for g in before.groups)
            if lever != "mha":
                assert growing_per_token(after, BF16) <= growing_per_token(before, BF16)


@given(
    name=st.sampled_from(sorted(MODELS)),
    dtype=st.sampled_from(["bf16", "fp8", "q8_0", "k8v4", "q4_0/fp8"]),
    tokens=st.lists(st.integers(0, 1_100_000), min_size=1, max_size=4),
)
def test_many_lengths_at_once_weigh_what_each_weighs_alone(
    name: str, dtype: str, tokens: list[int]
) -> None:
    spec, form = MODELS[name], kv_format(dtype)
    exact = [sum(minimum(group, form, count) for group in spec.groups) for count in tokens]
    found = request_bytes(spec, form, np.asarray(tokens, dtype=np.int64)).tolist()
    assert found == pytest.approx([float(value) for value in exact], rel=1e-12)


def test_any_number_of_heads_can_be_asked_for_more_or_fewer() -> None:
    model = MODELS["llama-3.1-70b"]
    assert head_counts(model) == (1, 2, 4, 8, 16, 32, 64)
    assert own_heads(model) == 8
    one, all_of_them = with_heads(model, 1), with_heads(model, 64)
    assert one is not None
    assert all_of_them is not None
    assert own_heads(one) == 1
    assert own_heads(all_of_them) == 64
    latent = MODELS["deepseek-v3"]
    assert with_heads(latent, 1) is None
    assert own_heads(latent) is None
