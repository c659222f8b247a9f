"""Exports of costs without tokens: what Anthropic's Console and OpenAI's dashboard say was charged.

They are no workload. They are the stated side of a reconciliation: one total a provider and day.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation

from data_sources.traces.base import Decoded
from messages.errors import input_error

ANTHROPIC, OPENAI = "anthropic", "openai"
MOST_USD = Decimal(10) ** 9


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedCost:
    """What one provider says it charged over the days of an export; `usd` is exact, credits are
    negative. `rows` were added, `rejected` are the lines that hold no amount in USD or no day."""

    provider: str
    usd: Decimal
    by_day: Mapping[date, Decimal]
    by_model: Mapping[str, Decimal]
    rows: int
    rejected: tuple[int, ...]

    @property
    def first(self) -> date:
        """The first day (UTC) with a cost."""
        return min(self.by_day)

    @property
    def last(self) -> date:
        """The last day (UTC) with a cost."""
        return max(self.by_day)


def read_costs(file: Decoded) -> StatedCost:
    """The export's total. InputError where it is neither of the two, or has no cost in it."""
    by_day: dict[date, Decimal] = {}
    by_model: dict[str, Decimal] = {}
    rows, rejected, provider = 0, [], ""
    with file.path.open("r", encoding="utf-8-sig", newline="") as stream:
        table = csv.DictReader(stream)
        names = set(table.fieldnames or ())
        if {"token_type", "cost_usd"} <= names:
            provider = ANTHROPIC
        elif "amount_value" in names:
            provider = OPENAI
        else:
            raise input_error("traces.no_cost_export", file=file.source.name)
        for line, row in _rows(table, file.source.name):
            cost = (_anthropic if provider == ANTHROPIC else _openai)(row)
            if cost is None:
                rejected.append(line)
                continue
            day, model, usd = cost
            by_day[day] = by_day.get(day, Decimal(0)) + usd
            by_model[model] = by_model.get(model, Decimal(0)) + usd
            rows += 1
    if not rows:
        raise input_error("traces.no_cost_rows", file=file.source.name)
    return StatedCost(
        provider=provider,
        usd=sum(by_day.values(), Decimal(0)),
        by_day=by_day,
        by_model=by_model,
        rows=rows,
        rejected=tuple(rejected),
    )


def _rows(table: csv.DictReader[str], name: str) -> Iterator[tuple[int, Mapping[str, str | None]]]:
    try:
        for row in table:
            yield table.line_num, row
    except csv.Error as error:
        raise input_error("traces.no_cost_export", file=name) from error


def _anthropic(row: Mapping[str, str | None]) -> tuple[date, str, Decimal] | None:
    """`cost_usd` is what was charged, `list_price_usd` stands beside it."""
    usd = _usd(row.get("cost_usd"))
    try:
        day = date.fromisoformat(str(row.get("usage_date_utc"))[:10])
    except ValueError:
        return None
    return None if usd is None else (day, str(row.get("model") or ""), usd)


def _openai(row: Mapping[str, str | None]) -> tuple[date, str, Decimal] | None:
    """Amounts in another currency are not added; the model is the line item before its comma."""
    usd = _usd(row.get("amount_value"))
    if usd is None or str(row.get("amount_currency") or "usd").strip().casefold() != "usd":
        return None
    try:
        day = datetime.fromtimestamp(float(str(row.get("start_time"))), UTC).date()
    except (ValueError, OverflowError, OSError):
        return None
    return day, str(row.get("line_item") or "").partition(",")[0].strip(), usd


def _usd(cell: str | None) -> Decimal | None:
    try:
        found = Decimal(str(cell).strip())
    except InvalidOperation:
        return None
    return found if found.is_finite() and abs(found) < MOST_USD else None
