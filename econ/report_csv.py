"""A report as CSV: one figure a line, raw numbers, and the report's id on every line.

Column ids are English and stable. `section` says what a line is: 'baseline', 'row' (a policy on a
model), 'row_bucket' (one token bucket of it), 'group', 'unpriced', 'receipt', 'assumption', or one
of those of `econ.report_csv_finance`; sums are made within one section. Amounts that are a range
have `usd` empty and both ends filled. For each currency there is a column of amounts, its rate and
the rate's date; JPY stands there always, empty until a rate is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal

from econ.csv_safe import Cell, csv_bytes
from econ.money import product
from econ.own_csv import OWN_COLUMNS, own_lines
from econ.own_marks import is_own, models_at_own_price
from econ.report import Amount, CostReport, GroupRow, PolicyRow, Rate
from econ.report_csv_finance import finance_lines
from econ.report_id import OWN
from econ.usage import PROMPT_BUCKETS
from messages.errors import Message

Say = Callable[[Message], str]
Line = dict[str, Cell]

BUCKETS = (*PROMPT_BUCKETS, "output")
TOKEN_COLUMNS = tuple(f"{bucket}_tokens" for bucket in BUCKETS)
IDENTITY = ("report_id", "price_book_version", "workload_sha256", "workload_name")
COLUMNS = (
    *IDENTITY,
    "section",
    "item",
    "by",
    "key",
    "provider",
    "surface",
    "model",
    "mode",
    "policy",
    "placement",
    "bucket",
    "status",
    "reason",
    "rows",
    "requests",
    *TOKEN_COLUMNS,
    "tokens",
    "hit_ratio",
    "usd",
    "usd_low",
    "usd_high",
    "no_cache_usd",
    "no_cache_usd_low",
    "no_cache_usd_high",
    "saving_usd",
    "saving_usd_low",
    "saving_usd_high",
    "source",
    "as_of",
    "text",
    *OWN_COLUMNS,
)
ALWAYS = "JPY"
RATIO_DIGITS = 6


def report_csv(
    report: CostReport, workload_name: str, say: Say, rates: Sequence[Rate] = ()
) -> bytes:
    """The CSV file. `workload_name` is what the user calls it (a text cell, neutralised); `say`
    words reasons and assumptions; `rates` replace the report's own of the same currency."""
    currencies = {rate.currency: rate for rate in (*report.rates, *rates)}
    names = list(dict.fromkeys([ALWAYS, *currencies]))
    extra = [column for name in names for column in _currency_columns(name)]
    identity: Line = {
        "report_id": report.report_id,
        "price_book_version": report.price_book_version,
        "workload_sha256": report.workload_sha256,
        "workload_name": workload_name,
    }
    lines = (
        {**identity, **line, **_in_currencies(line, currencies)} for line in _lines(report, say)
    )
    return csv_bytes([*COLUMNS, *extra], lines)


def _lines(report: CostReport, say: Say) -> Iterator[Line]:
    yield from _baseline_lines(report, say)
    for row in report.rows:
        yield _policy_line(row, say)
        yield from _bucket_lines(row)
    own = models_at_own_price(report)
    for group in report.groups:
        yield _group_line(group, own)
    for unpriced in report.unpriced:
        yield {
            "section": "unpriced",
            "model": unpriced.model,
            "status": "unpriced",
            "reason": say(unpriced.reason),
            "rows": unpriced.rows,
            "requests": unpriced.requests,
            "tokens": unpriced.input_tokens + unpriced.output_tokens,
        }
    yield from finance_lines(report)
    yield from own_lines(report.own, say)
    yield from _receipt_lines(report, say)
    for message in report.assumptions:
        yield {"section": "assumption", "text": say(message)}


def _baseline_lines(report: CostReport, say: Say) -> Iterator[Line]:
    base = report.baselines
    for item, amount in (
        ("no_cache_usd", base.no_cache),
        ("billed_usd", base.billed),
        ("best_reachable_usd", base.best_reachable),
        ("earned_usd", report.saving.earned),
        ("not_cacheable_usd", report.not_cacheable),
        ("observed_cost_usd", report.observed_cost),
    ):
        reason = base.reasons.get(item)
        yield {
            "section": "baseline",
            "item": item,
            "reason": None if reason is None else say(reason),
            "rows": base.rows,
            "requests": base.requests,
            **_money("usd", amount),
        }


def _policy_line(row: PolicyRow, say: Say) -> Line:
    exact = row.tokens_low == row.tokens_high
    ratio = row.hit_ratio_low if row.hit_ratio_low == row.hit_ratio_high else None
    return {
        "section": "row",
        **_names(row),
        "status": row.status,
        "reason": None if row.reason is None else say(row.reason),
        **({f"{b}_tokens": n for b, n in row.tokens_low.items()} if exact else {}),
        "hit_ratio": None if ratio is None else round(ratio, RATIO_DIGITS),
        **_money("usd", row.usd),
        **_money("saving_usd", row.saving),
        "source": "; ".join(dict.fromkeys(source.source for source in row.sources)) or None,
        "as_of": min((source.as_of for source in row.sources), default=None),
    }


def _bucket_lines(row: PolicyRow) -> Iterator[Line]:
    for bucket, amount in row.usd_by_bucket.items():
        low, high = row.tokens_low.get(bucket), row.tokens_high.get(bucket)
        yield {
            "section": "row_bucket",
            **_names(row),
            "bucket": bucket,
            "tokens": low if low == high else None,
            **_money("usd", amount),
        }


def _names(row: PolicyRow) -> Line:
    return {
        "provider": row.provider,
        "surface": row.surface,
        "model": row.model,
        "mode": row.mode,
        "policy": row.policy,
        "placement": row.placement,
    }


def _group_line(row: GroupRow, own: frozenset[str]) -> Line:
    return {
        "section": "group",
        "by": row.by,
        "key": row.key,
        "model": row.priced_as,
        "rows": row.rows,
        "requests": row.requests,
        **{f"{bucket}_tokens": count for bucket, count in row.tokens.items()},
        "hit_ratio": None if row.token_hit is None else round(row.token_hit, RATIO_DIGITS),
        **_money("usd", row.billed or row.no_cache),
        **_money("no_cache_usd", row.no_cache),
        "source": OWN if is_own(row, own) else None,
    }


def _receipt_lines(report: CostReport, say: Say) -> Iterator[Line]:
    receipt = report.receipt
    for item in ("rows_read", "rows_kept", "rows_collapsed", "rows_rejected", "rows_ignored"):
        yield {"section": "receipt", "item": item, "rows": int(getattr(receipt, item))}
    for rejection in receipt.rejected:
        yield {
            "section": "receipt",
            "item": "rejected",
            "key": f"{rejection.file}:{rejection.line}",
            "reason": say(rejection.reason),
        }


def _money(column: str, amount: Amount | None) -> Line:
    if amount is None:
        return {}
    return {
        column: amount.usd,
        f"{column}_low": amount.low_usd,
        f"{column}_high": amount.high_usd,
    }


def _currency_columns(name: str) -> list[str]:
    unit = name.lower()
    return [unit, f"{unit}_low", f"{unit}_high", f"{unit}_per_usd", f"{unit}_rate_date"]


def _in_currencies(line: Line, rates: dict[str, Rate]) -> Line:
    result: Line = {}
    for rate in rates.values():
        unit, low = rate.currency.lower(), line.get("usd_low")
        high = line.get("usd_high")
        if not isinstance(low, Decimal) or not isinstance(high, Decimal):
            continue
        result[f"{unit}_low"] = product(low, rate.per_usd)
        result[f"{unit}_high"] = product(high, rate.per_usd)
        result[unit] = product(low, rate.per_usd) if low == high else None
        result[f"{unit}_per_usd"] = rate.per_usd
        result[f"{unit}_rate_date"] = None if rate.date is None else rate.date.isoformat()
    return result
