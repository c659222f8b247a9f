"""GGUF and safetensors headers made by hand, byte by byte."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from typing import Any

LLAMA: dict[str, Any] = {
    "general.architecture": "llama",
    "general.name": "Llama 3.1 8B",
    "llama.block_count": 32,
    "llama.context_length": 131072,
    "llama.embedding_length": 4096,
    "llama.attention.head_count": 32,
    "llama.attention.head_count_kv": 8,
    "llama.attention.key_length": 128,
    "llama.attention.value_length": 128,
}


def gguf(metadata: Mapping[str, Any], *, version: int = 3, tensors: int = 0) -> bytes:
    """A header with this metadata: whole numbers as u32, truth values, texts and lists of them."""
    start = b"GGUF" + struct.pack("<IQQ", version, tensors, len(metadata))
    return start + b"".join(_text(key) + _value(value) for key, value in metadata.items())


def _text(text: str) -> bytes:
    raw = text.encode()
    return struct.pack("<Q", len(raw)) + raw


def _value(value: Any) -> bytes:
    kind, data = _plain(value)
    if kind is not None:
        return struct.pack("<I", kind) + data
    inner = _plain(value[0])[0]
    assert inner is not None
    items = b"".join(_plain(item)[1] for item in value)
    return struct.pack("<IIQ", 9, inner, len(value)) + items


def _plain(value: Any) -> tuple[int | None, bytes]:
    if isinstance(value, bool):
        return 7, struct.pack("<?", value)
    if isinstance(value, int):
        return 4, struct.pack("<I", value)
    if isinstance(value, float):
        return 6, struct.pack("<f", value)
    if isinstance(value, str):
        return 8, _text(value)
    return None, b""


def safetensors(shapes: Mapping[str, Sequence[int]], dtype: str = "BF16") -> bytes:
    """A header that lists tensors of these shapes."""
    entries = {
        name: {"dtype": dtype, "shape": list(shape), "data_offsets": [0, 0]}
        for name, shape in shapes.items()
    }
    raw = json.dumps({"__metadata__": {"format": "pt"}, **entries}).encode()
    return struct.pack("<Q", len(raw)) + raw
