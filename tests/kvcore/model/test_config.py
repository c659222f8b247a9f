"""A config.json becomes a shape, or one sentence that names the field which cannot be run."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from kvcore.errors import KvcoreError
from kvcore.model.shape import ModelShape, RopeScaling

LLAMA_8B: dict[str, Any] = {
    "model_type": "llama",
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
    "max_position_embeddings": 131072,
    "rope_theta": 500000.0,
    "rms_norm_eps": 1e-5,
    "hidden_act": "silu",
    "rope_scaling": {
        "rope_type": "llama3",
        "factor": 8.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 8192,
    },
}
DEEPSEEK_V3: dict[str, Any] = {
    "model_type": "deepseek_v3",
    "hidden_size": 7168,
    "intermediate_size": 18432,
    "num_hidden_layers": 61,
    "num_attention_heads": 128,
    "num_key_value_heads": 128,
    "vocab_size": 129280,
    "q_lora_rank": 1536,
    "kv_lora_rank": 512,
    "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64,
    "v_head_dim": 128,
    "first_k_dense_replace": 3,
    "n_routed_experts": 256,
}


def test_llama_3_1_8b_by_hand() -> None:
    shape = ModelShape.from_config(LLAMA_8B, name="Llama 3.1 8B")
    assert shape.kv_elements_per_token == 2 * 32 * 8 * 128 == 65_536
    assert shape.parameters == 8_030_261_248
    assert shape.group == 4
    assert shape.rope_scaling == RopeScaling(
        factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_context=8192
    )


def test_absent_kv_heads_mean_that_every_head_has_its_own() -> None:
    config = {key: value for key, value in LLAMA_8B.items() if key != "num_key_value_heads"}
    assert ModelShape.from_config(config).kv_heads == 32


def test_an_explicit_head_size_wins() -> None:
    assert ModelShape.from_config({**LLAMA_8B, "head_dim": 64}).head_dim == 64


def test_rotary_numbers_are_found_in_either_place() -> None:
    config = {key: value for key, value in LLAMA_8B.items() if not key.startswith("rope")}
    newer = {**config, "rope_parameters": {**LLAMA_8B["rope_scaling"], "rope_theta": 500000.0}}
    assert ModelShape.from_config(newer) == ModelShape.from_config(LLAMA_8B)


def test_a_sliding_window_bounds_the_context_that_is_exact() -> None:
    windowed = {**LLAMA_8B, "model_type": "mistral", "sliding_window": 4096}
    assert ModelShape.from_config(windowed).max_context == 4096
    unused = {**LLAMA_8B, "model_type": "qwen2", "sliding_window": 4096}
    shape = ModelShape.from_config({**unused, "use_sliding_window": False})
    assert shape.max_context == 131072


def test_latent_attention_keeps_rank_and_rope_a_layer_once() -> None:
    shape = ModelShape.from_config(DEEPSEEK_V3, layers=3)
    assert shape.kv_elements_per_token == 3 * (512 + 64)
    assert shape.head_dim == 192


def test_a_mixture_of_experts_is_refused_but_for_its_dense_layers() -> None:
    with pytest.raises(KvcoreError, match=r"n_routed_experts = 256.*first 3 are dense"):
        ModelShape.from_config(DEEPSEEK_V3)
    assert ModelShape.from_config(DEEPSEEK_V3, layers=2).layers == 2


def test_fewer_layers_are_named() -> None:
    shape = ModelShape.from_config(LLAMA_8B, name="Llama").with_layers(4)
    assert (shape.layers, shape.name) == (4, "Llama (4 layers)")


@pytest.mark.parametrize("field", ["model_type", "hidden_size", "num_hidden_layers", "vocab_size"])
def test_a_field_that_is_missing_is_named(field: str) -> None:
    config = {key: value for key, value in LLAMA_8B.items() if key != field}
    with pytest.raises(KvcoreError, match=f"has no {field}"):
        ModelShape.from_config(config)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("model_type", "gemma3"),
        ("hidden_act", "gelu"),
        ("mlp_bias", True),
        ("attention_bias", True),
        ("partial_rotary_factor", 0.5),
        ("quantization_config", {"quant_method": "gptq"}),
        ("num_local_experts", 8),
        ("num_key_value_heads", 5),
        ("head_dim", 63),
        ("hidden_size", -1),
        ("hidden_size", "4096"),
        ("vocab_size", True),
        ("rms_norm_eps", float("nan")),
        ("rope_theta", float("inf")),
    ],
)
def test_what_the_engine_does_not_compute_is_refused_by_name(field: str, value: object) -> None:
    with pytest.raises(KvcoreError) as refused:
        ModelShape.from_config({**LLAMA_8B, field: value})
    assert refused.value.message_id == "kvcore.config_unsupported"
    assert refused.value.values["field"] == field
    assert f"{field} = {value}" in str(refused.value)


def test_another_stretching_of_rotary_frequencies_is_refused() -> None:
    with pytest.raises(KvcoreError, match=r"rope_scaling\.rope_type = yarn"):
        ModelShape.from_config({**LLAMA_8B, "rope_scaling": {"rope_type": "yarn", "factor": 4}})


def test_an_error_survives_pickling() -> None:
    with pytest.raises(KvcoreError) as refused:
        ModelShape.from_config({})
    again = pickle.loads(pickle.dumps(refused.value))  # noqa: S301
    assert (again.message_id, again.values) == (refused.value.message_id, refused.value.values)
    assert str(again) == "The model's config has no model_type."
