"""The amounts side by side: no caching, as billed, best reachable; their savings and months."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from zoneinfo import ZoneInfo

from econ.best_reachable import Best
from econ.bill_sheet import Bill
from econ.days import days_touched
from econ.method import DAYS_A_MONTH
from econ.money import Amount
from econ.report import Baselines, Month, Saving
from econ.unpriced import why_nothing
from econ.usage import requests_in
from messages.errors import Message

NO_CACHE, BILLED, BEST = "no_cache_usd", "billed_usd", "best_reachable_usd"


def baselines_of(bill: Bill, best: Best) -> Baselines:
    """All over the same priced rows. What cannot be said is None with its reason."""
    priced = bill.priced
    some = bool(priced.any())
    reasons = {}
    if not some:
        reasons[NO_CACHE] = why_nothing(bill)
    if bill.usage.rows and not bill.observed:
        reasons[BILLED] = Message("report.not_in_this_file")
    elif not some:
        reasons[BILLED] = why_nothing(bill)
    if best.amount is None:
        reasons[BEST] = best.reason or why_nothing(bill)
    return Baselines(
        no_cache=bill.no_cache.amount if some else None,
        billed=bill.billed.amount if some and bill.observed else None,
        best_reachable=best.amount,
        reasons=reasons,
        rows=int(priced.sum()),
        requests=requests_in(bill.usage, priced),
    )


def saving_of(bill: Bill, baselines: Baselines, reachable: Amount | None) -> Saving:
    """earned = no caching - billed, signed: a policy that loses money shows a loss. The ratio is of
    the no-caching amount, None where that is zero or only a range is known. `reachable`: what the
    best reachable policy would save against the present, None where no present is known."""
    if baselines.billed is None or baselines.no_cache is None:
        return Saving(earned=None, earned_ratio=None, reachable=None)
    earned, whole = bill.saving.amount, baselines.no_cache
    ratio = None
    if earned.exact and whole.exact and whole.low_e13:
        ratio = earned.low_e13 / whole.low_e13
    return Saving(earned=earned, earned_ratio=ratio, reachable=reachable)


def not_cacheable_of(bill: Bill) -> Amount | None:
    """The part of the bill that caching cannot touch: its output. None where nothing is priced."""
    if not bill.priced.any():
        return None
    return bill.usd_by_bucket.get("output", Amount.exactly(0))


def month_of(
    bill: Bill,
    baselines: Baselines,
    reachable: Amount | None,
    tz: ZoneInfo | None,
    entered: Decimal | None,
) -> Month | None:
    """The figures of a month: 30.4375 / distinct days touched, or the factor that the user entered.
    None for an undated workload without an entered factor."""
    days = days_touched(bill.usage, tz)
    if entered is not None:
        factor, source = Fraction(entered), Message("report.month_entered")
    elif days:
        factor = Fraction(DAYS_A_MONTH) / days
        source = Message("report.month_from_days", {"per_month": DAYS_A_MONTH}, days)
    else:
        return None
    return Month(
        factor=factor,
        source=source,
        no_cache=baselines.no_cache and baselines.no_cache.times(factor),
        billed=baselines.billed and baselines.billed.times(factor),
        reachable=reachable and reachable.times(factor),
    )
