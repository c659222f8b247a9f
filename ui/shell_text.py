"""What the shell prints for a person: the same rows as the pages, in plain text."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from econ.money import Amount, plain, shown
from econ.report import CostReport, GroupRow
from messages.catalogue import say, t
from messages.errors import Message

PLACES = 5  # a session costs cents; five decimals show them
GROUPS_SHOWN = 12
DAYS_SHOWN = 62
NUMERIC = frozenset([*"0123456789-", ""])


def inspection(data: Mapping[str, Any], language: str) -> str:
    """The receipt and the statistics of `inspect`."""
    receipt = data["receipt"]
    lines = [t(language, "cli.format", format=data["format"])]
    lines += [f"  {f['path']}  {f['sha256'][:12]}  {f['encoding']}" for f in data["files"]]
    lines += ["", _receipt_line(receipt, language)]
    lines += [
        t(language, "cli.rejected_line", file=row["file"], line=str(row["line"]), why=row["reason"])
        for row in receipt["rejected"]
    ]
    lines += [
        t(language, "cli.ignored_line", row["rows"], why=row["reason"])
        for row in receipt["ignored"]
    ]
    lines += _assumptions(receipt["assumptions"], language)
    pairs = [*data["stats"].items(), *data["format_stats"].items()]
    lines += ["", *_columns([(name, _plain(value)) for name, value in pairs])]
    return "\n".join(lines)


def statement(report: CostReport, language: str) -> str:
    """A cost report as a short statement: the total, its parts, who spent it, the receipt."""
    lines = [report.workload.name, "", *_baselines(report, language)]
    lines += _groups(report, language)
    lines += _reconciliation(report, language)
    for row in report.unpriced:
        why = say(language, row.reason)
        lines.append(t(language, "cli.unpriced", row.rows, model=row.model or "-", why=why))
    receipt = report.receipt
    counts = {name: getattr(receipt, name) for name in RECEIPT}
    lines += ["", _receipt_line(counts, language)]
    lines += _assumptions([say(language, message) for message in report.assumptions], language)
    lines.append(t(language, "cli.identity", id=report.report_id, book=report.price_book_version))
    return "\n".join(lines)


RECEIPT = ("rows_read", "rows_kept", "rows_collapsed", "rows_rejected", "rows_ignored")


def _receipt_line(receipt: Mapping[str, Any], language: str) -> str:
    return t(language, "cli.receipt", **{name: receipt[name] for name in RECEIPT})


def _assumptions(words: Sequence[str], language: str) -> list[str]:
    return [t(language, "cli.assumption", words=text) for text in words]


def _baselines(report: CostReport, language: str) -> list[str]:
    bases, saving = report.baselines, report.saving
    named = (
        ("no_cache", bases.no_cache, "no_cache_usd"),
        ("billed", bases.billed, "billed_usd"),
        ("saved_usd", saving.earned, ""),
        ("best", bases.best_reachable, "best_reachable_usd"),
        ("output", report.not_cacheable, ""),
    )
    rows = [(t(language, f"cli.{key}"), _money(amount)) for key, amount, _ in named if amount]
    lines = _columns(rows)
    for key, amount, reason in named:
        if amount is None and reason in bases.reasons:
            lines.append(f"{t(language, f'cli.{key}')}: {say(language, bases.reasons[reason])}")
    ratio = report.ratios.token_hit
    if ratio is not None:
        n, shown_ratio = report.ratios.n, f"{ratio:.1%}"
        if report.workload.requests is None:
            lines.append(t(language, "cli.token_hit_rows", n, ratio=shown_ratio))
        else:
            lines.append(t(language, "cli.token_hit", ratio=shown_ratio, n=n))
    return lines


def _groups(report: CostReport, language: str) -> list[str]:
    lines: list[str] = []
    for by in dict.fromkeys(row.by for row in report.groups):
        rows = [row for row in report.groups if row.by == by]
        if len(rows) < 2 and by != "model":
            continue
        rows = rows if by == "day" else sorted(rows, key=_size, reverse=True)
        lines += ["", t(language, f"cli.by_{by}")]
        head = tuple(t(language, f"cli.{name}") for name in ("requests", "no_cache", "billed"))
        table = [("", *head)]
        shown_rows = DAYS_SHOWN if by == "day" else GROUPS_SHOWN
        for row in rows[:shown_rows]:
            key = row.key or t(language, "cli.unassigned")
            table.append((key, _count(row.requests), _money(row.no_cache), _money(row.billed)))
        lines += _columns(table)
        if len(rows) > shown_rows:
            lines.append(t(language, "cli.more", len(rows) - shown_rows))
    return lines


def _reconciliation(report: CostReport, language: str) -> list[str]:
    found = report.reconciliation
    if found is None:
        return []
    rows = [
        (t(language, "cli.stated"), _money(found.stated)),
        (t(language, "cli.computed"), _money(found.computed)),
        (t(language, "cli.difference"), _money(found.difference)),
    ]
    for part, amount in found.parts.items():
        if amount.low_e13 or amount.high_e13:
            rows.append((f"  {t(language, f'cli.part_{part}')}", _money(amount)))
    return ["", *_columns(rows)]


def _size(row: GroupRow) -> int:
    amount = row.billed or row.no_cache
    return amount.high_e13 if amount else -1


def _count(requests: int | None) -> str:
    return "-" if requests is None else f"{requests:,}"


def _money(amount: Amount | None) -> str:
    if amount is None:
        return "-"
    if amount.exact:
        return f"{shown(amount.low_usd, PLACES):,f}"
    return f"{shown(amount.low_usd, PLACES):,f} .. {shown(amount.high_usd, PLACES):,f}"


def prices(data: Mapping[str, Any], language: str) -> str:
    """The rows that a price look-up matched, or why there is none."""
    if not data["matches"]:
        return str(data["unpriced_reason"])
    blocks = []
    for row in data["matches"]:
        head = "  ".join((row["provider"], row["surface"], row["model"], row["mode"], row["tier"]))
        since, until = row["valid_from"] or "…", row["valid_to"] or "…"
        lines = [head, t(language, "cli.valid", since=since, until=until, status=row["status"])]
        lines += _columns([(f"  {name}", value) for name, value in row["usd_per_mtok"].items()])
        lines.append(f"  {row['source']}  {row['as_of']}  ({row['matched_by']})")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def price_check(data: Mapping[str, Any], language: str) -> str:
    """How old the tables are, what is wrong with them and what will change."""
    head = tuple(
        t(language, f"cli.{name}") for name in ("provider_name", "models", "oldest", "age")
    )
    table: list[tuple[str, ...]] = [head]
    for row in data["tables"]:
        age = t(language, "cli.days", row["age_days"])
        table.append((row["provider"], str(row["models"]), row["oldest_as_of"], age))
    lines = _columns(table)
    lines += [error for row in data["tables"] for error in row["errors"]]
    lines += ["", t(language, "cli.changes_ahead")]
    ahead = [(r["from"], r["provider"], r["model"], r["what"]) for r in data["changes_ahead"]]
    return "\n".join([*lines, *_columns(ahead)])


def saved_reports(rows: Sequence[Mapping[str, Any]], language: str) -> str:
    """The saved reports, newest first."""
    if not rows:
        return t(language, "cli.no_reports")
    table = [(r["created_utc"][:16], r["report_id"][:12], r["name"]) for r in rows]
    return "\n".join(_columns(table))


def _plain(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return "-" if value is None else str(value)
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, Decimal):
        return plain(value)
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_plain(part)}" for key, part in value.items())
    if isinstance(value, Message):
        return str(value)
    return str(value)


def _columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows in columns as wide as they need; columns of numbers are right-aligned."""
    if not rows:
        return []
    count = max(len(row) for row in rows)
    cells = [[*map(str, row), *[""] * (count - len(row))] for row in rows]
    lines = []
    columns = [_aligned([row[at] for row in cells]) for at in range(count)]
    for at in range(len(cells)):
        lines.append("  ".join(column[at] for column in columns).rstrip())
    return lines


def _aligned(cells: Sequence[str]) -> list[str]:
    width = max(_width(cell) for cell in cells)
    numbers = all(cell[:1] in NUMERIC for cell in cells[1:] or cells)
    spaces = [" " * (width - _width(cell)) for cell in cells]
    return [s + cell if numbers else cell + s for cell, s in zip(cells, spaces, strict=True)]


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)
