"""Finance's tables of the page to send: invoices explained, discount and tax beside list price."""

from __future__ import annotations

from econ.money import plain
from econ.report import Amount, CostReport, Reconciliation
from econ.sheet_tables import table
from econ.sheet_text import Say, percent, usd
from messages.errors import Message


def finance_tables(report: CostReport, say: Say) -> str:
    """'' where nothing is stated and no provider has a discount or a tax."""
    return _of_file(report, say) + _invoices(report, say) + _adjusted(report, say)


def _of_file(report: CostReport, say: Say) -> str:
    found = report.reconciliation
    if found is None:
        return ""
    head = (say(Message("ui.column.cause")), "USD")
    rows = _parts(found, say(Message("ui.reconciliation.stated")), say)
    return table(say(Message("sheet.reconciliation")), head, rows)


def _parts(found: Reconciliation, stated: str, say: Say) -> list[tuple[str, str]]:
    """Stated, what makes the difference, computed, and the prices that the stated costs follow."""
    rows = [(stated, usd(found.stated, say))]
    rows += [
        (say(Message(f"ui.reconciliation.{name}")), usd(part, say, plus=True))
        for name, part in found.parts.items()
    ]
    rows.append((say(Message("ui.reconciliation.computed")), usd(found.computed, say)))
    for fitted in found.fitted:
        prices = ", ".join(
            f"{say(Message(f'ui.bucket.{bucket}'))} {plain(price)}"
            for bucket, price in fitted.usd_per_mtok.items()
        )
        rows.append((say(Message("sheet.fitted", {"model": fitted.model})), prices))
    return rows


def _invoices(report: CostReport, say: Say) -> str:
    made = []
    for check in report.invoices:
        caption = say(Message("sheet.invoice", {"provider": check.provider}))
        head = (say(Message("ui.column.cause")), "USD")
        kind = "on_export" if check.stated.by_day else "on_invoice"
        stated = say(Message(f"finance.{kind}"))
        if check.found is None:
            amount = usd(Amount.exactly_usd(check.stated.usd), say)
            rows = [(stated, amount), (say(Message("sheet.invoice_no_rows")), "")]
        else:
            rows = _parts(check.found, stated, say)
        made.append(table(caption, head, rows))
    return "".join(made)


def _adjusted(report: CostReport, say: Say) -> str:
    if not report.adjusted:
        return ""
    parts = ("list_price", "discount", "tax", "net")
    head = [say(Message("prices_page.column.provider"))]
    head += [say(Message(f"reports_page.adjusted.{part}")) for part in parts]
    rows = []
    for row in report.adjusted:
        off, tax = (percent(float(r)) for r in (row.discount_ratio, row.tax_ratio))
        rows.append(
            (row.provider, usd(row.list_price, say), f"{usd(row.discount, say)} ({off})",
             f"{usd(row.tax, say)} ({tax})", usd(row.net, say))
        )  # fmt: skip
    return table(say(Message("reports_page.adjusted")), head, rows)
