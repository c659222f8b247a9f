"""A report's own hardware on its page: three numbers, the tables folded away, what it rests on."""

from __future__ import annotations

import streamlit as st

from econ.own_tables import OwnTable, tables_of
from econ.report_own import OwnPart, sources_of
from econ.sheet_own import machine, three_figures
from ui import components, plain_table
from ui.components import MARKS
from ui.numerals import md
from ui.plain_table import cell
from ui.words import say, t


def section(own: OwnPart | None) -> None:
    """One sentence where the report has no such figures."""
    with components.rule("own_report"):
        if own is None:
            components.answer(t("own_report.heading"), t("own_report.not_seen"))
            return
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
        components.note(f"{MARKS[mark]} {md(text)}")
    for source, as_of in sources_of(own):
        components.note(md(f"{source}, {as_of}" if as_of else source))
