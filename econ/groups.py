"""Who spent it and when: the bill by day, model, session and payer. Groups add up to the bill."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from zoneinfo import ZoneInfo

import numpy as np

from econ.bill_sheet import Bill, Ends
from econ.days import NO_DAY, day_numbers, day_of
from econ.money import Amount, grouped_totals
from econ.ratios import ratio_rows
from econ.report import GroupRow
from econ.workload import PAYER_COLUMNS, IntArray, Text, Workload
from messages.errors import input_error

GROUPS = ("day", "model", "session", *PAYER_COLUMNS)
MANY_SESSIONS = 1_000  # more than that is grouped by session only when asked for
UNASSIGNED = ""


def default_groups(workload: Workload) -> tuple[str, ...]:
    """What this workload can be grouped by without being asked."""
    names = ["day"] if workload.dated else []
    names.append("model")
    if workload.has("session_id") and len(workload.text("session_id").values) <= MANY_SESSIONS:
        names.append("session")
    return (*names, *(name for name in PAYER_COLUMNS if workload.has(name)))


def group_rows(
    workload: Workload, bill: Bill, by: Sequence[str], tz: ZoneInfo | None
) -> tuple[GroupRow, ...]:
    """One row a key for each name in `by`; days ascending, the others by what costs most. Raises
    InputError for a name that is not in GROUPS."""
    rows: list[GroupRow] = []
    for name in by:
        if name == "model":
            rows += _by_model(bill)
            continue
        keys, codes = _keys(workload, name, bill.usage.since_us, tz)
        rows += _rows(name, keys, codes, bill)
    return tuple(rows)


def _by_model(bill: Bill) -> list[GroupRow]:
    """Rows that name no model are a group of their own, whatever model prices them."""
    names = [UNASSIGNED if payee.assumed else payee.name for payee in bill.payees]
    number = {name: at for at, name in enumerate(dict.fromkeys(names))}
    known = np.array([number[name] for name in names], dtype=np.int64)
    codes = known[bill.payee_code] if len(known) else bill.payee_code
    assumed = next((payee.name for payee in bill.payees if payee.assumed), None)
    rows = _rows("model", list(number), codes, bill)
    return [replace(row, priced_as=None if row.key else assumed) for row in rows]


def _keys(
    workload: Workload, name: str, since_us: IntArray, tz: ZoneInfo | None
) -> tuple[list[str], IntArray]:
    if name == "day":
        numbers, codes = np.unique(day_numbers(since_us, tz), return_inverse=True)
        days = [UNASSIGNED if n == NO_DAY else day_of(n).isoformat() for n in numbers.tolist()]
        return days, codes.reshape(-1)
    if name not in GROUPS:
        raise input_error("report.unknown_group", found=name, expected=", ".join(GROUPS))
    return _text_keys(workload.text("session_id" if name == "session" else name))


def _text_keys(column: Text) -> tuple[list[str], IntArray]:
    return [UNASSIGNED, *column.values], column.codes.astype(np.int64) + 1


def _rows(name: str, keys: list[str], codes: IntArray, bill: Bill) -> list[GroupRow]:
    size = len(keys)
    rows = np.bincount(codes, minlength=size).tolist()
    priced = np.bincount(codes[bill.priced], minlength=size).tolist()
    requests = grouped_totals(codes, bill.usage.requests, size)
    silent = np.bincount(codes[~bill.usage.says_requests], minlength=size).tolist()
    tokens = {b: grouped_totals(codes, c, size) for b, c in bill.usage.tokens.items()}
    behind = {b: counts for b, counts in tokens.items() if b != "output"}
    known = ratio_rows(bill)
    if not known.all():
        of_known = codes[known]
        behind = {b: grouped_totals(of_known, bill.usage.tokens[b][known], size) for b in behind}
    no_cache = _amounts(codes, bill.no_cache, size)
    billed = _amounts(codes, bill.billed, size) if bill.observed else None
    result = [
        GroupRow(
            by=name,
            key=key,
            requests=None if silent[i] else requests[i],
            rows=rows[i],
            unpriced_rows=rows[i] - priced[i],
            tokens={bucket: counts[i] for bucket, counts in tokens.items()},
            no_cache=no_cache[i] if priced[i] else None,
            billed=billed[i] if billed is not None and priced[i] else None,
            ratio_tokens={bucket: counts[i] for bucket, counts in behind.items()},
        )
        for i, key in enumerate(keys)
        if rows[i]
    ]
    return sorted(result, key=_by_day if name == "day" else _by_cost)


def _amounts(codes: IntArray, ends: Ends, size: int) -> list[Amount]:
    low = grouped_totals(codes, ends.low, size)
    high = low if ends.high is ends.low else grouped_totals(codes, ends.high, size)
    return [Amount(low_e13=a, high_e13=b) for a, b in zip(low, high, strict=True)]


def _by_day(row: GroupRow) -> tuple[bool, str]:
    return row.key == UNASSIGNED, row.key


def _by_cost(row: GroupRow) -> tuple[bool, int, str]:
    amount = row.billed or row.no_cache
    return amount is None, -(amount.high_e13 if amount else 0), row.key
