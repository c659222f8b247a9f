"""The metadata of a GGUF file as the fields of a config.json, which `kv_config` then reads.

A GGUF leaves out what its reader knows of an architecture: which layers have a window. Those rules
are llama.cpp's (src/llama-model.cpp); each that is used is listed as an assumption.
"""

from __future__ import annotations

from typing import Any

from econ.gguf_header import GgufHeader
from econ.gguf_keys import Keys
from econ.gguf_layers import layer_fields
from messages.errors import Message

PLAIN = {
    "hidden_size": "embedding_length",
    "max_position_embeddings": "context_length",
    "num_experts": "expert_count",
    "num_experts_per_tok": "expert_used_count",
    "head_dim": "attention.key_length",
    "v_head_dim": "attention.value_length",
    "swa_head_dim": "attention.key_length_swa",
    "swa_v_head_dim": "attention.value_length_swa",
    "sliding_window": "attention.sliding_window",
    "index_head_dim": "attention.indexer.key_length",
}  # fmt: skip
LLAMA4_CHUNK = 8192


def gguf_fields(header: GgufHeader, name: str) -> tuple[dict[str, Any], list[Message]]:
    """Fields as a config.json has them, and what was assumed. DataError naming the key."""
    keys = Keys(header.metadata, name)
    if not header.whole:
        keys.assume("header_cut")
    # Layers that predict further tokens stand among the others; they keep no cache of the answer.
    layers = keys.needed("block_count") - (keys.whole("nextn_predict_layers") or 0)
    fields: dict[str, Any] = {
        "model_type": keys.arch,
        "_name_or_path": str(header.metadata.get("general.name") or name),
        "dtype": "gguf",
        "num_hidden_layers": layers,
        "num_attention_heads": keys.needed("attention.head_count"),
        **{field: keys.whole(key) for field, key in PLAIN.items()},
    }
    keys.needed("embedding_length")
    if keys.arch == "llama4":
        keys.assume("llama4_chunk", chunk=LLAMA4_CHUNK)
        fields["attention_chunk_size"] = LLAMA4_CHUNK
    fields |= _latent(keys)
    fields |= layer_fields(keys, layers)
    return {field: value for field, value in fields.items() if value is not None}, keys.assumptions


def _latent(keys: Keys) -> dict[str, Any]:
    """MLA: older files give a head's own widths as key_length, newer ones as key_length_mla."""
    rank = keys.whole("attention.kv_lora_rank")
    if rank is None:
        return {}
    rope = keys.whole("rope.dimension_count")
    key = keys.whole("attention.key_length_mla") or keys.whole("attention.key_length")
    value = keys.whole("attention.value_length_mla") or keys.whole("attention.value_length")
    own = key is not None and rope is not None and key > rope and key != rank + rope
    return {
        "kv_lora_rank": rank,
        "qk_rope_head_dim": rope,
        "qk_nope_head_dim": key - rope if own and key and rope else None,
        "v_head_dim": value if own else None,
    }
