"""Floors of decode and prefill against worked figures."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econ.kv_formats import kv_format
from econ.roofline import DecodeStep, Prefill, Speeds, decode_step, prefill, touched_share
from price_tables.hardware_load import load_hardware

MODELS = load_hardware().models
BF16 = kv_format("bf16")
B300 = Speeds(bandwidth_bytes_per_s=8e12, ops_per_s=4.5e15)
LLAMA = MODELS["llama-3.1-70b"]


def step(context_tokens: int, batch: int) -> DecodeStep:
    """Llama 3.1 70B in 70 GB of fp8 weights on one B300."""
    return decode_step(
        LLAMA, B300, BF16, weights_bytes=70e9, context_tokens=context_tokens, batch=batch
    )


def test_the_articles_decode_steps() -> None:
    assert round(step(8_192, 1).step_s * 1e3, 2) == 9.09
    assert round(step(8_192, 1).tokens_per_s, 1) == 110.1
    assert round(step(131_072, 1).step_s * 1e3, 2) == 14.12
    assert round(step(131_072, 1).tokens_per_s, 1) == 70.8
    assert round(step(131_072, 4).step_s * 1e3, 1) == 30.2
    assert round(step(131_072, 4).tokens_per_s / 4, 1) == 33.1
    assert round((step(131_072, 6).kv_bytes + 70e9) / 1e9, 1) == 327.7


def test_the_articles_prefill_with_and_without_attention() -> None:
    whole = prefill(LLAMA, B300, prompt_tokens=131_072, parameters=70e9)
    assert f"{whole.linear_ops:.2e}" == "1.84e+16"
    assert f"{whole.attention_ops:.2e}" == "2.25e+16"
    assert round(whole.linear_s, 1) == 4.1
    assert round(whole.prefill_s, 1) == 9.1
    shorter = prefill(LLAMA, B300, prompt_tokens=128_000, parameters=70e9)
    assert round(shorter.prefill_s, 1) == 8.8


def test_recomputing_a_prefix_at_forty_per_cent() -> None:
    speeds = Speeds(bandwidth_bytes_per_s=8e12, ops_per_s=4.5e15, ops_ratio=0.4)
    again = prefill(LLAMA, speeds, prompt_tokens=32_768, parameters=70e9)
    assert f"{again.linear_ops:.2e}" == "4.59e+15"
    assert f"{again.attention_ops:.2e}" == "1.41e+15"
    assert round(again.prefill_s, 2) == 3.33


def test_a_cached_prefix_leaves_the_rest_and_both_parts_add_up() -> None:
    def part(tokens: int, cached: int) -> Prefill:
        return prefill(LLAMA, B300, prompt_tokens=tokens, cached_tokens=cached)

    whole, head, tail = part(32_768, 0), part(20_000, 0), part(32_768, 20_000)
    assert head.linear_ops + tail.linear_ops == pytest.approx(whole.linear_ops)
    assert head.attention_ops + tail.attention_ops == pytest.approx(whole.attention_ops)
    assert part(100, 100).prefill_s == 0


def test_one_token_touches_the_active_parameters_and_many_touch_all() -> None:
    mixtral = MODELS["mixtral-8x7b"]
    one = touched_share(mixtral, 1)
    assert one == pytest.approx(12.9 / 46.7)
    assert touched_share(mixtral, 10_000) == pytest.approx(1)
    assert touched_share(LLAMA, 1) == 1


def test_a_mixture_without_published_experts_is_unknown() -> None:
    assert touched_share(MODELS["kimi-linear-48b-a3b"], 8) is None


@given(
    model=st.sampled_from(sorted(m for m in MODELS if MODELS[m].parameters_active)),
    tokens=st.integers(0, 200_000),
    cached=st.integers(0, 200_000),
    batch=st.integers(1, 256),
)
def test_more_work_never_takes_less_time(model: str, tokens: int, cached: int, batch: int) -> None:
    spec = MODELS[model]
    kept = min(tokens, cached)
    part = prefill(spec, B300, prompt_tokens=tokens, cached_tokens=kept)
    assert 0 <= part.prefill_s <= prefill(spec, B300, prompt_tokens=tokens).prefill_s

    def of(size: int, length: int) -> DecodeStep:
        return decode_step(spec, B300, BF16, weights_bytes=1e11, context_tokens=length, batch=size)

    assert of(batch, tokens).step_s <= of(batch + 1, tokens).step_s
    assert of(batch, tokens).step_s <= of(batch, tokens + 100).step_s
