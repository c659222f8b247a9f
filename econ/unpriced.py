"""Rows without a price, listed by model and reason: their cost is unknown, never zero."""

from __future__ import annotations

import numpy as np

from econ.bill_sheet import UNPRICED, Bill
from econ.report import UnpricedRow
from econ.usage import requests_in
from messages.errors import Message


def unpriced_rows(bill: Bill) -> tuple[UnpricedRow, ...]:
    """One row a model and reason, the most rows first."""
    rows = np.flatnonzero(bill.status == UNPRICED)
    if len(rows) == 0:
        return ()
    key = bill.payee_code[rows] * len(bill.reasons) + bill.reason_code[rows]
    found: dict[tuple[str, int], UnpricedRow] = {}
    for number in np.unique(key).tolist():
        payee, reason = divmod(number, len(bill.reasons))
        here = rows[key == number]
        name = bill.payees[payee].name
        row = UnpricedRow(
            model=name,
            rows=len(here),
            requests=requests_in(bill.usage, here),
            reason=bill.reasons[reason],
            input_tokens=int(bill.usage.prompt[here].sum()),
            output_tokens=int(bill.usage.tokens["output"][here].sum()),
        )
        known = found.get((name, reason))
        found[name, reason] = row if known is None else _both(known, row)
    return tuple(sorted(found.values(), key=lambda row: (-row.rows, row.model, str(row.reason))))


def why_nothing(bill: Bill) -> Message:
    """Why a bill has no priced row: a period without requests, or rows without a price."""
    return Message("report.nothing_priced" if bill.usage.rows else "report.no_rows")


def _both(one: UnpricedRow, other: UnpricedRow) -> UnpricedRow:
    return UnpricedRow(
        model=one.model,
        rows=one.rows + other.rows,
        requests=None
        if one.requests is None or other.requests is None
        else one.requests + other.requests,
        reason=one.reason,
        input_tokens=one.input_tokens + other.input_tokens,
        output_tokens=one.output_tokens + other.output_tokens,
    )
