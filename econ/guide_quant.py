"""A vector stored in fewer bits: its codes, its scale, and what comes back.

    integer  code = round(x / scale), scale = largest |x| of the group / (2^(bits-1) - 1)
    FP8      E4M3: 4 bits of exponent, 3 of fraction, largest value 448 (OCP 8-bit floating point,
             2023), after dividing by scale = largest |x| / 448

Keys and values of attention are stored by group: the smaller the group, the less one large element
takes away from the others, and the more scales there are to keep.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
Kind = Literal["int8", "int4", "int2", "fp8"]
BITS: dict[Kind, int] = {"int8": 8, "int4": 4, "int2": 2, "fp8": 8}
KINDS: tuple[Kind, ...] = ("fp8", "int8", "int4", "int2")
SCALE_BITS = 16
E4M3_LARGEST, E4M3_FRACTION, E4M3_LEAST_EXPONENT = 448.0, 3, -6


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantised:
    """`codes` are what is stored beside the scales: whole numbers, or FP8's own values. `back` is
    what is read again; `bits`: stored bits an element, scales of 16 bits included."""

    codes: tuple[float, ...]
    scales: tuple[float, ...]
    back: tuple[float, ...]
    bits: float
    worst: float
    relative_rms: float


def example_vector(elements: int = 16, outlier: float = 6.0, seed: int = 3) -> tuple[float, ...]:
    """Whole hundredths between -1 and 1, one of them `outlier`."""
    drawn = np.random.default_rng(seed).integers(-100, 101, elements) / 100
    drawn[elements // 3] = outlier
    return tuple(float(value) for value in drawn)


def quantise(values: Sequence[float], kind: Kind, group: int) -> Quantised:
    """Store `values` in groups of `group` elements, each with a scale of its own."""
    if group < 1 or not values:
        raise ValueError("a group holds at least one element")
    given = np.asarray(values, dtype=np.float64)
    codes, scales, back = [], [], []
    for start in range(0, len(given), group):
        part = given[start : start + group]
        code, scale = _stored(part, kind)
        codes += [float(c) for c in code]
        scales.append(scale)
        back += [float(c) for c in code * scale]
    error = np.asarray(back) - given
    size = float(np.sqrt((given**2).mean()))
    return Quantised(
        codes=tuple(codes),
        scales=tuple(scales),
        back=tuple(back),
        bits=BITS[kind] + SCALE_BITS * len(scales) / len(given),
        worst=float(np.abs(error).max()),
        relative_rms=float(np.sqrt((error**2).mean())) / size if size else 0.0,
    )


def _stored(part: FloatArray, kind: Kind) -> tuple[FloatArray, float]:
    largest = float(np.abs(part).max())
    if not largest:
        return part, 1.0
    if kind == "fp8":
        scale = largest / E4M3_LARGEST
        return to_e4m3(part / scale), scale
    scale = largest / (2 ** (BITS[kind] - 1) - 1)
    return np.asarray(np.rint(part / scale)), scale


def to_e4m3(values: FloatArray) -> FloatArray:
    """The nearest values of FP8 E4M3, ties to even; beyond the largest one, the largest."""
    _, exponent = np.frexp(values)
    step = np.exp2(np.maximum(exponent - 1, E4M3_LEAST_EXPONENT) - E4M3_FRACTION)
    return np.asarray(np.clip(np.rint(values / step) * step, -E4M3_LARGEST, E4M3_LARGEST))
