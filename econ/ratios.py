"""Hit ratios, each under its own name: by token, by request, weighted by dollars."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from econ.bill_sheet import Bill
from econ.report import Ratios
from econ.usage import PROMPT_BUCKETS, BoolArray, requests_in


def token_hit_ratio(uncached: int, read: int, written: int) -> float | None:
    """reads / (uncached + reads + writes), 0..1; None where there is no prompt token (D06)."""
    prompt = uncached + read + written
    return read / prompt if prompt else None


def ratio_rows(bill: Bill) -> BoolArray:
    """The rows behind every hit ratio: those of the baselines that say what the cache did. A row
    that does not say is no miss."""
    return np.asarray(bill.priced & bill.usage.says_cache)


def ratio_tokens(bill: Bill) -> dict[str, int]:
    """Prompt tokens by bucket over `ratio_rows`."""
    rows = ratio_rows(bill)
    return {b: int(c[rows].sum()) for b, c in bill.usage.tokens.items() if b in PROMPT_BUCKETS}


def token_hit_of(tokens: Mapping[str, int]) -> float | None:
    """The token hit ratio of prompt tokens by bucket; None = no data."""
    prompt = {bucket: count for bucket, count in tokens.items() if bucket != "output"}
    read, uncached = prompt.pop("read", 0), prompt.pop("uncached", 0)
    return token_hit_ratio(uncached, read, sum(prompt.values()))


def ratios_of(bill: Bill) -> Ratios:
    """The ratios over `ratio_rows`, all three over the same.

    `request_hit` is None where rows are sums over requests. `n` is the requests behind the ratios
    (rows, where requests are not counted).
    """
    usage, rows = bill.usage, ratio_rows(bill)
    single = not bool((usage.is_bucket & rows).any())
    requests = requests_in(usage, rows)
    n = int(rows.sum()) if requests is None else requests
    hits = int((usage.tokens["read"][rows] > 0).sum()) if "read" in usage.tokens else 0
    return Ratios(
        token_hit=token_hit_of(ratio_tokens(bill)),
        request_hit=hits / n if single and n else None,
        usd_weighted_hit=_weighted(bill) if bool(np.any(rows)) else None,
        n=n,
    )


def _weighted(bill: Bill) -> float | None:
    if not bill.prompt_at_input_e13:
        return None
    return bill.read_at_input_e13 / bill.prompt_at_input_e13
