"""The tables of the printed report: whole, every row, in the reader's language."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from econ.money import plain
from econ.own_marks import is_own, models_at_own_price
from econ.report import CostReport, GroupRow, PriceSource
from econ.sheet_text import Say, escaped, name_shown, percent, usd
from messages.errors import Message

LEFT_OUT = "session"
"""Sessions may be a thousand: they stand in the CSV, and the sheet says how many."""

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")

SHORT_ROWS = 14
"""A table of so few rows is not broken between two columns or two sides."""


def table(caption: str, head: Sequence[str], rows: Iterable[Sequence[str]], words: int = 1) -> str:
    """An HTML table of plain texts; the first `words` columns are words, the rest are numbers."""
    rows = tuple(rows)
    said = [' class="words"' if at < words else "" for at in range(len(head))]
    top = "".join(f"<th{said[at]}>{escaped(text)}</th>" for at, text in enumerate(head))
    body = "".join(
        "<tr>" + "".join(_cell(text, said[at]) for at, text in enumerate(row)) + "</tr>"
        for row in rows
    )
    title = f"<caption>{escaped(caption)}</caption>" if caption else ""
    kind = "block short" if len(rows) <= SHORT_ROWS else "block"
    return (
        f'<div class="{kind}"><table>{title}<thead><tr>{top}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _cell(text: str, kind: str) -> str:
    """A cell; a day is never broken at its hyphens, which would double the rows of a month."""
    if _DAY.fullmatch(text):
        kind = ' class="words day"'
    return f"<td{kind}>{escaped(text)}</td>"


def key_shown(row: GroupRow, say: Say, own: frozenset[str] = frozenset()) -> str:
    """The group's name; words where the file names nobody, and what its rows are priced as. `own`:
    the models at a price of the reader's own, which say so."""
    name = _key_shown(row, say)
    return say(Message("ui.own_price", {"model": name})) if is_own(row, own) else name


def _key_shown(row: GroupRow, say: Say) -> str:
    if not row.key and row.priced_as:
        return say(Message("ui.no_model", {"model": name_shown(row.priced_as)}))
    return name_shown(row.key) if row.key else say(Message("ui.unassigned"))


def group_tables(report: CostReport, say: Say) -> str:
    """Every grouping but sessions: dearest first, days in their order."""
    found = dict.fromkeys(row.by for row in report.groups if row.by != LEFT_OUT)
    return "".join(_group_table(report, by, say) for by in found)


def groups_left_out(report: CostReport) -> int:
    """How many sessions stand in the CSV only."""
    return sum(1 for row in report.groups if row.by == LEFT_OUT)


def sorted_groups(report: CostReport, by: str) -> list[GroupRow]:
    """One grouping as it is shown."""
    rows = [row for row in report.groups if row.by == by]
    return rows if by == "day" else sorted(rows, key=cost_e13, reverse=True)


def cost_e13(row: GroupRow) -> int:
    """What a group costs, for sorting; groups without a price come last."""
    amount = row.billed if row.billed is not None else row.no_cache
    return -1 if amount is None else amount.high_e13


def _group_table(report: CostReport, by: str, say: Say) -> str:
    rows = sorted_groups(report, by)
    observed = any(row.billed is not None for row in rows)
    unpriced = any(row.unpriced_rows for row in rows)
    zone = report.params.tz or "UTC"
    key = "sheet.by_day" if by == "day" else f"ui.by.{by}"
    head = [say(Message(key, {"zone": zone}))]
    head += [say(Message("ui.baseline.billed"))] * observed
    head.append(say(Message("ui.baseline.no_cache")))
    head += [say(Message(name)) for name in ("ui.column.saving", "sheet.hit")] * observed
    head += [say(Message("ui.column.unpriced_rows"))] * unpriced

    own = models_at_own_price(report)

    def cells(row: GroupRow) -> list[str]:
        made = [key_shown(row, say, own)]
        made += [usd(row.billed, say)] * observed
        made.append(usd(row.no_cache, say))
        if observed:
            made.append(usd(row.saving, say, plus=True))
            made.append(say(Message("sheet.unknown")) if row.token_hit is None
                        else percent(row.token_hit, 0))  # fmt: skip
        return made + [f"{row.unpriced_rows:,}"] * unpriced

    return table("", head, map(cells, rows))


def unpriced_table(report: CostReport, say: Say) -> str:
    """Rows outside every amount; '' where there are none."""
    if not report.unpriced:
        return ""
    names = ("ui.by.model", "ui.receipt.reason", "ui.receipt.rows", "ui.column.input_tokens")
    rows = (
        (
            name_shown(row.model or "?"),
            say(row.reason),
            f"{row.rows:,}",
            f"{row.input_tokens:,}",
        )
        for row in report.unpriced
    )
    return table(say(Message("sheet.unpriced")), [say(Message(n)) for n in names], rows, words=2)


def change_table(report: CostReport, say: Say) -> str:
    """Why the later period cost more or less; '' where no periods are compared."""
    found = report.change
    if found is None:
        return ""
    spans = {
        "before": f"{found.from_period.since} – {found.from_period.until}",
        "after": f"{found.to_period.since} – {found.to_period.until}",
    }
    rows = [
        (say(Message(f"cli.change_{part}")), usd(getattr(found, part), say, plus=True))
        for part in ("volume", "mix", "caching", "price", "total")
    ]
    head = (say(Message("ui.column.cause")), "USD")
    return table(say(Message("sheet.change", spans)), head, rows)


def source_tables(
    sources: Sequence[PriceSource], say: Say, spoken: Callable[[str], str] = str
) -> str:
    """The price rows behind the figures, and below them the pages that they are from."""
    pages = list(dict.fromkeys((s.source, s.as_of) for s in sources))
    head = [say(Message(f"sheet.price_{name}")) for name in ("row", "usd_per_mtok", "page")]
    rows = (
        (_row_name(s), _prices(s, say), str(pages.index((s.source, s.as_of)) + 1)) for s in sources
    )
    listed = "".join(
        f"<p class='quiet'>{at}. {escaped(spoken(page))}, {escaped(as_of)}</p>"
        for at, (page, as_of) in enumerate(pages, 1)
    )
    return table(say(Message("sheet.prices")), head, rows, words=2) + listed


def _row_name(source: PriceSource) -> str:
    parts = [source.provider, source.surface, source.model, source.mode]
    if source.tier_above_tokens:
        parts.append(f"> {source.tier_above_tokens:,}")
    if source.valid_from is not None:
        parts.append(f"{source.valid_from:%Y-%m-%d} –")
    return " · ".join(part for part in parts if part)


def _prices(source: PriceSource, say: Say) -> str:
    return ", ".join(
        f"{say(Message(f'ui.bucket.{bucket}'))} {plain(price)}"
        for bucket, price in source.prices.items()
    )
