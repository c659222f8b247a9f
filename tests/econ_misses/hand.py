"""Workloads written by hand, and their misses at the bundled prices."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from econ.billing import Pricing
from econ.cards import cards_of
from econ.miss_blocks import Rule
from econ.miss_study import MissStudy, study_of
from econ.misses import Missed, missed_of
from econ.money import usd_from_e13
from econ.report import ReportParams
from econ.report_build import bill_period, billing_options
from econ.workload import ALL_COLUMNS, FLOAT_COLUMNS, INT_COLUMNS, Column, Prefix, Text, Workload
from jobs.reporting import book

MINUTE_S = 60.0
BLOCK = 10_000
"""Tokens a block of traces made here."""


def workload(rows: Sequence[dict[str, Any]], prefix: Prefix | None = None) -> Workload:
    """Rows as dictionaries by column; a column that a row lacks is empty."""
    columns: dict[str, Column] = {}
    for name in ALL_COLUMNS:
        values = [row.get(name) for row in rows]
        if all(value is None for value in values):
            continue
        if name in INT_COLUMNS:
            columns[name] = np.array([-1 if v is None else v for v in values], dtype=np.int64)
        elif name in FLOAT_COLUMNS:
            columns[name] = np.array([np.nan if v is None else v for v in values])
        else:
            columns[name] = Text.of(values)
    return Workload(name="hand", format="hand", rows=len(rows), columns=columns, prefix=prefix)


def blocks(rows: Sequence[dict[str, Any]], *, messages: bool = False) -> Workload:
    """Rows with `ids`, each block of BLOCK tokens; `points` (after so many blocks, seconds)."""
    ids = [row["ids"] for row in rows]
    points = [row.get("points", ()) for row in rows]
    own = any(points)
    prefix = Prefix(
        offsets=_offsets([len(one) for one in ids]),
        block_ids=np.array([b for one in ids for b in one], dtype=np.int64),
        block_tokens=np.full(sum(map(len, ids)), BLOCK, dtype=np.int64),
        message_blocks=messages,
        bp_offsets=_offsets([len(one) for one in points]) if own else None,
        bp_blocks=np.array([p for one in points for p, _ in one], np.int64) if own else None,
        bp_ttl_s=np.array([s for one in points for _, s in one], np.int64) if own else None,
    )
    plain = [
        {
            "model": "claude-opus-5",
            "output_tokens": 0,
            "input_tokens": len(one) * BLOCK,
            **{name: value for name, value in row.items() if name not in ("ids", "points")},
        }
        for one, row in zip(ids, rows, strict=True)
    ]
    return workload(plain, prefix)


def _offsets(lengths: Sequence[int]) -> np.ndarray[Any, np.dtype[np.int64]]:
    return np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)


def missed(found: Workload, rule: Rule | None = None, params: ReportParams | None = None) -> Missed:
    params = params or ReportParams()
    billed = bill_period(found, book(), params)
    pricing = Pricing(
        cards=cards_of(book()), options=billing_options(found, params), default_at=book().as_of
    )
    return missed_of(billed.workload, billed.bill, book(), pricing, rule or Rule())


def look(found: Workload, rule: Rule | None = None) -> MissStudy:
    return study_of(missed(found, rule))


def tokens(study: MissStudy) -> dict[str, int]:
    """By reason."""
    return {one.reason: one.tokens for one in study.reasons}


def usd(study: MissStudy) -> dict[str, Decimal]:
    """By reason."""
    return {one.reason: usd_from_e13(one.e13) for one in study.reasons}
