"""A safetensors header as KV groups: eight bytes of length, then JSON with every tensor's shape.

Format: https://huggingface.co/docs/safetensors. A header holds widths and nothing else: the width
of a layer's keys and values is exact, how it divides into heads is not always there, and windows
never are. What is taken instead is listed.
"""

from __future__ import annotations

import json
import re
import struct
from collections import Counter
from collections.abc import Mapping
from math import prod
from typing import Any

from econ.gguf_header import bad_header
from econ.kv_config_fields import LARGEST, refused
from messages.errors import Message
from price_tables.hardware import KvGroup, ModelSpec

LENGTH_BYTES = 8
MOST_HEADER_BYTES = 25_000_000
USUAL_HEADS = (128, 64)
PACKED = ("U8", "I32", "I8")
_LAYER = re.compile(r"(?:^|\.)(?:layers|h|blocks)\.(\d+)\.(.+)$")
_PART_OF = re.compile(r"-of-0*([1-9]\d*)\.")
_RECURRENT = re.compile(r"(?:^|\.)(?:linear_attn|mamba|A_log|mixer\.(?:A_log|D)|ssm)")
Shapes = Mapping[str, tuple[int, ...]]


def is_safetensors(data: bytes) -> bool:
    """The data starts as a safetensors file does: a length, then a JSON object."""
    return data[5:LENGTH_BYTES] == bytes(3) and data[LENGTH_BYTES : LENGTH_BYTES + 1] == b"{"


def read_safetensors(
    data: bytes, *, name: str, as_of: str = ""
) -> tuple[ModelSpec, tuple[Message, ...]]:
    """The model whose tensors the header lists, and what was assumed. DataError naming the place.
    `data` may end after the header."""
    tensors = _tensors(data, name)
    layers = _by_layer(tensors)
    found = [name for name in tensors if _RECURRENT.search(name)]
    if found:
        raise refused(name, found[0], "config_json", None)
    _whole(layers, name)
    assumptions: list[Message] = [Message("hardware.assume.no_windows")]
    groups, heads = [], 0
    kinds: Counter[tuple[KvGroup, int]] = Counter()
    for at in sorted(layers):
        kinds[_layer(layers[at], name, at, assumptions)] += 1
    for (group, query), number in kinds.items():
        groups.append(_times(group, number))
        heads = max(heads, query)
    hidden = next((s[1] for n, s in tensors.items() if "embed" in n and len(s) == 2), 0)
    total = sum(prod(shape) for shape in tensors.values())
    spec = ModelSpec(
        id=name,
        name=name,
        repository=None,
        parameters_total=total,
        parameters_active=None,
        parameters_verified=False,
        hidden=hidden or next(iter(layers[0].values()))[-1],
        layers=len(layers),
        query_heads=heads or 1,
        experts=None,
        experts_per_token=None,
        attention="MLA" if groups[0].kind == "mla" else _kind(groups[0], heads),
        max_context_tokens=None,
        checkpoint_dtype="safetensors",
        groups=tuple(groups),
        source="safetensors",
        as_of=as_of,
    )
    return spec, tuple(dict.fromkeys(assumptions))


def _tensors(data: bytes, name: str) -> dict[str, tuple[int, ...]]:
    """Shapes by tensor name, without those whose elements are packed."""
    (length,) = struct.unpack_from("<Q", data)
    if length > MOST_HEADER_BYTES:
        raise bad_header(name, 0, "safetensors_length")
    if LENGTH_BYTES + length > len(data):
        raise bad_header(name, len(data), "safetensors_whole")
    try:
        raw = json.loads(data[LENGTH_BYTES : LENGTH_BYTES + length])
    except (ValueError, RecursionError) as error:
        raise bad_header(name, LENGTH_BYTES, "safetensors_json") from error
    found = {}
    for tensor, entry in raw.items() if isinstance(raw, dict) else ():
        if tensor == "__metadata__":
            continue
        shape = entry.get("shape") if isinstance(entry, dict) else None
        if not isinstance(shape, list) or not all(_size(n) for n in shape):
            raise refused(name, str(tensor)[:120], "shape", None)
        if entry.get("dtype") not in PACKED:
            found[str(tensor)] = tuple(shape)
    return found


def _size(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LARGEST


def _by_layer(tensors: Shapes) -> dict[int, dict[str, tuple[int, ...]]]:
    """Tensors of attention by layer, under the part of their name that says what they are."""
    layers: dict[int, dict[str, tuple[int, ...]]] = {}
    for tensor, shape in tensors.items():
        match = _LAYER.search(tensor)
        if match and "vision" not in tensor and "visual" not in tensor and len(match[1]) <= 5:
            part = match[2].removesuffix(".weight").rsplit(".", 1)[-1]
            if match[2].endswith(".weight") and ("attn" in match[2] or "attention" in match[2]):
                layers.setdefault(int(match[1]), {})[part] = shape
    return layers


def _whole(layers: Mapping[int, object], name: str) -> None:
    """A file that holds some of the layers only says so by its name or by the gap."""
    part = _PART_OF.search(name)
    if not layers:
        raise refused(name, "k_proj", "attention_tensors", None)
    if sorted(layers) != list(range(len(layers))) or (part and int(part[1]) > 1):
        raise refused(name, "layers", "all_layers", f"{min(layers)}-{max(layers)}")


def _layer(
    parts: Mapping[str, tuple[int, ...]], name: str, at: int, assumptions: list[Message]
) -> tuple[KvGroup, int]:
    """One layer's group and its query heads (0: not known)."""
    if "kv_a_proj_with_mqa" in parts and "kv_a_layernorm" in parts:
        return _latent(parts, name, at)
    key, value = (parts.get(part, (0,))[0] for part in ("k_proj", "v_proj"))
    query = parts.get("q_proj", (0,))[0]
    fused, out = parts.get("qkv_proj"), parts.get("o_proj")
    if not key and fused and out and len(out) == 2:
        query = out[1]
        key = value = (fused[0] - query) // 2
    if not key and not value:
        raise refused(name, f"layers.{at}", "attention_tensors", None)
    dim = parts.get("k_norm", parts.get("k_layernorm", (0,)))[0]
    if not dim or key % dim:
        dim = next((size for size in USUAL_HEADS if key % size == 0), key)
        assumptions.append(Message("hardware.assume.head_of", {"dim": dim}))
    heads = max(key // dim, 1)
    value_dim, rest = divmod(value or key, heads)
    if rest:
        raise refused(name, f"layers.{at}.v_proj", "divisor", str(value))
    group = KvGroup(kind="full", layers=1, kv_heads=heads, key_dim=dim, value_dim=value_dim)
    return group, query // dim


def _latent(parts: Mapping[str, tuple[int, ...]], name: str, at: int) -> tuple[KvGroup, int]:
    """MLA: rank and position part, and the heads' own widths from the matrices that open them."""
    rank = parts["kv_a_layernorm"][0]
    rope = parts["kv_a_proj_with_mqa"][0] - rank
    if rank <= 0 or rope < 0:
        raise refused(name, f"layers.{at}.kv_a_proj_with_mqa", "shape", None)
    opened = parts.get("kv_b_proj", (0,))[0]
    query = parts.get("q_b_proj", parts.get("q_proj", (0,)))[0]
    values = parts["o_proj"][1] if len(parts.get("o_proj", ())) == 2 else 0
    heads = (query - (opened - values)) // rope if rope and opened and values else 0
    own = heads > 0 and query % heads == 0 and values % heads == 0
    group = KvGroup(
        kind="mla", layers=1, latent=rank, rope=rope,
        key_dim=query // heads if own else 0, value_dim=values // heads if own else 0,
    )  # fmt: skip
    return group, heads if own else 0


def _times(group: KvGroup, layers: int) -> KvGroup:
    return KvGroup(
        kind=group.kind, layers=layers, kv_heads=group.kv_heads, key_dim=group.key_dim,
        value_dim=group.value_dim, latent=group.latent, rope=group.rope,
    )  # fmt: skip


def _kind(group: KvGroup, query_heads: int) -> str:
    if group.kv_heads == query_heads:
        return "MHA"
    return "MQA" if group.kv_heads == 1 else "GQA"
