"""Constant prices that reproduce stated costs: with which table did somebody else compute?"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

import numpy as np

from econ.money import (
    E13_PER_USD,
    E13_PER_USD_PER_MTOK,
    MoneyArray,
    e13_per_token,
    fits_int64,
)
from econ.workload import IntArray

TOLERANCE_E13 = E13_PER_USD // 1_000_000  # a stated cost counts as reproduced within 1e-6 USD
DECIMALS = (2, 4, 6)  # prices are published with few decimals: the roundest that fits is taken


def fit_prices(
    tokens: Mapping[str, IntArray], stated_e13: MoneyArray
) -> Mapping[str, Decimal] | None:
    """USD per million tokens by bucket, constant over all rows, such that each row's stated cost
    is reproduced to 1e-6 USD. None where there is no such set, or where the rows allow several."""
    used = {bucket: counts for bucket, counts in tokens.items() if bool((counts > 0).any())}
    if not used or len(stated_e13) <= len(used):
        return None
    matrix = np.stack(list(used.values()), axis=1).astype(np.float64)
    solution, _, rank, _ = np.linalg.lstsq(matrix, stated_e13.astype(np.float64), rcond=None)
    if rank < len(used):
        return None
    for decimals in DECIMALS:
        usd = [round(Decimal(float(p) / E13_PER_USD_PER_MTOK), decimals) for p in solution]
        if _reproduces(list(used.values()), usd, stated_e13):
            return dict(zip(used, usd, strict=True))
    return None


def _reproduces(columns: list[IntArray], usd: list[Decimal], stated_e13: MoneyArray) -> bool:
    if min(usd) < 0:
        return False
    prices = [e13_per_token(price) for price in usd]
    largest = [(int(counts.max()), price) for counts, price in zip(columns, prices, strict=True)]
    fits = fits_int64([*largest, (int(abs(stated_e13).max()), 1)])
    gap = stated_e13.astype(np.int64 if fits else object)
    for counts, price in zip(columns, prices, strict=True):
        gap = gap - counts.astype(gap.dtype) * price
    return bool((abs(gap) <= TOLERANCE_E13).all())
