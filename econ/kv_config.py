"""A model's published config.json as KV groups: which layers keep a cache, and of what.

Configs say it in eight different ways; they are asked in the order of `_layers`, the most
explicit first. What a config leaves out is assumed and listed: nothing is guessed silently.

* A head's size is `head_dim`; hidden size over heads only where that field is absent.
* Without `num_key_value_heads` every query head has its own keys and values.
* `kv_lora_rank` means one latent vector a layer, whatever the head counts say.
* Sparse attention that chooses among kept tokens keeps them all.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from econ.kv_config_fields import Config, count, optional_count, refused
from econ.kv_config_states import compressed_groups, state_group
from messages.errors import Message
from price_tables.hardware import KvGroup, ModelSpec

FULL, SLIDING, CHUNKED, LINEAR, NONE = "full", "sliding", "chunked", "linear", "none"
_WORDS = {
    "full_attention": FULL, "deepseek_sparse_attention": FULL, "attention": FULL,
    "global": FULL, "full": FULL,
    "sliding_attention": SLIDING, "sliding": SLIDING, "local": SLIDING,
    "chunked_attention": CHUNKED, "linear_attention": LINEAR, "mamba": LINEAR, "kda": LINEAR,
    "moe": NONE, "mlp": NONE, "dense": NONE,
}  # fmt: skip
_PATTERN = {"M": LINEAR, "*": FULL, "E": NONE, "-": NONE}
_TEXT_PARTS = ("text_config", "language_config", "llm_config")
MAX_CHARACTERS = 8_000_000


@dataclass(frozen=True, slots=True)
class ReadConfig:
    """The model, and what had to be assumed."""

    spec: ModelSpec
    assumptions: tuple[Message, ...]


def read_config(text: str, *, name: str, as_of: str = "") -> ReadConfig:
    """The model described by `text`, a config.json. Raises DataError naming the field."""
    if len(text) > MAX_CHARACTERS:
        raise refused(name, "", "size", MAX_CHARACTERS)
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise refused(name, "", "json", None) from error
    if not isinstance(raw, dict):
        raise refused(name, "", "object", None)
    return read_fields(raw, name=name, as_of=as_of)


def read_fields(raw: Mapping[str, Any], *, name: str, as_of: str = "") -> ReadConfig:
    """As `read_config`, of a config that has been parsed."""
    fields = _text_part(raw)
    config = Config(name=name, fields=fields, assumptions=[])
    layers = _layers(config)
    groups = compressed_groups(config) or _by_block(config) or _groups(config, layers)
    if not groups:
        raise refused(name, "layer_types", "attention_layers", None)
    heads = count(config, "num_attention_heads")
    spec = ModelSpec(
        id=name,
        name=str(raw.get("_name_or_path") or name),
        repository=None,
        parameters_total=None,
        parameters_active=None,
        parameters_verified=False,
        hidden=count(config, "hidden_size"),
        layers=len(layers),
        query_heads=heads,
        experts=optional_count(config, "num_experts", "num_local_experts", "n_routed_experts"),
        experts_per_token=optional_count(
            config, "num_experts_per_tok", "num_experts_per_token", "top_k_experts", "moe_topk"
        ),
        attention=_kind(groups, heads),
        max_context_tokens=optional_count(config, "max_position_embeddings"),
        checkpoint_dtype=str(fields.get("dtype") or fields.get("torch_dtype") or "bfloat16"),
        groups=tuple(groups),
        source="config.json",
        as_of=as_of,
    )
    return ReadConfig(spec, tuple(config.assumptions))


def _text_part(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    for part in _TEXT_PARTS:
        inner = raw.get(part)
        if isinstance(inner, Mapping) and "hidden_size" in inner:
            return inner
    return raw


def _layers(config: Config) -> list[str]:
    """What each layer keeps, first to last."""
    fields = config.fields
    for key in ("layer_types", "layers_block_type"):
        if isinstance(fields.get(key), list):
            return [_word(config, key, word) for word in fields[key]]
    if isinstance(fields.get("hybrid_override_pattern"), str):
        return [_letter(config, letter) for letter in fields["hybrid_override_pattern"]]
    if isinstance(fields.get("block_configs"), list):
        return [FULL if heads else NONE for heads in _block_heads(config)]
    total = count(config, "num_hidden_layers")
    linear = fields.get("linear_attn_config")
    if isinstance(linear, Mapping) and isinstance(linear.get("full_attn_layers"), list):
        full = set(linear["full_attn_layers"])
        return [FULL if at in full else LINEAR for at in range(1, total + 1)]
    for key in ("hybrid_layer_pattern", "attn_type_list"):
        pattern = fields.get(key)
        if isinstance(pattern, list):
            other = SLIDING if key == "hybrid_layer_pattern" else LINEAR
            ones = {1: other, 0: FULL} if other == SLIDING else {1: FULL, 0: LINEAR}
            return [ones[_flag(config, key, value)] for value in pattern]
    every = optional_count(config, "full_attention_interval")
    if every:
        return [FULL if (at + 1) % every == 0 else LINEAR for at in range(total)]
    return _by_window(config, total)


def _by_window(config: Config, total: int) -> list[str]:
    """Windows without a list of layers: a stated pattern, a known family's rule, or every layer."""
    fields = config.fields
    if optional_count(config, "attention_chunk_size"):
        config.assume("every_fourth_full")
        return [FULL if (at + 1) % 4 == 0 else CHUNKED for at in range(total)]
    window = optional_count(config, "sliding_window")
    if not window or fields.get("use_sliding_window") is False or "kv_lora_rank" in fields:
        return [FULL] * total
    every = optional_count(config, "sliding_window_pattern")
    if every:
        return [FULL if (at + 1) % every == 0 else SLIDING for at in range(total)]
    if str(fields.get("model_type", "")).startswith("gemma2"):
        config.assume("every_second_full")
        return [SLIDING if at % 2 == 0 else FULL for at in range(total)]
    config.assume("all_sliding", window=window)
    return [SLIDING] * total


def _by_block(config: Config) -> list[KvGroup] | None:
    """Configs that give each layer its own number of KV heads, or none."""
    if not isinstance(config.fields.get("block_configs"), list):
        return None
    _, key, value = _widths(config, False, stated=1)
    return [
        KvGroup(kind="full", layers=layers, kv_heads=heads, key_dim=key, value_dim=value)
        for heads, layers in sorted(Counter(_block_heads(config)).items())
        if heads
    ]


def _block_heads(config: Config) -> list[int]:
    query_heads = count(config, "num_attention_heads")
    found = []
    for at, block in enumerate(config.fields["block_configs"]):
        attention = block.get("attention") if isinstance(block, Mapping) else None
        if not isinstance(attention, Mapping):
            raise refused(config.name, f"block_configs[{at}].attention", "object", None)
        if attention.get("no_op") or attention.get("replace_with_linear"):
            found.append(0)
        else:
            inner = Config(config.name, attention, config.assumptions)
            found.append(max(1, query_heads // count(inner, "n_heads_in_group")))
    return found


def _word(config: Config, key: str, word: object) -> str:
    kind = _WORDS.get(str(word))
    if kind is None:
        raise refused(config.name, key, "layer_word", str(word))
    return kind


def _letter(config: Config, letter: str) -> str:
    kind = _PATTERN.get(letter)
    if kind is None:
        raise refused(config.name, "hybrid_override_pattern", "layer_word", letter)
    return kind


def _flag(config: Config, key: str, value: object) -> int:
    if value not in (0, 1):
        raise refused(config.name, key, "zero_or_one", str(value))
    return int(bool(value))


def _groups(config: Config, layers: Sequence[str]) -> list[KvGroup]:
    found: list[KvGroup] = []
    for kind, number in Counter(layers).items():
        if kind == LINEAR:
            found.append(state_group(config, number))
        elif kind != NONE:
            found.append(_attention(config, kind, number))
    index = optional_count(config, "index_head_dim")
    if index and "kv_lora_rank" in config.fields:
        # An fp8 key and a 4-byte scale, by which sparse attention chooses.
        found.append(KvGroup(kind="indexer", layers=layers.count(FULL), bytes_per_token=index + 4))
    return sorted(found, key=lambda group: (group.kind == "linear_state", group.kind != "full"))


def _attention(config: Config, kind: str, layers: int) -> KvGroup:
    rank = optional_count(config, "kv_lora_rank")
    rope = optional_count(config, "qk_rope_head_dim")
    if rank:
        if rope is None:
            config.assume("rope_64")
        plain = optional_count(config, "qk_nope_head_dim") or 0
        return KvGroup(
            kind="mla", layers=layers, latent=rank, rope=64 if rope is None else rope,
            key_dim=plain + (rope or 64) if plain else 0,
            value_dim=optional_count(config, "v_head_dim") or 0 if plain else 0,
        )  # fmt: skip
    windowed = kind in (SLIDING, CHUNKED)
    heads, key, value = _widths(config, windowed)
    window = 0
    if windowed:
        field = "attention_chunk_size" if kind == CHUNKED else "sliding_window"
        window = count(config, field)
    group = KvGroup(
        kind="full", layers=layers, kv_heads=heads, key_dim=key, value_dim=value,
        window_tokens=window,
    )  # fmt: skip
    return replace(group, kind=kind) if windowed else group  # type: ignore[arg-type]


def _widths(config: Config, windowed: bool, stated: int | None = None) -> tuple[int, int, int]:
    """KV heads (`stated` where known), key width, value width; some models have others in their
    windowed or global layers."""
    query_heads = count(config, "num_attention_heads")
    prefix = "swa_" if windowed else "global_"
    own = "swa_num_key_value_heads" if windowed else "num_global_key_value_heads"
    heads = stated or optional_count(config, own, "num_key_value_heads")
    if heads is None:
        config.assume("mha", heads=query_heads)
        heads = query_heads
    key = optional_count(config, f"{prefix}head_dim", "head_dim", "attention_head_dim")
    if key is None:
        key, rest = divmod(count(config, "hidden_size"), query_heads)
        if rest:
            raise refused(config.name, "head_dim", "head_dim", None)
        config.assume("head_dim", found=key)
    value = optional_count(config, f"{prefix}v_head_dim", "v_head_dim")
    return heads, key, key if value is None else value


def _kind(groups: Sequence[KvGroup], query_heads: int) -> str:
    kinds = {group.kind for group in groups}
    if "mla" in kinds:
        base = "MLA"
    elif "compressed" in kinds:
        base = "compressed"
    else:
        heads = max(group.kv_heads for group in groups)
        base = "MHA" if heads == query_heads else "MQA" if heads == 1 else "GQA"
    extra = [kind for kind in ("sliding", "chunked", "linear_state", "indexer") if kind in kinds]
    return " + ".join([base, *extra])
