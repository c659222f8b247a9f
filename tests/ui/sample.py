"""A small report with D05's numbers, for tests of words and charts."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal

from econ.money import Amount, e13_from_usd
from econ.receipt import Receipt, Rejection, SourceFile
from econ.report import (
    Baselines,
    CostReport,
    GroupRow,
    PolicyRow,
    PriceSource,
    Provenance,
    Ratios,
    Saving,
    UnpricedRow,
    WorkloadInfo,
)
from econ.report_params import ReportParams
from messages.errors import Message


def usd(text: str, high: str | None = None) -> Amount:
    """An amount, exact or a range."""
    low = e13_from_usd(Decimal(text))
    return Amount(low_e13=low, high_e13=low if high is None else e13_from_usd(Decimal(high)))


PRICE = PriceSource(
    provider="anthropic",
    surface="global",
    model="claude-opus-5",
    mode="standard",
    tier_above_tokens=0,
    peak=False,
    valid_from=datetime(2026, 7, 1, tzinfo=UTC),
    valid_to=None,
    prices={"uncached": Decimal(5), "read": Decimal("0.5"), "write_5m": Decimal("6.25")},
    source="https://platform.claude.com/docs/en/pricing",
    as_of="2026-09-30",
    status="current",
)

RECEIPT = Receipt(
    files=(SourceFile(path="usage.csv", sha256="7f3a91c2" * 8, format="x", encoding="utf-8"),),
    rows_read=48_210,
    rows_kept=46_275,
    rows_collapsed=1_932,
    rows_rejected=3,
    rejected=tuple(
        Rejection(file="usage.csv", line=line, reason=Message("traces.empty_file"))
        for line in (1_207, 9_113, 9_114)
    ),
    rejected_by_reason={"traces.empty_file": 3},
)


def group(
    by: str, key: str, no_cache: str | None, billed: str | None, tokens: Mapping[str, int]
) -> GroupRow:
    """One row of a grouping."""
    return GroupRow(
        by=by,
        key=key,
        requests=10,
        rows=10,
        unpriced_rows=0,
        tokens=tokens,
        no_cache=usd(no_cache) if no_cache else None,
        billed=usd(billed) if billed else None,
    )


TOKENS = {"uncached": 100_000, "read": 850_000, "write_5m": 50_000, "output": 1_000}
GROUPS = (
    group("day", "2026-10-08", "3", "0.5", TOKENS),
    group("day", "2026-10-09", "2", "2.75", TOKENS),
    group("model", "claude-opus-5", "5", "1.2375", TOKENS),
    group("team", "<b>x</b>", "4", "5", TOKENS),
    group("team", "", None, None, TOKENS),
)


def report(**changes: object) -> CostReport:
    """1,000,000 input tokens on claude-opus-5: 5.00 without caching, 1.2375 billed (D05)."""
    billed, no_cache = usd("1.2375"), usd("5")
    made = CostReport(
        report_id="ab" * 32,
        method_version=1,
        price_book_version="2026-11-29",
        price_book_as_of=datetime(2026, 11, 29, tzinfo=UTC),
        workload_sha256="cd" * 32,
        params=ReportParams(),
        receipt=RECEIPT,
        assumptions=(),
        workload=WorkloadInfo(
            name="usage.csv",
            format="kvledger_csv",
            requests=20,
            rows=20,
            first_utc=datetime(2026, 10, 8, 9, tzinfo=UTC),
            last_utc=datetime(2026, 10, 9, 17, tzinfo=UTC),
            days_utc=2,
            granularity="request",
            observed=True,
            input_tokens=1_000_000,
            output_tokens=1_000,
        ),
        baselines=Baselines(
            no_cache=no_cache,
            billed=billed,
            best_reachable=None,
            reasons={},
            rows=20,
            requests=20,
        ),
        best=None,
        saving=Saving(earned=no_cache.less(billed), earned_ratio=0.7525, reachable=None),
        not_cacheable=usd("0.025"),
        ratios=Ratios(token_hit=0.85, request_hit=0.9, usd_weighted_hit=0.85, n=20),
        groups=GROUPS,
        reconciliation=None,
        change=None,
        month=None,
        rates=(),
        break_even=(),
        unpriced=(),
        observed_cost=None,
        rows=(policy_row(billed),),
        figures={"earned": Provenance(formula=Message("ui.how"), sources=(PRICE,))},
    )
    return dataclasses.replace(made, **changes)  # type: ignore[arg-type]


def policy_row(billed: Amount) -> PolicyRow:
    """The bill as one row, by bucket."""
    return PolicyRow(
        provider=None,
        surface=None,
        model=None,
        mode=None,
        policy="as-billed",
        placement=None,
        status="priced",
        reason=None,
        usd=billed,
        saving=usd("3.7625"),
        tokens_low=TOKENS,
        tokens_high=TOKENS,
        usd_by_bucket={
            "uncached": usd("0.5"),
            "read": usd("0.425"),
            "write_5m": usd("0.3125"),
            "output": usd("0.025"),
        },
    )


def without_columns() -> CostReport:
    """A file that does not say what was cached."""
    reason = Message("ui.unassigned")
    base = dataclasses.replace(report().baselines, billed=None, reasons={"billed_usd": reason})
    workload = dataclasses.replace(report().workload, observed=False)
    return report(
        baselines=base,
        workload=workload,
        saving=Saving(earned=None, earned_ratio=None, reachable=None),
        ratios=Ratios(token_hit=None, request_hit=None, usd_weighted_hit=None, n=0),
    )


def losing() -> CostReport:
    """Caching that cost more than it saved."""
    return report(saving=Saving(earned=usd("-210"), earned_ratio=-0.254, reachable=None))


UNPRICED = UnpricedRow(
    model="my_own*model",
    rows=9,
    requests=9,
    reason=Message("ui.unassigned"),
    input_tokens=1,
    output_tokens=1,
)
