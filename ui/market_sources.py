"""Where the market's figures come from: standing, source lines, a CSV of each group, notices."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from econ.csv_safe import Cell, csv_bytes
from jobs import public_data
from jobs.public_data import Figure
from price_tables.hbm import MAKERS, Forecast, Share
from ui import components, downloads, words
from ui.market_numerals import period, status, vintage
from ui.numerals import day, md
from ui.spoken import spoken
from ui.words import language, t

MOST_LINKS = 8
COLUMNS = (
    "source", "entity", "name", "series", "span", "start", "end", "vintage", "value", "first",
    "unit", "currency", "derived", "status", "origin", "document", "link", "note",
)  # fmt: skip


def names() -> dict[str, str]:
    """What each company and series is called in the reader's language."""
    japanese = language() == "ja"
    known = {one.id: one.name_ja if japanese else one.name for one in public_data.companies()}
    return known | {
        one.id: one.title_ja if japanese else one.title for one in public_data.series_list()
    }


def name_of(figure: Figure) -> str:
    """Who or what a figure is about."""
    known, spoken = names(), f"market.ddr5.{figure.series}"
    said = known.get(figure.entity) or known.get(figure.series)
    return said or (t(spoken) if words.known(spoken) else figure.series)


def standing() -> str:
    """How old everything is: the snapshot's day, and when each source was asked."""
    now = public_data.standing()
    said = t("market.snapshot", day=day(now.snapshot_day))
    if not now.fetched:
        return said
    asked = [
        t("public.fetched_day", source=t(f"market.source.{name}"), day=day(moment))
        for name, moment in sorted(now.fetched.items())
    ]
    return " ".join([said, *asked])


def snapshot_day() -> date:
    """The day of the figures that came with the program."""
    return public_data.standing().snapshot_day


def source_words(figures: Sequence[Figure]) -> str:
    """The newest documents in one line, Markdown; the rest is in the CSV."""
    found = _documents(figures)
    links = found[:MOST_LINKS]
    more = len(found) - len(links)
    text = t("market.sources", sources="; ".join(links))
    return text + (t("market.sources_more", more) if more > 0 else "")


def _documents(figures: Sequence[Figure]) -> list[str]:
    """Each document once, the newest first, with its status and its day; Markdown."""
    found: dict[tuple[str, str], None] = {}
    for one in reversed(figures):
        label = t("market.source_item", name=name_of(one), status=status(one), vintage=vintage(one))
        found.setdefault((one.link, label))
    return [_link(label, link) for link, label in found]


def tools(
    figures: Sequence[Figure], name: str, shown: Sequence[Figure] | None = None, notice: str = ""
) -> None:
    """Under a table: its figures as CSV, and the documents of those that are `shown` (all of them
    where that is not said). `notice`: what a source's terms ask to be said."""
    with components.tools(f"market_{name}"):
        csv_of(figures, name)
        sources(figures if shown is None else shown, name, notice)


def sources(figures: Sequence[Figure], name: str, notice: str = "") -> None:
    """'Sources': every document of these figures, each with its status and its day."""
    said = [t(f"market.notice.{notice}")] if notice else []
    components.sources([*_documents(figures), *said], f"market_{name}")


def _link(label: str, link: str) -> str:
    return f"[{md(label)}]({link})" if link.startswith("https://") else md(label)


def csv_of(figures: Sequence[Figure], name: str) -> None:
    """Every figure of a group with period, vintage, unit, status and link, raw numbers."""
    known, rows = names(), list(figures)

    def make() -> bytes:
        return csv_bytes(COLUMNS, [_row(one, known) for one in rows])

    downloads.csv_button(
        t("market.download"),
        make,
        file_name=f"kvledger-market-{name}.csv",
        key=f"market_csv_{name}",
        kind="tertiary",
    )


def _row(one: Figure, known: dict[str, str]) -> dict[str, Cell]:
    def text(value: date | None) -> str:
        return "" if value is None else value.isoformat()

    own = {name: getattr(one, name) for name in COLUMNS if name not in _MADE}
    return own | {
        "name": known.get(one.entity) or known.get(one.series) or "",
        "start": text(one.start),
        "end": text(one.end),
        "vintage": text(one.vintage),
    }


_MADE = frozenset({"name", "start", "end", "vintage"})


def shares_csv(rows: Sequence[Share], forecasts: Sequence[Forecast] = ()) -> None:
    """The published shares as CSV, each quarter and basis with its sum as it is; then forecasts."""

    def make() -> bytes:
        lines: list[dict[str, Cell]] = [
            {"quarter": row.quarter, "basis": row.basis, **row.by_maker(),
             "sum_percent": row.total, "source": row.source, "note": row.note or ""}
            for row in rows
        ]  # fmt: skip
        lines += [
            {"quarter": one.scope, "basis": "forecast", **one.by_maker(),
             "sum_percent": one.total, "source": one.source, "note": one.note or ""}
            for one in forecasts
        ]  # fmt: skip
        return csv_bytes(("quarter", "basis", *MAKERS, "sum_percent", "source", "note"), lines)

    downloads.csv_button(
        t("market.download"),
        make,
        file_name="kvledger-market-hbm-shares.csv",
        key="market_csv_shares",
        kind="tertiary",
    )


def notice(source: str) -> None:
    """The words that a source's terms of use ask for."""
    components.note(t(f"market.notice.{source}"))


def hover(figure: Figure) -> str:
    """Period, vintage, status and note of one figure, for its cell."""
    note = f" · {spoken(figure.note)}" if figure.note else ""
    derived = f" · {t(f'market.derived.{figure.derived}')}" if figure.derived else ""
    return f"{period(figure)} · {vintage(figure)} · {status(figure)}{derived}{note}"
