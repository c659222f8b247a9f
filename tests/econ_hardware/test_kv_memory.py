"""KV bytes against published and hand-worked figures."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from econ.kv_capacity import free_bytes, implied_overhead, room
from econ.kv_formats import FORMATS, kv_format
from econ.kv_memory import KvBytes, growth, kv_bytes, per_sequence, reserved_per_token
from messages.errors import UsageError
from price_tables.hardware import KvGroup, ModelSpec
from price_tables.hardware_load import load_hardware

MODELS = load_hardware().models
EXPECTED = yaml.safe_load((Path(__file__).parent / "kv_expected.yaml").read_text())
GIB = 2**30


def kept(model: str, tokens: int, **more: int) -> KvBytes:
    """KV bytes of a model at bf16."""
    return kv_bytes(MODELS[model], kv_format("bf16"), context_tokens=tokens, **more)


def guide(kv_heads: int) -> ModelSpec:
    """The guide's example: 32 layers, 32 query heads of 128."""
    group = KvGroup(kind="full", layers=32, kv_heads=kv_heads, key_dim=128, value_dim=128)
    return ModelSpec(
        id="guide", name="guide", repository=None, parameters_total=None, parameters_active=None,
        parameters_verified=False, hidden=4096, layers=32, query_heads=32, experts=None,
        experts_per_token=None, attention="", max_context_tokens=None, checkpoint_dtype="bfloat16",
        groups=(group,), source="test", as_of="2026-11-29",
    )  # fmt: skip


def test_every_model_has_an_expected_figure() -> None:
    assert EXPECTED.keys() == MODELS.keys()
    assert len(MODELS) == 54


@pytest.mark.parametrize("model", sorted(EXPECTED))
def test_a_models_bytes_are_the_published_ones(model: str) -> None:
    want = EXPECTED[model]
    assert kept(model, 131072).bytes_per_token_long_context == want["bytes_per_token_long_context"]
    assert kept(model, 8192).bytes_min == want["bytes_at_8192"]
    assert kept(model, 131072).bytes_min == want["bytes_at_131072"]
    if "of_which_fixed_at_131072" in want:
        grown = want["bytes_per_token_long_context"] * 131072
        assert kept(model, 131072).bytes_min - grown == want["of_which_fixed_at_131072"]


@pytest.mark.parametrize(
    ("kv_heads", "per_token", "at_8k", "at_32k", "at_128k"),
    [
        (32, 512 * 1024, 4 * GIB, 16 * GIB, 64 * GIB),
        (8, 128 * 1024, GIB, 4 * GIB, 16 * GIB),
        (1, 16 * 1024, GIB // 8, GIB // 2, 2 * GIB),
    ],
)
def test_the_guides_table_of_heads_and_lengths(
    kv_heads: int, per_token: int, at_8k: int, at_32k: int, at_128k: int
) -> None:
    model, bf16 = guide(kv_heads), kv_format("bf16")
    sizes = {t: kv_bytes(model, bf16, context_tokens=t) for t in (8192, 32768, 131072)}
    assert sizes[8192].bytes_per_token == per_token
    assert [s.bytes_min for s in sizes.values()] == [at_8k, at_32k, at_128k]
    assert [s.bytes_reserved for s in sizes.values()] == [at_8k, at_32k, at_128k]


def test_an_explicit_head_size_is_used() -> None:
    assert kept("qwen3-30b-a3b", 1).bytes_per_token == 98_304


def test_a_latent_vector_is_neither_doubled_nor_split() -> None:
    size = kept("deepseek-v3", 131072, tensor_parallel=8)
    assert size.bytes_per_token == 70_272
    assert size.bytes_min == size.bytes_per_rank == 9_210_691_584
    assert size.bytes_mha_style == 4_997_120 * 131072


def test_windows_have_a_minimum_and_a_reserved_figure() -> None:
    size = kept("gpt-oss-20b", 8192, sequences=32)
    assert round(size.bytes_min / GIB, 2) == 6.09
    assert size.bytes_reserved == 12 * GIB


def test_free_memory_holds_whole_blocks() -> None:
    model = MODELS["gpt-oss-120b"]
    each = reserved_per_token(model, kv_format("bf16"))
    assert each == 73_728
    free = int(Fraction("5.38") * GIB)
    assert free // each == 78_351
    fits = room(free, bytes_per_token=each, sequence_bytes=0, context_tokens=8192, block_tokens=16)
    assert (fits.blocks, fits.tokens) == (4_896, 78_336)
    assert fits.residual_bytes == free - 78_336 * 73_728


def test_one_log_line_gives_the_overhead() -> None:
    each = reserved_per_token(MODELS["llama-3.1-8b"], kv_format("bf16"))
    overhead = implied_overhead(
        25_250_627_584, Fraction("0.9"), 16_060_522_496, engine_blocks=2_588, block_bytes=each * 16
    )
    assert 2_588 * 16 * each == 5_427_429_376
    assert overhead == 1_237_612_953
    left = free_bytes(25_250_627_584, Fraction("0.9"), 16_060_522_496, overhead)
    fits = room(left, bytes_per_token=each, sequence_bytes=0, context_tokens=8192, block_tokens=16)
    assert (fits.blocks, fits.tokens) == (2_588, 41_408)
    bare = free_bytes(25_250_627_584, Fraction("0.9"), 16_060_522_496, 0)
    assert bare // each == 50_850


def test_both_units_of_a_long_context_on_one_device() -> None:
    model = MODELS["llama-3.1-70b"]
    sizes = {d: kv_bytes(model, kv_format(d), context_tokens=131072) for d in ("bf16", "fp8")}
    assert sizes["bf16"].bytes_min == 40 * GIB == 42_949_672_960
    assert sizes["fp8"].bytes_min == 20 * GIB
    each = sizes["bf16"].bytes_per_token

    def sequences(fraction: str) -> int:
        left = free_bytes(288_400_343_040, Fraction(fraction), 70_000_000_000, 0)
        return room(
            left, bytes_per_token=each, sequence_bytes=0, context_tokens=131072, block_tokens=16
        ).sequences

    assert (sequences("1"), sequences("0.9")) == (5, 4)


def test_scales_are_counted() -> None:
    model = MODELS["llama-3.1-8b"]
    sizes = {d: reserved_per_token(model, kv_format(d)) for d in ("fp16", "q8_0", "q4_0")}
    assert sizes == {"fp16": 131_072, "q8_0": 69_632, "q4_0": 36_864}


@pytest.mark.parametrize(
    ("dtype", "bits"), [("int8", "8.25"), ("k8v4", "6.625"), ("kivi4", "5.5"), ("int4", "5")]
)
def test_bits_an_element_with_heads_of_64(dtype: str, bits: str) -> None:
    found = kv_format(dtype)
    total = found.key.vector_bytes(64) + found.value.vector_bytes(64)
    assert total * 8 / 128 == Fraction(bits)


def test_a_format_may_differ_for_keys_and_values() -> None:
    mixed = kv_format("q8_0/q4_0")
    assert mixed.key.vector_bytes(128) == 136
    assert mixed.value.vector_bytes(128) == 72


def test_an_unknown_format_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UsageError) as caught:
        kv_format("int7")
    assert caught.value.message.values["found"] == "int7"
    assert "q8_0" in str(caught.value.message.values["known"])


def test_more_ranks_than_heads_hold_copies() -> None:
    size = {tp: kept("qwen3-235b-a22b", 8192, tensor_parallel=tp) for tp in (1, 2, 4, 8)}
    whole = size[1].bytes_reserved
    assert size[2].bytes_per_rank * 2 == whole
    assert size[4].bytes_per_rank * 4 == size[8].bytes_per_rank * 4 == whole


def test_a_state_does_not_grow() -> None:
    model = MODELS["kimi-linear-48b-a3b"]
    states = per_sequence(model)
    assert states == 20 * (2_097_152 + 73_728)
    assert kept("kimi-linear-48b-a3b", 0).bytes_min == states
    assert kept("kimi-linear-48b-a3b", 1000).bytes_min == states + 1000 * 8064


@given(
    model=st.sampled_from(sorted(MODELS)),
    dtype=st.sampled_from(sorted(FORMATS)),
    tokens=st.integers(0, 300_000),
    more=st.integers(0, 5_000),
    ranks=st.integers(1, 16),
)
def test_bytes_never_fall_as_the_context_grows_and_reserved_is_never_below_the_minimum(
    model: str, dtype: str, tokens: int, more: int, ranks: int
) -> None:
    spec, form = MODELS[model], kv_format(dtype)
    one = kv_bytes(spec, form, context_tokens=tokens, tensor_parallel=ranks)
    two = kv_bytes(spec, form, context_tokens=tokens + more, tensor_parallel=ranks)
    assert one.bytes_min <= two.bytes_min
    assert one.bytes_reserved <= two.bytes_reserved
    assert one.bytes_min <= one.bytes_reserved
    assert one.bytes_per_rank <= one.bytes_reserved <= one.bytes_per_rank * ranks
    assert all(growth(group, form) >= 0 for group in spec.groups)
