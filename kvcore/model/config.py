"""Reads a Hugging Face config.json into a ModelShape, refusing what the engine does not compute."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kvcore.errors import KvcoreError
from kvcore.model.shape import MlaShape, ModelShape, RopeScaling

#: Llama's plain block: RMS norm, rotary attention, SwiGLU. Others differ in more than numbers.
GROUPED_TYPES = ("llama", "mistral", "qwen2", "qwen3")
LATENT_TYPES = ("deepseek_v2", "deepseek_v3")

Config = Mapping[str, Any]


def missing(field: str) -> KvcoreError:
    return KvcoreError(
        "kvcore.config_field_missing", "The model's config has no {field}.", {"field": field}
    )


def unsupported(field: str, value: object, supported: str) -> KvcoreError:
    """What a field asks for is not computed here; supported says what is."""
    return KvcoreError(
        "kvcore.config_unsupported",
        "The model's config says {field} = {value}; the engine runs {supported}.",
        {"field": field, "value": str(value), "supported": supported},
    )


def _whole(config: Config, field: str, default: int | None = None) -> int:
    value = config.get(field)
    if value is None:
        value = default
    if value is None:
        raise missing(field)
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise unsupported(field, value, "whole numbers from 1 up")
    return value


def _number(config: Config, field: str, default: float) -> float:
    value = config.get(field)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e18:
        raise unsupported(field, value, "positive numbers")
    return float(value)


def _rope(config: Config) -> Config:
    """theta and scaling together: newer configs hold both in rope_parameters, older ones apart."""
    rope = config.get("rope_parameters") or config.get("rope_scaling") or {}
    if not isinstance(rope, Mapping):
        raise unsupported("rope_parameters", rope, "a table of numbers")
    return rope


def _rope_scaling(config: Config) -> RopeScaling | None:
    rope = _rope(config)
    kind = rope.get("rope_type", rope.get("type", "default"))
    if kind == "default":
        return None
    if kind != "llama3":
        raise unsupported("rope_scaling.rope_type", kind, "default and llama3")
    for field in ("factor", "low_freq_factor", "high_freq_factor"):
        if field not in rope:
            raise missing(f"rope_scaling.{field}")
    return RopeScaling(
        factor=_number(rope, "factor", 1.0),
        low_freq_factor=_number(rope, "low_freq_factor", 1.0),
        high_freq_factor=_number(rope, "high_freq_factor", 4.0),
        original_context=_whole(rope, "original_max_position_embeddings"),
    )


def _refuse_other_blocks(config: Config, kind: str) -> None:
    """Every switch that would change what a layer computes must be where this engine expects it."""
    act = config.get("hidden_act", "silu")
    if act not in ("silu", "swish"):
        raise unsupported("hidden_act", act, "silu")
    for field in ("mlp_bias", "quantization_config"):
        if config.get(field):
            raise unsupported(field, config[field], "models without it")
    if config.get("attention_bias"):  # Qwen2's own bias on q, k and v is not this switch
        raise unsupported("attention_bias", True, "attention without a bias on its output")
    partial = config.get("partial_rotary_factor", _rope(config).get("partial_rotary_factor", 1.0))
    if kind not in LATENT_TYPES and partial not in (None, 1, 1.0):
        raise unsupported("partial_rotary_factor", partial, "fully rotated heads (1.0)")


def _dense_layers(config: Config, layers: int | None) -> int:
    """Layers to run. Experts are refused, unless only the dense first layers are asked for."""
    total = _whole(config, "num_hidden_layers")
    wanted = total if layers is None else min(layers, total)
    experts = config.get("n_routed_experts") or config.get("num_local_experts")
    dense = config.get("first_k_dense_replace", 0) if experts else total
    if wanted > dense:
        field = "n_routed_experts" if config.get("n_routed_experts") else "num_local_experts"
        raise unsupported(field, experts, f"dense layers; this model's first {dense} are dense")
    return wanted


def _window(config: Config, context: int) -> int:
    """The longest context at which a sliding window still hides nothing."""
    window = config.get("sliding_window")
    if window is None or config.get("use_sliding_window") is False:
        return context
    return min(context, _whole(config, "sliding_window"))


def _mla(config: Config, kind: str) -> MlaShape | None:
    if kind not in LATENT_TYPES:
        return None
    q_rank = config.get("q_lora_rank")
    return MlaShape(
        q_rank=None if q_rank is None else _whole(config, "q_lora_rank"),
        kv_rank=_whole(config, "kv_lora_rank"),
        nope_dim=_whole(config, "qk_nope_head_dim"),
        rope_dim=_whole(config, "qk_rope_head_dim"),
        v_dim=_whole(config, "v_head_dim"),
    )


def _head_sizes(config: Config, mla: MlaShape | None) -> tuple[int, int, int]:
    """heads, kv_heads, head_dim; absent num_key_value_heads means MHA."""
    heads = _whole(config, "num_attention_heads")
    if mla is not None:
        if mla.rope_dim % 2:
            raise unsupported("qk_rope_head_dim", mla.rope_dim, "even rotary sizes")
        return heads, heads, mla.nope_dim + mla.rope_dim
    kv_heads = _whole(config, "num_key_value_heads", heads)
    if heads % kv_heads:
        raise unsupported("num_key_value_heads", kv_heads, f"divisors of {heads} heads")
    hidden = _whole(config, "hidden_size")
    if config.get("head_dim") is None and hidden % heads:
        raise missing("head_dim")
    head_dim = _whole(config, "head_dim", hidden // heads)
    if head_dim % 2:
        raise unsupported("head_dim", head_dim, "even head sizes")
    return heads, kv_heads, head_dim


def shape_from_config(config: Config, *, name: str, layers: int | None) -> ModelShape:
    """See ModelShape.from_config."""
    kind = config.get("model_type")
    if kind is None:
        raise missing("model_type")
    if kind not in GROUPED_TYPES + LATENT_TYPES:
        raise unsupported("model_type", kind, ", ".join(GROUPED_TYPES + LATENT_TYPES))
    _refuse_other_blocks(config, kind)
    mla = _mla(config, kind)
    heads, kv_heads, head_dim = _head_sizes(config, mla)
    context = _whole(config, "max_position_embeddings", 2048)
    return ModelShape(
        name=name or str(config.get("_name_or_path") or kind),
        layers=_dense_layers(config, layers),
        hidden=_whole(config, "hidden_size"),
        intermediate=_whole(config, "intermediate_size"),
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        vocab=_whole(config, "vocab_size"),
        rope_theta=_number({**config, **_rope(config)}, "rope_theta", 10_000.0),
        rope_scaling=_rope_scaling(config),
        norm_eps=_number(config, "rms_norm_eps", 1e-6),
        max_context=_window(config, context),
        tied_embeddings=bool(config.get("tie_word_embeddings", False)),
        qkv_bias=kind == "qwen2",
        qk_norm=kind == "qwen3",
        mla=mla,
    )
