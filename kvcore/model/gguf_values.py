"""Turns the bytes of a GGUF tensor into fp32: the common types here, the rest by the package gguf.

Layouts: https://github.com/ggml-org/ggml/blob/master/src/ggml-common.h. d and m are fp16; a Q4
block holds element i in the low and element i + 16 in the high half of byte i.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kvcore.optional import is_present

F32 = npt.NDArray[np.float32]
Raw = npt.NDArray[np.uint8]


class ValueType(NamedTuple):
    """A storage type: so many elements in a block of so many bytes."""

    name: str
    elements: int
    bytes: int
    decode: Callable[[Raw], F32]  # [blocks, bytes] -> [blocks, elements]


def _floats(dtype: type[np.generic]) -> Callable[[Raw], F32]:
    return lambda raw: raw.view(dtype).astype(np.float32)


def _bf16(raw: Raw) -> F32:
    return (raw.view(np.uint16).astype(np.uint32) << 16).view(np.float32)


def _half(raw: Raw) -> F32:
    """The fp16 at the start of each block, as a column."""
    return np.ascontiguousarray(raw[:, :2]).view(np.float16).astype(np.float32)


def _nibbles(raw: Raw) -> npt.NDArray[np.uint8]:
    return np.concatenate((raw & 15, raw >> 4), axis=1)


def _q4_0(raw: Raw) -> F32:
    return _half(raw) * (_nibbles(raw[:, 2:]).astype(np.float32) - 8)


def _q4_1(raw: Raw) -> F32:
    return _half(raw) * _nibbles(raw[:, 4:]).astype(np.float32) + _half(raw[:, 2:])


def _q8_0(raw: Raw) -> F32:
    return _half(raw) * np.ascontiguousarray(raw[:, 2:]).view(np.int8).astype(np.float32)


TYPES = {
    0: ValueType("F32", 1, 4, _floats(np.float32)),
    1: ValueType("F16", 1, 2, _floats(np.float16)),
    2: ValueType("Q4_0", 32, 18, _q4_0),
    3: ValueType("Q4_1", 32, 20, _q4_1),
    8: ValueType("Q8_0", 32, 34, _q8_0),
    30: ValueType("BF16", 1, 2, _bf16),
}


def value_type(type_id: int) -> ValueType | None:
    """The storage type of this number, or None where neither this file nor gguf knows it."""
    if type_id in TYPES:
        return TYPES[type_id]
    if not is_present("gguf"):
        return None
    from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType
    from gguf.quants import dequantize

    try:
        kind = GGMLQuantizationType(type_id)
        dequantize(np.zeros((1, GGML_QUANT_SIZES[kind][1]), np.uint8), kind)
    except (ValueError, KeyError, NotImplementedError):
        return None
    elements, size = GGML_QUANT_SIZES[kind]
    return ValueType(
        kind.name, elements, size, lambda raw: np.asarray(dequantize(raw, kind), np.float32)
    )
