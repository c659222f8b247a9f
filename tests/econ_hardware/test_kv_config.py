"""Configs say in eight ways which layers keep a cache; all must come to the same groups."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econ.kv_config import read_config, read_fields
from econ.kv_formats import kv_format
from econ.kv_memory import growing_per_token, reserved_per_token
from messages.errors import DataError
from price_tables.hardware import KvGroup
from price_tables.hardware_load import load_hardware

PLAIN: dict[str, Any] = {
    "hidden_size": 2048, "num_hidden_layers": 4, "num_attention_heads": 16,
    "num_key_value_heads": 4, "head_dim": 128,
}  # fmt: skip
FULL_4 = KvGroup(kind="full", layers=4, kv_heads=4, key_dim=128, value_dim=128)


def groups(**more: Any) -> tuple[KvGroup, ...]:
    """The groups of the plain config with some fields changed; None takes one away."""
    fields = {key: value for key, value in (PLAIN | more).items() if value is not None}
    return read_fields(fields, name="test").spec.groups


def full(layers: int, heads: int = 4) -> KvGroup:
    return KvGroup(kind="full", layers=layers, kv_heads=heads, key_dim=128, value_dim=128)


def sliding(layers: int, window: int) -> KvGroup:
    return KvGroup(
        kind="sliding", layers=layers, kv_heads=4, key_dim=128, value_dim=128, window_tokens=window
    )


def keys_of(**more: Any) -> list[str]:
    fields = {key: value for key, value in (PLAIN | more).items() if value is not None}
    return [m.id for m in read_fields(fields, name="test").assumptions]


def test_a_plain_config_is_one_group_and_assumes_nothing() -> None:
    assert groups() == (FULL_4,)
    assert keys_of() == []


def test_without_kv_heads_every_query_head_keeps_its_own() -> None:
    assert groups(num_key_value_heads=None) == (full(4, heads=16),)
    assert keys_of(num_key_value_heads=None) == ["hardware.assume.mha"]


def test_without_head_dim_it_is_hidden_over_heads_and_said() -> None:
    assert groups(head_dim=None) == (full(4),)
    assert keys_of(head_dim=None) == ["hardware.assume.head_dim"]
    with pytest.raises(DataError) as caught:
        groups(head_dim=None, hidden_size=2049)
    assert caught.value.message.values["field"] == "head_dim"


@pytest.mark.parametrize(
    "fields",
    [
        {"layer_types": ["full_attention", "sliding_attention"] * 2, "sliding_window": 64},
        {"hybrid_layer_pattern": [0, 1, 1, 0], "sliding_window": 64},
        {"sliding_window_pattern": 2, "sliding_window": 64},
        {"model_type": "gemma2", "sliding_window": 64},
    ],
)
def test_windows_are_understood_however_they_are_said(fields: dict[str, Any]) -> None:
    assert groups(**fields) == (full(2), sliding(2, 64))


def test_a_window_that_is_off_or_null_is_none() -> None:
    assert groups(sliding_window=64, use_sliding_window=False) == (FULL_4,)
    assert groups(sliding_window=None) == (FULL_4,)


def test_a_window_without_a_list_holds_for_all_layers_and_is_said() -> None:
    assert groups(sliding_window=64) == (sliding(4, 64),)
    assert keys_of(sliding_window=64) == ["hardware.assume.all_sliding"]


KDA = {"num_heads": 8, "head_dim": 128, "short_conv_kernel_size": 4}
KDA_STATE = KvGroup(
    kind="linear_state", layers=3, state_bytes=8 * 128 * 128 * 4, conv_bytes=3 * 8 * 128 * 3 * 2
)


def test_layers_with_a_state_are_counted_apart() -> None:
    assert groups(linear_attn_config=KDA | {"full_attn_layers": [4]}) == (full(1), KDA_STATE)
    delta = {
        "linear_num_value_heads": 8, "linear_num_key_heads": 4, "linear_key_head_dim": 128,
        "linear_value_head_dim": 64, "linear_conv_kernel_dim": 4,
    }  # fmt: skip
    state = KvGroup(
        kind="linear_state", layers=3, state_bytes=8 * 128 * 64 * 4,
        conv_bytes=(2 * 4 * 128 + 8 * 64) * 3 * 2,
    )  # fmt: skip
    assert groups(full_attention_interval=4, **delta) == (full(1), state)
    types = ["linear_attention"] * 3 + ["full_attention"]
    assert groups(layer_types=types, **delta) == (full(1), state)


def test_mamba_patterns_count_only_what_keeps_something() -> None:
    mamba = {
        "mamba_num_heads": 64, "mamba_head_dim": 64, "ssm_state_size": 128, "conv_kernel": 4,
        "n_groups": 8,
    }  # fmt: skip
    state = KvGroup(
        kind="linear_state", layers=2, state_bytes=64 * 64 * 128 * 4,
        conv_bytes=(64 * 64 + 2 * 8 * 128) * 3 * 2,
    )  # fmt: skip
    assert groups(hybrid_override_pattern="ME*-M", **mamba) == (full(1), state)
    words = ["mamba", "moe", "attention", "moe", "mamba"]
    assert groups(layers_block_type=words, num_hidden_layers=None, **mamba) == (full(1), state)


def test_latent_attention_is_one_vector_whatever_the_heads() -> None:
    mla = {
        "kv_lora_rank": 512, "qk_rope_head_dim": 64, "qk_nope_head_dim": 128, "v_head_dim": 128,
        "index_head_dim": 128,
    }  # fmt: skip
    latent = KvGroup(kind="mla", layers=4, latent=512, rope=64, key_dim=192, value_dim=128)
    index = KvGroup(kind="indexer", layers=4, bytes_per_token=132)
    assert set(groups(**mla)) == {latent, index}


def test_layers_may_have_their_own_number_of_heads() -> None:
    blocks = [
        {"attention": {"n_heads_in_group": 8}}, {"attention": {"no_op": True}},
        {"attention": {"n_heads_in_group": 4}}, {"attention": {"n_heads_in_group": 8}},
    ]  # fmt: skip
    found = groups(block_configs=blocks, num_key_value_heads=None)
    assert found == (full(2, heads=2), full(1, heads=4))


def test_the_text_part_of_a_multimodal_config_is_read() -> None:
    nested = {"text_config": PLAIN, "vision_config": {"hidden_size": 64}}
    assert read_fields(nested, name="test").spec.groups == (FULL_4,)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("not json", ""),
        ("[]", ""),
        (json.dumps(PLAIN | {"num_attention_heads": "many"}), "num_attention_heads"),
        (json.dumps(PLAIN | {"num_attention_heads": True}), "num_attention_heads"),
        (json.dumps(PLAIN | {"layer_types": ["psychic"]}), "layer_types"),
        (json.dumps(PLAIN | {"hybrid_layer_pattern": [2]}), "hybrid_layer_pattern"),
        (json.dumps(PLAIN | {"layer_types": ["mamba"] * 4}), "linear_attn_config"),
        (json.dumps({"hidden_size": 8}), "num_hidden_layers"),
    ],
)
def test_a_wrong_config_is_refused_with_its_field(text: str, field: str) -> None:
    with pytest.raises(DataError) as caught:
        read_config(text, name="config.json")
    assert caught.value.message.values["field"] == field


SOME_FIELDS = [
    *PLAIN, "layer_types", "text_config", "linear_attn_config", "block_configs", "compress_ratios",
]  # fmt: skip
ATOMS = st.none() | st.booleans() | st.integers() | st.text(max_size=5)


def nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    fields = st.dictionaries(st.sampled_from(SOME_FIELDS), inner, max_size=6)
    return st.lists(inner, max_size=3) | fields


@given(st.recursive(ATOMS, nested, max_leaves=12))
def test_nothing_but_a_data_error_ever_comes_out(raw: Any) -> None:
    try:
        found = read_config(json.dumps(raw), name="x")
    except DataError:
        return
    assert reserved_per_token(found.spec, kv_format("bf16")) >= 0


def published() -> list[tuple[str, Path]]:
    """Models of ours whose published config lies in an installed package."""
    spec = importlib.util.find_spec("aiconfigurator_core")
    if spec is None or spec.origin is None:
        return []
    folder = Path(spec.origin).parent / "model_configs"
    named = [
        (m.id, folder / f"{m.repository.replace('/', '--')}_config.json")
        for m in load_hardware().models.values()
        if m.repository
    ]
    return [(model, path) for model, path in named if path.exists()]


@pytest.mark.skipif(not published(), reason="aiconfigurator-core is not installed")
def test_published_configs_come_to_the_groups_of_our_table() -> None:
    def order(group: KvGroup) -> tuple[str, int]:
        return group.kind, group.ratio_tokens

    models, found = load_hardware().models, published()
    assert len(found) >= 30
    for model, path in found:
        spec = read_config(path.read_text(), name=model).spec
        want = sorted(models[model].groups, key=order)
        assert sorted(spec.groups, key=order) == want, model
        bf16 = kv_format("bf16")
        assert growing_per_token(spec, bf16) == growing_per_token(models[model], bf16)
