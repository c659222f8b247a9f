"""What a config, a format or a count must be, said in one sentence that names the field."""

from __future__ import annotations

from typing import Any

import pytest

from econ.kv_config import MAX_CHARACTERS, read_config, read_fields
from econ.kv_formats import kv_format
from econ.kv_memory import kv_bytes
from messages.catalogue import say
from messages.errors import DataError, UsageError
from price_tables.hardware_load import load_hardware

PLAIN: dict[str, Any] = {
    "hidden_size": 2048, "num_hidden_layers": 4, "num_attention_heads": 16,
    "num_key_value_heads": 4, "head_dim": 128,
}  # fmt: skip


def test_a_config_larger_than_any_is_refused_unread() -> None:
    with pytest.raises(DataError) as caught:
        read_config("x" * (MAX_CHARACTERS + 1), name="big.json")
    assert say("en", caught.value.message) == "big.json must be a config.json of at most 8 MB."


@pytest.mark.parametrize(
    ("more", "part"),
    [
        ({"block_configs": [{"attention": None}]}, "block_configs[0].attention"),
        ({"block_configs": ["x"]}, "block_configs[0].attention"),
        ({"hybrid_override_pattern": "M*X"}, "hybrid_override_pattern"),
    ],
)
def test_a_layer_that_nobody_knows_is_named(more: dict[str, Any], part: str) -> None:
    with pytest.raises(DataError) as caught:
        read_fields(PLAIN | more, name="test")
    assert part in say("en", caught.value.message)


def test_a_latent_cache_without_a_position_part_is_assumed_to_have_64() -> None:
    found = read_fields(PLAIN | {"kv_lora_rank": 512}, name="test")
    assert (found.spec.groups[0].latent, found.spec.groups[0].rope) == (512, 64)
    assert [m.id for m in found.assumptions] == ["hardware.assume.rope_64"]


def test_lightning_attention_keeps_a_matrix_a_head_and_no_convolution() -> None:
    found = read_fields(PLAIN | {"attn_type_list": [0, 0, 1, 0]}, name="test").spec
    state = next(g for g in found.groups if g.kind == "linear_state")
    assert (state.layers, state.state_bytes, state.conv_bytes) == (3, 16 * 128 * 128 * 4, 0)


def test_the_same_assumption_is_listed_once() -> None:
    fields = {key: value for key, value in PLAIN.items() if key != "head_dim"}
    layers = ["full_attention", "sliding_attention"] * 2
    found = read_fields(fields | {"layer_types": layers, "sliding_window": 64}, name="test")
    assert [m.id for m in found.assumptions] == ["hardware.assume.head_dim"]


@pytest.mark.parametrize("name", ["fp3", "fp8/fp3", "fp3/fp8", "", "/"])
def test_a_format_that_nobody_knows_lists_those_there_are(name: str) -> None:
    with pytest.raises(UsageError) as caught:
        kv_format(name)
    assert "q8_0" in say("en", caught.value.message)


@pytest.mark.parametrize(
    "counts",
    [{"context_tokens": -1}, {"context_tokens": 1, "sequences": 0},
     {"context_tokens": 1, "tensor_parallel": 0}, {"context_tokens": 1, "block_tokens": 0}],
)  # fmt: skip
def test_counts_below_one_are_a_programmers_error(counts: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="positive"):
        kv_bytes(load_hardware().models["llama-3.1-8b"], kv_format("bf16"), **counts)
