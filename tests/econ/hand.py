"""Rate cards and workloads made by hand, so that a test's prices stand where it is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import numpy as np

from econ.cards import ModelRef
from econ.workload import EMPTY_COST, INT_COLUMNS, TEXT_COLUMNS, TIME_COLUMNS, Text, Workload
from messages.errors import Message
from price_tables.book import PeakSchedule, RateCard, Segment, Unpriced

AS_OF = datetime(2026, 11, 29, tzinfo=UTC)
ANTHROPIC = "https://platform.claude.com/docs/en/about-claude/pricing"

OPUS_5 = {
    "uncached": "5",
    "read": "0.50",
    "write_5m": "6.25",
    "write_1h": "10",
    "output": "25",
}
SOL_BEFORE = {"uncached": "5", "read": "0.50", "write_30m": "6.25", "output": "30"}
SOL_AFTER = {"uncached": "4", "read": "0.40", "write_30m": "5", "output": "20"}

PEAK = PeakSchedule(
    name="cn_business_hours",
    windows_min=((60, 240), (360, 600)),
    weekdays_only=True,
    holidays=frozenset({date(2026, 10, 1)}),
    covers_through=date(2026, 12, 31),
    multiplier=Decimal(2),
)


def segment(prices: Mapping[str, str], **over: Any) -> Segment:
    """One row of prices; valid for all time and all lengths unless said otherwise."""
    values: dict[str, Any] = {
        "valid_from": None,
        "valid_to": None,
        "above_tokens": 0,
        "source": ANTHROPIC,
        "as_of": "2026-10-14",
        "status": "current",
        **over,
    }
    prices_usd = {bucket: Decimal(price) for bucket, price in prices.items()}
    return Segment(usd_per_mtok=prices_usd, **values)


def card(model: str, *segments: Segment, **over: Any) -> RateCard:
    """A card of `model` from Anthropic, global, standard, unless said otherwise."""
    values: dict[str, Any] = {
        "provider": "anthropic",
        "surface": "global",
        "mode": "standard",
        "asked": model,
        "matched_by": "exact",
        **over,
    }
    return RateCard(model=model, segments=segments, **values)


def opus_5(**over: Any) -> RateCard:
    """claude-opus-5: 5 / 0.50 / 6.25 / 10 / 25."""
    return card("claude-opus-5", segment(OPUS_5), **over)


def sol() -> RateCard:
    """gpt-5.6-sol: cheaper from 2026-08-21."""
    change = datetime(2026, 8, 21, tzinfo=UTC)
    return card(
        "gpt-5.6-sol",
        segment(SOL_BEFORE, valid_to=change),
        segment(SOL_AFTER, valid_from=change),
        provider="openai",
    )


class Cards:
    """Finds hand-made cards by (model, surface, mode); everything else is unpriced."""

    def __init__(self, *cards: RateCard) -> None:
        self.cards = cards

    def __call__(self, ref: ModelRef) -> RateCard | Unpriced:
        for known in self.cards:
            if (
                known.model == ref.model
                and known.surface == (ref.surface or known.surface)
                and known.mode == (ref.mode or "standard")
                and known.provider == (ref.provider or known.provider)
            ):
                return known
        return Unpriced(reason=Message("prices.unknown_model", {"model": ref.model}))


def table(rows: Sequence[Mapping[str, Any]], **over: Any) -> Workload:
    """A workload from one mapping a row; what a row leaves out is empty. Times are ISO texts."""
    names = sorted({name for row in rows for name in row})
    columns = {name: _column(name, [row.get(name) for row in rows]) for name in names}
    values: dict[str, Any] = {"name": "by hand", "format": "kvledger_csv", **over}
    return Workload(rows=len(rows), columns=columns, **values)


def _column(name: str, values: Sequence[Any]) -> Any:
    if name in TEXT_COLUMNS:
        return Text.of(values)
    if name in TIME_COLUMNS:
        return np.array(
            [np.datetime64("NaT") if v is None else np.datetime64(v) for v in values],
            dtype="datetime64[us]",
        )
    if name in INT_COLUMNS:
        empty = EMPTY_COST if name == "observed_cost_e13" else -1
        return np.array([empty if v is None else v for v in values], dtype=np.int64)
    return np.array([np.nan if v is None else v for v in values], dtype=np.float64)
