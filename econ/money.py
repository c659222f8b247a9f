"""Exact money: integer counts of 1e-13 USD, their sums, and the one way they are rounded for show.

1e-13 USD is the smallest step over all price tables, modes and factors, so a price in USD per
million tokens is a whole number of them per token. An int64 holds 922,337 USD; what could pass that
goes through Python integers. Totals are always Python integers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from messages.errors import DataError, Message

MoneyArray: TypeAlias = npt.NDArray[Any]
"""1e-13 USD a row: int64, or dtype object (Python integers) where a row could pass 2^63."""

USD_DIGITS = 13
E13_PER_USD = 10**USD_DIGITS
E13_PER_USD_PER_MTOK = 10**7  # 1 USD per million tokens, in 1e-13 USD per token
INT64_MAX = 2**63 - 1

_EXACT = Context(prec=200)
_FLOAT_BITS = 53  # whole numbers below 2^53 are exact in a float64, and so are their sums


def e13_from_usd(usd: Decimal) -> int:
    """A USD amount as a count of 1e-13 USD, rounded half-up where it is finer than that."""
    scaled = _EXACT.multiply(usd, Decimal(E13_PER_USD))
    return int(scaled.to_integral_value(rounding=ROUND_HALF_UP))


def usd_from_e13(e13: int) -> Decimal:
    """The exact amount in USD, without trailing zeros."""
    return _EXACT.divide(Decimal(e13), Decimal(E13_PER_USD)).normalize(_EXACT)


def plain(value: Decimal) -> str:
    """A decimal as digits only: no exponent, no separators, no trailing zeros, no minus zero."""
    text = format(value.normalize(_EXACT), "f")
    return "0" if text == "-0" else text


def usd_text(e13: int) -> str:
    """A count of 1e-13 USD as a decimal string in USD: 55_750_000_000_000 -> '5.575'."""
    return plain(usd_from_e13(e13))


def product(one: Decimal, other: Decimal) -> Decimal:
    """The exact product, without trailing zeros."""
    return _EXACT.multiply(one, other).normalize(_EXACT)


def shown(value: Decimal, places: int) -> Decimal:
    """`value` rounded half-up to `places` decimals; halves go away from zero."""
    return value.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP, context=_EXACT)


def e13_per_token(usd_per_mtok: Decimal) -> int:
    """A price as whole 1e-13 USD per token. Raises DataError where the price is finer than that."""
    scaled = _EXACT.multiply(usd_per_mtok, Decimal(E13_PER_USD_PER_MTOK))
    if scaled != scaled.to_integral_value():
        raise DataError(Message("report.price_too_fine", {"price": plain(usd_per_mtok)}))
    return int(scaled)


def rounded(value: Fraction) -> int:
    """The nearest integer; halves go away from zero."""
    floor_of_double = (abs(value) * 2 + 1) // 2
    return int(floor_of_double if value >= 0 else -floor_of_double)


def fits_int64(bounds: Sequence[tuple[int, int]]) -> bool:
    """Whether the sum of products (largest count, largest price) stays inside an int64."""
    return sum(abs(count) * abs(price) for count, price in bounds) <= INT64_MAX


def total(values: MoneyArray) -> int:
    """The exact sum as a Python integer, whatever its size."""
    if values.dtype == object:
        return int(sum(values.tolist()))
    high, low = values >> 32, values & 0xFFFFFFFF
    return (int(high.sum(dtype=np.int64)) << 32) + int(low.sum(dtype=np.int64))


def grouped_totals(codes: npt.NDArray[Any], values: MoneyArray, groups: int) -> list[int]:
    """The exact sum of `values` for each code 0..groups-1 as Python integers.

    int64 values are cut into limbs so short that each float64 sum of `bincount` is exact, and so
    few as the largest value needs. The last limb keeps the sign.
    """
    if values.dtype == object:
        sums = [0] * groups
        for code, value in zip(codes.tolist(), values.tolist(), strict=True):
            sums[code] += value
        return sums
    result = [0] * groups
    low, high = int(values.min(initial=0)), int(values.max(initial=0))
    if low == high == 0:
        return result
    value_bits = max(low.bit_length(), high.bit_length())
    limb_bits = _FLOAT_BITS - len(values).bit_length()
    for shift in range(0, value_bits, limb_bits):
        limb = values >> shift if shift else values
        if shift + limb_bits < value_bits:
            limb = limb & ((1 << limb_bits) - 1)
        part = np.bincount(codes, weights=limb.astype(np.float64), minlength=groups)
        result = [old + (int(new) << shift) for old, new in zip(result, part.tolist(), strict=True)]
    return result


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """An amount of money in 1e-13 USD: exact, or a range low <= high. Negative = a loss."""

    low_e13: int
    high_e13: int

    def __post_init__(self) -> None:
        if self.low_e13 > self.high_e13:
            raise AssertionError(f"amount from {self.low_e13} to {self.high_e13}")

    @classmethod
    def exactly(cls, e13: int) -> Amount:
        """One amount, no range."""
        return cls(low_e13=e13, high_e13=e13)

    @classmethod
    def exactly_usd(cls, usd: Decimal) -> Amount:
        """One amount in USD, no range; rounded half-up where it is finer than 1e-13 USD."""
        return cls.exactly(e13_from_usd(usd))

    @property
    def exact(self) -> bool:
        """Low and high are the same."""
        return self.low_e13 == self.high_e13

    @property
    def low_usd(self) -> Decimal:
        """The low end in USD, exact."""
        return usd_from_e13(self.low_e13)

    @property
    def high_usd(self) -> Decimal:
        """The high end in USD, exact."""
        return usd_from_e13(self.high_e13)

    @property
    def usd(self) -> Decimal | None:
        """The amount in USD; None where only a range is known."""
        return self.low_usd if self.exact else None

    def __add__(self, other: Amount) -> Amount:
        return Amount(low_e13=self.low_e13 + other.low_e13, high_e13=self.high_e13 + other.high_e13)

    def less(self, other: Amount) -> Amount:
        """The difference end by end, for two amounts that are uncertain for the same reason."""
        ends = (self.low_e13 - other.low_e13, self.high_e13 - other.high_e13)
        return Amount(low_e13=min(ends), high_e13=max(ends))

    def negated(self) -> Amount:
        """The amount with the other sign: a loss as the size of a loss."""
        return Amount(low_e13=-self.high_e13, high_e13=-self.low_e13)

    def times(self, factor: Fraction) -> Amount:
        """The amount multiplied by a factor >= 0, each end rounded half-up to 1e-13 USD."""
        return Amount(
            low_e13=rounded(self.low_e13 * factor), high_e13=rounded(self.high_e13 * factor)
        )

    def to_json(self) -> str | dict[str, str | None]:
        """A decimal string in USD, or {"value": None, "low", "high"} for a range."""
        if self.exact:
            return usd_text(self.low_e13)
        return {"value": None, "low": usd_text(self.low_e13), "high": usd_text(self.high_e13)}
