"""What the shell prints for a person: the same rows as the pages, in plain text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from econ.format_words import format_name
from econ.money import plain
from econ.report import CostReport, GroupRow
from messages.catalogue import say, sayer, t
from messages.errors import Message
from ui import shell_finance, shell_own, shell_sections
from ui.shell_table import columns, money, one_line

GROUPS_SHOWN = 12
DAYS_SHOWN = 62


def inspection(data: Mapping[str, Any], language: str) -> str:
    """The receipt and the statistics of `inspect`."""
    receipt = data["receipt"]
    named = format_name(data["format"], sayer(language))
    lines = [t(language, "cli.format", format=named)]
    lines += [f"  {f['path']}  {f['sha256'][:12]}  {f['encoding']}" for f in data["files"]]
    lines += ["", _receipt_line(receipt, language)]
    lines += [
        one_line(t(language, "cli.rejected_line", **_rejected(row))) for row in receipt["rejected"]
    ]
    lines += [
        t(language, "cli.ignored_line", row["rows"], why=row["reason"])
        for row in receipt["ignored"]
    ]
    lines += _assumptions(receipt["assumptions"], language)
    pairs = [*data["stats"].items(), *data["format_stats"].items()]
    lines += ["", *columns([(name, _plain(value)) for name, value in pairs])]
    return "\n".join(lines)


def statement(report: CostReport, language: str) -> str:
    """A cost report as a short statement: the total, its parts, who spent it, the receipt."""
    lines = [one_line(report.workload.name), "", *_baselines(report, language)]
    lines += _groups(report, language)
    for section in (
        shell_sections.models,
        shell_sections.currencies,
        shell_sections.month,
        shell_sections.change,
    ):
        lines += section(report, language)
    lines += shell_finance.sections(report, language)
    lines += shell_own.section(report, language)
    for row in report.unpriced:
        why = say(language, row.reason)
        words = t(language, "cli.unpriced", row.rows, model=row.model or "-", why=why)
        lines.append(one_line(words))
    receipt = report.receipt
    counts = {name: getattr(receipt, name) for name in RECEIPT}
    lines += ["", _receipt_line(counts, language)]
    for line in receipt.rejected[:REJECTIONS_SHOWN]:
        said = {"file": line.file, "line": str(line.line), "why": say(language, line.reason)}
        lines.append(one_line(t(language, "cli.rejected_line", **said)))
    if receipt.rows_rejected > REJECTIONS_SHOWN:
        lines.append(t(language, "cli.more", receipt.rows_rejected - REJECTIONS_SHOWN))
    lines += _assumptions([say(language, message) for message in report.assumptions], language)
    lines.append(t(language, "cli.identity", id=report.report_id, book=report.price_book_version))
    return "\n".join(lines)


REJECTIONS_SHOWN = 10
RECEIPT = ("rows_read", "rows_kept", "rows_collapsed", "rows_rejected", "rows_ignored")


def _rejected(row: Mapping[str, Any]) -> dict[str, str]:
    return {"file": row["file"], "line": str(row["line"]), "why": row["reason"]}


def _receipt_line(receipt: Mapping[str, Any], language: str) -> str:
    return t(language, "cli.receipt", **{name: receipt[name] for name in RECEIPT})


def _assumptions(words: Sequence[str], language: str) -> list[str]:
    return [one_line(t(language, "cli.assumption", words=text)) for text in words]


def _baselines(report: CostReport, language: str) -> list[str]:
    bases, saving = report.baselines, report.saving
    named = (
        ("no_cache", bases.no_cache, "no_cache_usd"),
        ("billed", bases.billed, "billed_usd"),
        ("saved_usd", saving.earned, ""),
        ("best", bases.best_reachable, "best_reachable_usd"),
        ("output", report.not_cacheable, ""),
    )
    rows = [(t(language, f"cli.{key}"), money(amount)) for key, amount, _ in named if amount]
    lines = columns(rows)
    for key, amount, reason in named:
        if amount is None and reason in bases.reasons:
            why = say(language, bases.reasons[reason])
            lines.append(t(language, "cli.reason", name=t(language, f"cli.{key}"), why=why))
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
            if row.priced_as:
                key = t(language, "ui.no_model", model=row.priced_as)
            table.append((key, _count(row.requests), money(row.no_cache), money(row.billed)))
        lines += columns(table)
        if len(rows) > shown_rows:
            lines.append(t(language, "cli.more", len(rows) - shown_rows))
    return lines


def _size(row: GroupRow) -> int:
    amount = row.billed or row.no_cache
    return amount.high_e13 if amount else -1


def _count(requests: int | None) -> str:
    return "-" if requests is None else f"{requests:,}"


def prices(data: Mapping[str, Any], language: str) -> str:
    """The rows that a price look-up matched, or why there is none."""
    if not data["matches"]:
        return str(data["unpriced_reason"])
    blocks = []
    for row in data["matches"]:
        head = "  ".join((row["provider"], row["surface"], row["model"], row["mode"], row["tier"]))
        since, until = row["valid_from"] or "…", row["valid_to"] or "…"
        lines = [head, t(language, "cli.valid", since=since, until=until, status=row["status"])]
        lines.append(t(language, "cli.per_mtok"))
        lines += columns([(f"  {name}", value) for name, value in row["usd_per_mtok"].items()])
        lines.append(f"  {row['source']}  {row['as_of']}  ({row['matched_by']})")
        notes = [row["note"]] if row["note"] else []
        lines += [f"  {words}" for words in [*notes, *row["assumptions"]]]
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
    own = data["own"]
    if own is not None:
        age = "-" if own["age_days"] is None else t(language, "cli.days", own["age_days"])
        name = t(language, "cli.own_prices", file=own["file"])
        table.append((name, str(own["models"]), own["oldest_as_of"] or "-", age))
    lines = columns(table)
    checked = [*data["tables"], *filter(None, [own])]
    lines += [error for row in checked for error in row["errors"]]
    for provider, row in (own["adjustments"] if own else {}).items():
        lines.append(t(language, "cli.adjusted", provider=provider, **row))
    lines += ["", t(language, "cli.changes_ahead")]
    ahead = [(r["from"], r["provider"], r["model"], r["what"]) for r in data["changes_ahead"]]
    return "\n".join([*lines, *columns(ahead)])


def saved_reports(rows: Sequence[Mapping[str, Any]], language: str) -> str:
    """The saved reports, newest first."""
    if not rows:
        return t(language, "cli.no_reports")
    table = [(r["created_utc"][:16], r["report_id"][:12], r["name"]) for r in rows]
    return "\n".join(columns(table))


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
