"""What the reader of a report may choose: prices, candidates, groups, periods, currencies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal

from econ.method import DEFAULT_MODEL


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """UTC days, both ends included."""

    since: date
    until: date


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """Units of `currency` for one USD, with its date and source ('entered by you')."""

    currency: str
    per_usd: Decimal
    date: date | None
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Adjustment:
    """What one provider takes off the list price and what tax is added after that, 0..1."""

    discount_ratio: Decimal = Decimal(0)
    tax_ratio: Decimal = Decimal(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedTotal:
    """What one provider says it charged, in USD and exact: an invoice's total that was typed in, or
    an export of costs, which says it `by_day` (UTC) too."""

    usd: Decimal
    by_day: Mapping[date, Decimal] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportParams:
    """Everything that decides a report beside the workload and the prices. All of it is in the id.

    `at`: price moment (UTC) for undated rows; on dated rows it re-prices all of them. None: the
    row's own date, and the price book's date for undated rows.
    `default_model`, `default_provider`, `default_surface`, `default_mode`: for rows without one.
    `models`, `providers`: candidates to compare; they never filter the workload.
    `surface`, `mode`: of the candidates.
    `policies`, `placements`: rows to simulate for the candidates; empty = all that apply.
    `model_names`: the user's own model names -> a model id to price them as.
    `tokenizer_factors`: a candidate's model id or provider -> its tokens for one of the file's.
    `by`: groups to make; None = all that the workload has (sessions up to 1,000).
    `invoices`: provider -> what it says it charged, compared with its part of the bill.
    `tz`: zone of the days ('Asia/Tokyo'); None = UTC. `since`, `until`: UTC days, both included.
    """

    at: datetime | None = None
    default_model: str = DEFAULT_MODEL
    default_provider: str | None = None
    default_surface: str | None = None
    default_mode: str | None = None
    models: tuple[str, ...] = ()
    providers: tuple[str, ...] = ()
    surface: str | None = None
    mode: str | None = None
    policies: tuple[str, ...] = ()
    placements: tuple[str, ...] = ()
    model_names: Mapping[str, str] = field(default_factory=dict)
    include_failed: bool = False
    by: tuple[str, ...] | None = None
    tz: str | None = None
    since: date | None = None
    until: date | None = None
    change: tuple[Period, Period] | None = None
    rates: tuple[Rate, ...] = ()
    month_factor: Decimal | None = None
    invoice_usd: Decimal | None = None
    adjustments: Mapping[str, Adjustment] = field(default_factory=dict)
    tokenizer_factors: Mapping[str, Decimal] = field(default_factory=dict)
    invoices: Mapping[str, StatedTotal] = field(default_factory=dict)
