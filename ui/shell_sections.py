"""The parts of a printed report that only some reports have: currencies, month, change, models."""

from __future__ import annotations

from collections.abc import Sequence

from econ.money import Amount, plain, product, shown
from econ.report import CostReport, Period, PolicyRow, Rate
from messages.catalogue import say, t
from ui.shell_table import columns, money

CURRENCY_PLACES = 2
MODELS_SHOWN = 20


def currencies(report: CostReport, language: str) -> list[str]:
    """The baselines in each currency that has a rate."""
    if not report.rates:
        return []
    head = tuple(t(language, f"cli.{name}") for name in ("rate_of", "no_cache_of", "billed_of"))
    amounts = (report.baselines.no_cache, report.baselines.billed)
    rows = [(_rate_name(rate), *(_in(rate, amount) for amount in amounts)) for rate in report.rates]
    return ["", *columns([head, *rows])]


def _rate_name(rate: Rate) -> str:
    """'JPY (161.67, 2026-06-26)'; without a day where the rate was entered."""
    dated = "" if rate.date is None else f", {rate.date}"
    return f"{rate.currency} ({plain(rate.per_usd)}{dated})"


def _in(rate: Rate, amount: Amount | None) -> str:
    if amount is None:
        return "-"
    low, high = (
        f"{shown(product(end, rate.per_usd), CURRENCY_PLACES):,f}"
        for end in (amount.low_usd, amount.high_usd)
    )
    return low if amount.exact else f"{low} .. {high}"


def month(report: CostReport, language: str) -> list[str]:
    """A month at this rate, with where its factor comes from."""
    found = report.month
    if found is None:
        return []
    rows = [
        (t(language, f"cli.month_{name}"), money(amount))
        for name, amount in (
            ("no_cache", found.no_cache),
            ("billed", found.billed),
            ("reachable", found.reachable),
        )
        if amount is not None
    ]
    return ["", *columns(rows), say(language, found.source)] if rows else []


def change(report: CostReport, language: str) -> list[str]:
    """Why the second span cost more or less than the first."""
    found = report.change
    if found is None:
        return []
    spans = {"before": _span(found.from_period), "after": _span(found.to_period)}
    parts = ("volume", "mix", "caching", "price", "total")
    rows = [(t(language, f"cli.change_{part}"), money(getattr(found, part))) for part in parts]
    notes = [t(language, "cli.assumption", words=say(language, m)) for m in found.assumptions]
    return ["", t(language, "cli.change_heading", **spans), *columns(rows), *notes]


def _span(period: Period) -> str:
    return f"{period.since}..{period.until}"


def models(report: CostReport, language: str) -> list[str]:
    """What the same requests cost on the models to compare with, by policy, cheapest first."""
    rows = [row for row in report.rows if row.model is not None]
    if not rows:
        return []
    names = ("model", "provider_name", "bought", "policy", "placement", "cost")
    head = [t(language, f"cli.{name}") for name in names]
    lines = ["", t(language, "cli.compared"), *columns([head, *map(_model, rows[:MODELS_SHOWN])])]
    if len(rows) > MODELS_SHOWN:
        lines.append(t(language, "cli.more", len(rows) - MODELS_SHOWN))
    return lines


def _model(row: PolicyRow) -> Sequence[str]:
    bought = ", ".join(part for part in (row.surface, row.mode) if part)
    how = (row.policy, row.placement or "-")
    return row.model or "-", row.provider or "-", bought, *how, money(row.usd)
