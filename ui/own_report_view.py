"""A report's own hardware on its page: three numbers, the tables folded away, what it rests on."""

from __future__ import annotations

import streamlit as st

from econ.own_tables import OwnTable, tables_of
from econ.report_own import OwnPart, sources_of
from econ.sheet_own import machine, spoken_line, three_figures
from ui import components, doors, plain_table
from ui.components import MARKS
from ui.numerals import md
from ui.plain_table import cell
from ui.spoken import spoken
from ui.words import say, t

FLEET, LESS = ("hw_", "hour_row", "usd_hour", "own_"), ("less_kv_",)
"""Beginnings of the names under which the address carries a fleet and less KV."""


def section(own: OwnPart | None) -> None:
    """One quiet line where a saved report has no such figures."""
    if own is None:
        components.note(t("own_report.not_seen"))
        return
    with components.rule("own_report"):
        components.answer(t("own_report.heading"), md(machine(own, say)))
        figures = three_figures(own, say)
        if figures:
            with components.three_across():
                for label, value, beneath in figures:
                    components.figure(label, value, md(beneath))
        for message in own.missing:
            components.note(md(say(message)))
        with st.expander(t("own_report.tables"), key="own_report_tables"):
            for one in tables_of(own, say):
                _table(one)
        with st.expander(t("own_report.rests_on"), key="own_report_rests"):
            _rests_on(own)


def current(own: OwnPart | None) -> None:
    """Of the report that is looked at."""
    if own is None:
        offered()
    else:
        section(own)


def offered() -> None:
    """Where a report that is not saved yet gets such figures: one quiet line that leads there, with
    what the address says of a fleet or of less KV."""
    said = {name: st.query_params[name] for name in st.query_params}
    less = not any(name.startswith(FLEET) for name in said) and any(
        name.startswith(LESS) for name in said
    )
    carried = {n: v for n, v in said.items() if n.startswith(LESS if less else (*FLEET, *LESS))}
    words = "own_report.opens_less" if less else "own_report.opens"
    st.page_link(
        doors.path_of("less_kv" if less else "own_hardware"),
        label=t(f"{words}_with" if carried else "own_report.opens"),
        icon=":material/arrow_forward:", query_params=carried,
    )  # fmt: skip


def _table(one: OwnTable) -> None:
    with st.container(gap="xxsmall"):
        components.answer(one.caption, md(one.note)) if one.note else components.sentence(
            f"**{one.caption}**"
        )
        rows = [[cell(text) for text in row] for row in one.rows]
        plain_table.show(one.head, rows, one.caption, f"own-{one.name}")


def _rests_on(own: OwnPart) -> None:
    components.sentence(f"**{t('own_report.assumptions')}**")
    for message in own.assumptions:
        components.note(md(say(message)))
    components.sentence(f"**{t('own_report.sources')}**")
    for mark, text in own.sources:
        components.note(f"{MARKS[mark]} {md(spoken_line(text, spoken))}")
    for source, as_of in sources_of(own):
        line = f"{source}, {as_of}" if as_of else source
        components.note(md(spoken_line(line, spoken)))
