"""Stated costs explained, and discount and tax beside list price, as plain text in the shell."""

from __future__ import annotations

from collections.abc import Callable

from econ.money import plain
from econ.report import Amount, CostReport, Reconciliation
from messages.catalogue import t
from ui.shell_table import columns, money


def sections(report: CostReport, language: str) -> list[str]:
    """All that the report has of it; empty where nothing is stated and nothing is set."""
    lines: list[str] = []
    if report.reconciliation is not None:
        lines += ["", *_reconciled(report.reconciliation, language)]
    for check in report.invoices:
        lines += ["", t(language, "cli.invoice_of", provider=check.provider)]
        if check.found is None:
            usd = money(Amount.exactly_usd(check.stated.usd))
            lines += columns([(t(language, "cli.stated"), usd)])
            lines.append(t(language, "sheet.invoice_no_rows"))
        else:
            lines += _reconciled(check.found, language)
    return [*lines, *_adjusted(report, language)]


def _reconciled(found: Reconciliation, language: str) -> list[str]:
    rows = [
        (t(language, "cli.stated"), money(found.stated)),
        (t(language, "cli.computed"), money(found.computed)),
        (t(language, "cli.difference"), money(found.difference)),
    ]
    for part, amount in found.parts.items():
        if amount.low_e13 or amount.high_e13:
            rows.append((f"  {t(language, f'cli.part_{part}')}", money(amount)))
    lines = columns(rows)
    for fitted in found.fitted:
        prices = ", ".join(f"{bucket} {plain(usd)}" for bucket, usd in fitted.usd_per_mtok.items())
        lines.append(t(language, "cli.fitted", model=fitted.model, prices=prices))
    return lines


def _adjusted(report: CostReport, language: str) -> list[str]:
    if not report.adjusted:
        return []
    parts = ("list_price", "discount", "tax", "net")
    named: Callable[[str], str] = lambda part: t(language, f"reports_page.adjusted.{part}")  # noqa: E731
    head = (t(language, "cli.provider_name"), *map(named, parts))
    rows = [
        (row.provider, *(money(getattr(row, part)) for part in parts)) for row in report.adjusted
    ]
    return ["", t(language, "reports_page.adjusted"), *columns([head, *rows])]
