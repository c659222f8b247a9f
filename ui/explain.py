"""'How it is computed', made from a report's provenance: formula, numbers, price rows, dates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from decimal import Decimal, InvalidOperation

import streamlit as st

from econ.example import EXAMPLE_FORMAT
from econ.format_words import format_name
from econ.receipt import Receipt
from econ.report import CostReport, PriceSource, Provenance
from price_tables.own import OWN
from ui import plain_table
from ui.components import MARKS, muted, two_across
from ui.numerals import count, day, digest, exact, foreign, md
from ui.tables import Column, Table
from ui.words import known, say, t

MOST_SOURCES = 12
LISTED_LINES = 8
LONG_ROWS, LONG_TABLE_PX = 12, 480


def how(report: CostReport, figure_ids: Iterable[str], key: str) -> None:
    """A popover with the provenance of these figures; absent where the report has none of them."""
    shown = [report.figures[name] for name in figure_ids if name in report.figures]
    if not shown:
        return
    with st.popover(t("ui.how"), type="tertiary", icon=":material/function:", key=key):
        for provenance in shown:
            _formula(provenance)
        for text in _assumptions(report):
            st.markdown(muted(text))
        _observed(report)
        _prices(shown)


def _formula(provenance: Provenance) -> None:
    st.markdown(f"**{md(say(provenance.formula))}**")
    inputs = [f"{input_name(n)} {input_value(n, v)}" for n, v in provenance.inputs.items()]
    if inputs:
        st.markdown(muted(" · ".join(md(text) for text in inputs)))


def input_name(name: str) -> str:
    """The words for an input of a formula: a token bucket, a baseline, or an input of its own."""
    for key in (
        f"ui.bucket.{name}",
        f"ui.baseline.{name.removesuffix('_usd')}",
        f"ui.input.{name}",
    ):
        if known(key):
            return t(key)
    return name.replace("_", " ")


def input_value(name: str, value: str) -> str:
    """A count or an amount with thousands commas and all its digits; other text as it is."""
    try:
        number = exact(Decimal(value))
    except InvalidOperation:
        return value
    return f"{number} USD" if name.endswith("_usd") else number


def _assumptions(report: CostReport) -> list[str]:
    return [t("ui.assumption", what=md(say(message))) for message in report.assumptions]


def _observed(report: CostReport) -> None:
    kind = "simulated" if report.workload.format == EXAMPLE_FORMAT else "observed"
    for line in observed_lines(report.receipt):
        st.markdown(muted(f"{MARKS[kind]} {line}"))


def observed_lines(receipt: Receipt) -> list[str]:
    """One line a file with its own rows; where files were read as one, their rows once."""
    files = receipt.files
    lines = []
    for file in files:
        rows = receipt.rows_kept if len(files) == 1 else file.rows
        said = {"file": md(file.path), "digest": digest(file.sha256)}
        if rows is None:
            lines.append(t("ui.source.tokens_of_file", **said))
        else:
            lines.append(t("ui.source.tokens", rows, **said))
    if len(files) > 1 and any(file.rows is None for file in files):
        lines.append(t("ui.source.tokens_together", rows=receipt.rows_kept, files=len(files)))
    return lines


def _prices(known_figures: list[Provenance]) -> None:
    sources = merged([source for figure in known_figures for source in figure.sources])
    for source in sources[:MOST_SOURCES]:
        st.markdown(muted(f"{MARKS['published']} {_price(source)}"))
    if len(sources) > MOST_SOURCES:
        st.markdown(muted(t("ui.source.more", len(sources) - MOST_SOURCES)))


def merged(sources: Sequence[PriceSource]) -> list[PriceSource]:
    """One line a price row, with every bucket that any of the figures took from it."""
    rows: dict[tuple[object, ...], PriceSource] = {}
    for source in sources:
        key = tuple(getattr(source, f.name) for f in fields(source) if f.name != "prices")
        before = rows.get(key)
        prices = {**before.prices, **source.prices} if before else source.prices
        rows[key] = replace(source, prices=prices)
    return list(rows.values())


def _price(source: PriceSource) -> str:
    """'claude-opus-5, read 0.5, write 5 m 6.25 USD per million tokens, host, as of 2026-09-30'."""
    prices = " · ".join(f"{bucket(name)} {exact(p)}" for name, p in source.prices.items())
    tier = t("ui.source.tier", tokens=source.tier_above_tokens) if source.tier_above_tokens else ""
    where = [source.provider, source.surface, source.mode]
    line = t(
        "ui.source.price",
        model=md(source.model),
        where=md(" ".join(where)),
        prices=md(prices),
        source=t("ui.source.own") if source.source == OWN else md(_host(source.source)),
        as_of=md(source.as_of),
    )
    return f"{line}{tier}{_validity(source)}"


def _validity(source: PriceSource) -> str:
    if source.valid_from is None:
        return ""
    return t("ui.source.since", date=day(source.valid_from))


def _host(url: str) -> str:
    return url.split("://", 1)[-1].split("/", 1)[0]


def bucket(name: str) -> str:
    """The words for a token bucket."""
    return t(f"ui.bucket.{name}")


def receipt_table(receipt: Receipt) -> Table:
    """Rows that add up, each with what happened to it."""
    rows = [(receipt.rows_read, t("ui.receipt.read")), (receipt.rows_kept, t("ui.receipt.kept"))]
    rows += [
        (part.rows, t("ui.receipt.collapsed_because", reason=foreign(say(part.reason))))
        for part in receipt.collapsed
    ] or [(receipt.rows_collapsed, t("ui.receipt.collapsed"))]
    rows += _rejected(receipt)
    rows += [
        (part.rows, t("ui.receipt.ignored_because", reason=say(part.reason)))
        for part in receipt.ignored
    ] or [(receipt.rows_ignored, t("ui.receipt.ignored"))]
    return Table(
        columns=(
            Column(title=t("ui.receipt.what"), values=[what for _, what in rows]),
            Column(title=t("ui.receipt.rows"), values=[n for n, _ in rows], kind="count"),
        ),
        alt=t("ui.receipt.alt"),
    )


def _rejected(receipt: Receipt) -> list[tuple[int, str]]:
    if not receipt.rows_rejected:
        return [(0, t("ui.receipt.rejected"))]
    lines = [count(row.line) for row in receipt.rejected[:LISTED_LINES]]
    more = ", …" if receipt.rows_rejected > len(lines) else ""
    text = t("ui.receipt.rejected_lines", len(lines), lines=", ".join(lines) + more)
    return [(receipt.rows_rejected, text)]


def rejected_table(receipt: Receipt) -> Table | None:
    """The rejected lines with their reasons; None where there are none."""
    if not receipt.rejected:
        return None
    return Table(
        columns=(
            Column(title=t("ui.receipt.file"), values=[foreign(r.file) for r in receipt.rejected]),
            Column(
                title=t("ui.receipt.line"), values=[r.line for r in receipt.rejected], kind="count"
            ),
            Column(title=t("ui.receipt.reason"), values=[say(r.reason) for r in receipt.rejected]),
        ),
        alt=t("ui.receipt.rejected_alt"),
    )


def receipt_body(receipt: Receipt, key: str) -> None:
    """The receipt as a page or a popover shows it."""
    st.markdown(f"### {t('ui.receipt.title')}\n{muted(t('ui.receipt.adds_up'))}", anchors=False)
    with two_across():
        _wrapped(receipt_table(receipt), f"{key}-receipt")
        with st.container(gap="xsmall"):
            _receipt_details(receipt, key)


def _receipt_details(receipt: Receipt, key: str) -> None:
    rejected = rejected_table(receipt)
    if rejected is not None:
        _wrapped(rejected, f"{key}-rejected")
    for message in receipt.assumptions:
        st.markdown(muted(t("ui.assumption", what=md(say(message)))))
    for file in receipt.files:
        line = t(
            "ui.receipt.source_file",
            file=md(file.path),
            format=md(format_name(file.format, say)),
            encoding=md(file.encoding),
            digest=digest(file.sha256),
        )
        st.markdown(muted(line))


def _wrapped(table: Table, key: str) -> None:
    """A table of sentences: they wrap, none is cut; a long one scrolls."""
    rows = list(zip(*(column.values for column in table.columns), strict=True))
    tones: list[plain_table.Tone] = [
        "plain" if column.kind == "count" or not at else "words"
        for at, column in enumerate(table.columns)
    ]
    cells = [
        [
            plain_table.cell(count(value) if isinstance(value, int) else str(value), tone=tone)
            for value, tone in zip(row, tones, strict=True)
        ]
        for row in rows
    ]
    heads = [column.title for column in table.columns]
    with st.container(height=LONG_TABLE_PX if len(rows) > LONG_ROWS else "content", border=False):
        plain_table.show(heads, cells, table.alt, key)


def receipt_popover(receipt: Receipt, key: str) -> None:
    """The receipt behind a button."""
    with st.popover(t("ui.receipt.open"), type="tertiary", icon=":material/receipt_long:", key=key):
        receipt_body(receipt, key)
