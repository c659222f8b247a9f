"""The lines of a report's CSV that finance asks for: causes of differences, changes, what is paid.

`section` is 'reconciliation' (the file's own stated cost), 'invoice' (a provider's stated total),
'change' (two periods), 'month' or 'adjusted' (list price, discount, tax and what is paid).
"""

from __future__ import annotations

from collections.abc import Iterator

from econ.csv_safe import Cell
from econ.money import plain
from econ.report import Amount, CostReport, Reconciliation

Line = dict[str, Cell]
CHANGE_PARTS = ("volume", "mix", "caching", "price", "total")
ADJUSTED_PARTS = ("list_price", "discount", "tax", "net")


def finance_lines(report: CostReport) -> Iterator[Line]:
    """All of them; a report without invoice, periods and adjustments has only its month."""
    if report.reconciliation is not None:
        yield from _reconciled({"section": "reconciliation"}, report.reconciliation)
    for check in report.invoices:
        head: Line = {"section": "invoice", "provider": check.provider}
        if check.found is None:
            yield {**head, "item": "stated_usd", **_usd(Amount.exactly_usd(check.stated.usd))}
        else:
            yield from _reconciled(head, check.found)
    yield from _change(report)
    yield from _month(report)
    yield from _adjusted(report)


def _reconciled(head: Line, found: Reconciliation) -> Iterator[Line]:
    named = {
        "stated_usd": found.stated,
        "computed_usd": found.computed,
        "difference_usd": found.difference,
        **{f"part_{name}_usd": part for name, part in found.parts.items()},
    }
    for item, amount in named.items():
        yield {**head, "item": item, **_usd(amount)}
    for fitted in found.fitted:
        for bucket, price in fitted.usd_per_mtok.items():
            yield {**head, "item": "fitted_usd_per_mtok", "model": fitted.model, "bucket": bucket,
                   "text": plain(price)}  # fmt: skip


def _change(report: CostReport) -> Iterator[Line]:
    found = report.change
    if found is None:
        return
    spans = " -> ".join(f"{p.since}/{p.until}" for p in (found.from_period, found.to_period))
    for part in CHANGE_PARTS:
        amount: Amount = getattr(found, part)
        yield {"section": "change", "item": f"{part}_usd", "key": spans, **_usd(amount)}


def _month(report: CostReport) -> Iterator[Line]:
    month = report.month
    if month is None:
        return
    factor = f"{float(month.factor):.6f}"
    for item in ("no_cache", "billed", "reachable"):
        amount: Amount | None = getattr(month, item)
        if amount is not None:
            yield {"section": "month", "item": f"month_{item}_usd", "text": factor, **_usd(amount)}


def _adjusted(report: CostReport) -> Iterator[Line]:
    for row in report.adjusted:
        ratios = {"discount": row.discount_ratio, "tax": row.tax_ratio}
        for part in ADJUSTED_PARTS:
            amount: Amount = getattr(row, part)
            yield {
                "section": "adjusted",
                "item": f"{part}_usd",
                "provider": row.provider,
                "text": plain(ratios[part]) if part in ratios else None,
                **_usd(amount),
            }


def _usd(amount: Amount) -> Line:
    return {"usd": amount.usd, "usd_low": amount.low_usd, "usd_high": amount.high_usd}
