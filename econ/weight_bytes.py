"""How many bytes a checkpoint's weights take: parameters times the width of their type.

An estimate: scales of block formats add a few per cent, layers kept in another type some more.
The bytes of the checkpoint's own files are better, and can be typed in wherever this is used.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil

from price_tables.hardware import ModelSpec

BYTES_OF: dict[str, Fraction] = {
    "float32": Fraction(4),
    "bfloat16": Fraction(2),
    "float16": Fraction(2),
    "float8_e4m3fn": Fraction(1),
    "fp8": Fraction(1),
    "mxfp4": Fraction(17, 32),  # 4 bits an element and a byte of scale for 32
    "nvfp4": Fraction(9, 16),  # 4 bits an element and a byte of scale for 16
    "int4": Fraction(1, 2),
}


def estimated_weights(model: ModelSpec) -> int | None:
    """Bytes of all weights as published; None where their number or their type is not known."""
    width = BYTES_OF.get(model.checkpoint_dtype.lower())
    if width is None or model.parameters_total is None:
        return None
    return ceil(model.parameters_total * width)
