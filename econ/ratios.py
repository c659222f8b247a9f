"""Hit ratios, each under its own name: by token, by request, weighted by dollars."""

from __future__ import annotations

import numpy as np

from econ.bill_sheet import NOT_BILLED, Bill
from econ.report import Ratios
from econ.usage import PROMPT_BUCKETS, requests_in


def token_hit_ratio(uncached: int, read: int, written: int) -> float | None:
    """reads / (uncached + reads + writes), 0..1; None where there is no prompt token (D06)."""
    prompt = uncached + read + written
    return read / prompt if prompt else None


def ratios_of(bill: Bill) -> Ratios:
    """The ratios over the rows that say what the cache did and were not refused as failed.

    `request_hit` is None where rows are sums over requests. `usd_weighted_hit` is over the priced
    rows alone. `n` is the requests behind the ratios (rows, where requests are not counted).
    """
    usage = bill.usage
    rows = usage.says_cache & (bill.status != NOT_BILLED)
    sums = {b: int(c[rows].sum()) for b, c in usage.tokens.items() if b in PROMPT_BUCKETS}
    uncached, read = sums.pop("uncached"), sums.pop("read", 0)
    single = not bool((usage.is_bucket & rows).any())
    requests = requests_in(usage, rows)
    n = int(rows.sum()) if requests is None else requests
    hits = int((usage.tokens["read"][rows] > 0).sum()) if "read" in usage.tokens else 0
    return Ratios(
        token_hit=token_hit_ratio(uncached, read, sum(sums.values())),
        request_hit=hits / n if single and n else None,
        usd_weighted_hit=_weighted(bill) if bool(np.any(rows)) else None,
        n=n,
    )


def _weighted(bill: Bill) -> float | None:
    if not bill.prompt_at_input_e13:
        return None
    return bill.read_at_input_e13 / bill.prompt_at_input_e13
