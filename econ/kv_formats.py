"""How many bytes a kept key or value takes in each cache format, scales included.

Each format states what one token's vector of `dim` elements takes. A group of elements that
shares a scale is stored whole, so a vector that does not fill its last group still pays for it.
Sources: the block layouts of llama.cpp (q8_0: 32 values in 34 bytes, q4_0: 32 in 18), KIVI
(arXiv 2402.02750) for 4 bits with keys by channel, and plain element sizes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from messages.errors import Message, UsageError


@dataclass(frozen=True, slots=True)
class ElementFormat:
    """`group` elements of one token take `group_bytes` bytes. `by_head`: the group is the whole
    vector, whose elements take `group_bytes` each, and `scale_bytes` come on top."""

    group: int
    group_bytes: Fraction
    scale_bytes: int = 0
    by_head: bool = False

    def vector_bytes(self, dim: int) -> Fraction:
        """Bytes of one token's vector of `dim` elements."""
        if self.by_head:
            return dim * self.group_bytes + self.scale_bytes
        return -(-dim // self.group) * self.group_bytes


@dataclass(frozen=True, slots=True)
class KvFormat:
    """A cache format: keys and values apart."""

    name: str
    key: ElementFormat
    value: ElementFormat


def _plain(size: int) -> ElementFormat:
    return ElementFormat(1, Fraction(size))


_FP32, _TWO, _ONE = _plain(4), _plain(2), _plain(1)
_Q8_0, _Q4_0 = ElementFormat(32, Fraction(34)), ElementFormat(32, Fraction(18))
_INT8_HEAD = ElementFormat(1, Fraction(1), scale_bytes=2, by_head=True)
# 16 tokens of one channel share scale and zero point: 8 + 4 bytes, a sixteenth of it a token.
_INT4_CHANNEL = ElementFormat(1, Fraction(12, 16))
# 32 elements of one token share scale and zero point: 16 + 4 bytes.
_INT4_TOKEN = ElementFormat(32, Fraction(20))

ELEMENTS: Mapping[str, ElementFormat] = {
    "fp32": _FP32,
    "bf16": _TWO,
    "fp16": _TWO,
    "fp8": _ONE,
    "int8": _INT8_HEAD,
    "q8_0": _Q8_0,
    "q4_0": _Q4_0,
    "int4": _INT4_TOKEN,
    "int4-channel": _INT4_CHANNEL,
}
FORMATS: Mapping[str, KvFormat] = {
    **{name: KvFormat(name, one, one) for name, one in ELEMENTS.items() if name != "int4-channel"},
    "kivi4": KvFormat("kivi4", _INT4_CHANNEL, _INT4_TOKEN),
    "k8v4": KvFormat("k8v4", _INT8_HEAD, _INT4_TOKEN),
}
ALIASES = {
    "auto": "bf16", "bfloat16": "bf16", "f16": "fp16", "float16": "fp16", "half": "fp16",
    "f32": "fp32", "float32": "fp32", "fp8_e4m3": "fp8", "fp8_e5m2": "fp8", "f8": "fp8",
}  # fmt: skip


@lru_cache(maxsize=256)
def kv_format(name: str) -> KvFormat:
    """The format called `name`; `a/b` takes keys of one and values of another.

    UsageError for an unknown name, listing those there are.
    """
    text = name.strip().lower()
    key, slash, value = text.partition("/")
    if slash:
        return KvFormat(text, _element(key, name), _element(value, name))
    found = FORMATS.get(ALIASES.get(text, text))
    if found is None:
        raise _unknown(name)
    return found


def _element(text: str, name: str) -> ElementFormat:
    found = ELEMENTS.get(ALIASES.get(text, text))
    if found is None:
        raise _unknown(name)
    return found


def _unknown(name: str) -> UsageError:
    known = ", ".join(FORMATS)
    return UsageError(Message("hardware.unknown_dtype", {"found": name, "known": known}))
