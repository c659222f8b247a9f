"""A report in the shape that `report --json` prints.

Counts are JSON integers, ratios floats of six digits, money a decimal string in USD, a range
{"value","low","high"} with value null, unknown null.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Any

from econ.hit_curve import at_ends
from econ.money import plain
from econ.own_json import own_to_json
from econ.report import (
    AdjustedRow,
    Amount,
    BreakEven,
    Change,
    CostReport,
    GroupRow,
    Month,
    PolicyRow,
    Reconciliation,
    WorkloadInfo,
)
from messages.errors import Message

Say = Callable[[Message], str]
"""Turns a message into words of one language."""

RATIO_DIGITS = 6


def report_to_json(report: CostReport, say: Say) -> dict[str, Any]:
    """`report` as JSON-able data; `say` words the assumptions and reasons in one language."""
    return {
        "report_id": report.report_id,
        "method_version": report.method_version,
        "price_book_version": report.price_book_version,
        "workload_sha256": report.workload_sha256,
        "assumptions": [say(message) for message in report.assumptions],
        "workload": _workload(report.workload),
        "baselines": _baselines(report, say),
        "best": _best(report),
        "saving": {
            "earned_usd": money(report.saving.earned),
            "earned_ratio": ratio(report.saving.earned_ratio),
            "reachable_usd": money(report.saving.reachable),
        },
        "not_cacheable_usd": money(report.not_cacheable),
        "ratios": _ratios(report),
        "groups": [_group(row) for row in report.groups],
        "reconciliation": _reconciliation(report.reconciliation),
        "change": _change(report.change),
        "month": _month(report.month, say),
        "rates": [
            {
                "currency": rate.currency,
                "per_usd": format(rate.per_usd, "f"),
                "date": moment(rate.date),
                "source": rate.source,
            }
            for rate in report.rates
        ],
        "break_even": [_break_even(row) for row in report.break_even],
        "unpriced": [
            {"model": row.model, "rows": row.rows, "reason": say(row.reason)}
            for row in report.unpriced
        ],
        "observed_cost_usd": money(report.observed_cost),
        "rows": [_policy(row, say) for row in report.rows],
        "invoices": [
            {
                "provider": check.provider,
                "stated_usd": money(Amount.exactly_usd(check.stated.usd)),
                "by_day": {str(day): plain(usd) for day, usd in check.stated.by_day.items()},
                "reconciliation": _reconciliation(check.found),
            }
            for check in report.invoices
        ],
        "adjusted": [_adjusted(row) for row in report.adjusted],
        "own_hardware": own_to_json(report.own, say),
    }


def money(amount: Amount | None) -> str | dict[str, str | None] | None:
    """A decimal string in USD, a range object, or None."""
    return None if amount is None else amount.to_json()


def ratio(value: float | None) -> float | None:
    """A ratio rounded to six digits, or None."""
    return None if value is None else round(value, RATIO_DIGITS)


def moment(value: date | datetime | None) -> str | None:
    """A UTC time as 2026-09-01T00:00:00Z, a day as 2026-09-01, or None."""
    if value is None:
        return None
    return value.isoformat().replace("+00:00", "Z")


def _workload(info: WorkloadInfo) -> dict[str, Any]:
    return {
        "name": info.name,
        "requests": info.requests,
        "rows": info.rows,
        "first_utc": moment(info.first_utc),
        "last_utc": moment(info.last_utc),
        "days_utc": info.days_utc,
    }


def _baselines(report: CostReport, say: Say) -> dict[str, Any]:
    baselines = report.baselines
    return {
        "no_cache_usd": money(baselines.no_cache),
        "billed_usd": money(baselines.billed),
        "best_reachable_usd": money(baselines.best_reachable),
        "reasons": {key: say(reason) for key, reason in baselines.reasons.items()},
    }


def _best(report: CostReport) -> dict[str, Any] | None:
    best = report.best
    if best is None:
        return None
    return {
        "provider": best.provider,
        "surface": best.surface,
        "model": best.model,
        "policy": best.policy,
        "placement": best.placement,
    }


def _ratios(report: CostReport) -> dict[str, Any]:
    ratios = report.ratios
    return {
        "token_hit": ratio(ratios.token_hit),
        "request_hit": ratio(ratios.request_hit),
        "usd_weighted_hit": ratio(ratios.usd_weighted_hit),
        "n": ratios.n,
    }


def _group(row: GroupRow) -> dict[str, Any]:
    return {
        "by": row.by,
        "key": row.key,
        "requests": row.requests,
        "tokens": dict(row.tokens),
        "no_cache_usd": money(row.no_cache),
        "billed_usd": money(row.billed),
    }


def _reconciliation(value: Reconciliation | None) -> dict[str, Any] | None:
    if value is None:
        return None
    return {
        "stated_usd": money(value.stated),
        "computed_usd": money(value.computed),
        "difference_usd": money(value.difference),
        "parts": {f"{key}_usd": money(part) for key, part in value.parts.items()},
        "fitted": [
            {
                "model": fitted.model,
                "usd_per_mtok": {b: plain(price) for b, price in fitted.usd_per_mtok.items()},
            }
            for fitted in value.fitted
        ],
    }


def _adjusted(row: AdjustedRow) -> dict[str, Any]:
    return {
        "provider": row.provider,
        "of": "billed" if row.observed else "no_cache",
        "discount_ratio": plain(row.discount_ratio),
        "tax_ratio": plain(row.tax_ratio),
        "list_price_usd": money(row.list_price),
        "discount_usd": money(row.discount),
        "tax_usd": money(row.tax),
        "net_usd": money(row.net),
    }


def _change(value: Change | None) -> dict[str, Any] | None:
    if value is None:
        return None
    return {
        "from": f"{value.from_period.since}/{value.from_period.until}",
        "to": f"{value.to_period.since}/{value.to_period.until}",
        "volume_usd": money(value.volume),
        "mix_usd": money(value.mix),
        "caching_usd": money(value.caching),
        "price_usd": money(value.price),
        "total_usd": money(value.total),
    }


def _month(value: Month | None, say: Say) -> dict[str, Any] | None:
    if value is None:
        return None
    return {
        "factor": ratio(float(value.factor)),
        "source": say(value.source),
        "billed_usd": money(value.billed),
        "reachable_usd": money(value.reachable),
    }


def _break_even(row: BreakEven) -> dict[str, Any]:
    return {
        "provider": row.provider,
        "model": row.model,
        "policy": row.policy,
        "token_hit_ratio": ratio(row.token_hit_ratio),
        "uses": row.uses,
    }


def _policy(row: PolicyRow, say: Say) -> dict[str, Any]:
    return {
        "provider": row.provider,
        "surface": row.surface,
        "model": row.model,
        "mode": row.mode,
        "policy": row.policy,
        "placement": row.placement,
        "status": row.status,
        "reason": None if row.reason is None else say(row.reason),
        "usd": money(row.usd),
        "saving_usd": money(row.saving),
        "tokens": _either(row.tokens_low, row.tokens_high),
        "usd_by_bucket": _usd_by_bucket(row),
        "hit_ratio": _hit_ratio(row),
        "pings": row.pings,
        "storage_mtok_hours": None
        if row.storage_mtok_hours is None
        else format(row.storage_mtok_hours, "f"),
        "assumptions": [say(message) for message in row.assumptions],
        "source": "; ".join(dict.fromkeys(source.source for source in row.sources)) or None,
        "as_of": min((source.as_of for source in row.sources), default=None),
    }


def _either(low: Mapping[str, Any], high: Mapping[str, Any]) -> dict[str, Any]:
    return dict(low) if low == high else {"low": dict(low), "high": dict(high)}


def _usd_by_bucket(row: PolicyRow) -> dict[str, Any]:
    """Of the cheaper and of the dearer case: the buckets of each add up to that end."""
    low, high = at_ends(row)
    return _either(
        {bucket: money(Amount.exactly(e13)) for bucket, e13 in low.items()},
        {bucket: money(Amount.exactly(e13)) for bucket, e13 in high.items()},
    )


def _hit_ratio(row: PolicyRow) -> float | dict[str, float | None] | None:
    low, high = ratio(row.hit_ratio_low), ratio(row.hit_ratio_high)
    return low if low == high else {"value": None, "low": low, "high": high}
