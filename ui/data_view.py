"""The page Data and changes: what is kept, who is asked, what moved, what is known to be wrong."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import streamlit as st

from econ.money import Amount
from jobs import data_facts, price_flows
from jobs.data_facts import Effect
from messages.errors import KvledgerError
from ui import byte_words, components, failures, keys_view, price_view, tables
from ui.numerals import amount_usd, digest, foreign
from ui.tables import Column, Table
from ui.words import t

KNOWN_WRONG = (
    "routing", "lookback", "tokenizer", "writes", "buckets", "storage", "prices", "latency", "yen",
    "engine", "shares", "counts",
)  # fmt: skip
_ASKED = "_effects_asked"


def kept() -> None:
    """What is stored, where, and how large it is on this disk."""
    components.answer(t("data.kept"), t("data.kept_unit"))
    with components.three_across():
        for row in data_facts.kept():
            size = t("data.in_database")
            if row.size_bytes is not None:
                size = byte_words.size(row.size_bytes, "gb")
            with st.container(gap="xxsmall"):
                components.figure(
                    t(f"data.kept.{row.id}"), size, f"`{row.place}`, {t(f'data.until.{row.id}')}"
                )
                components.note(t("data.moved_by", setting=row.setting))
    components.note(t("data.never"))


def asked() -> None:
    """The hosts by source, and the keys that some of them want."""
    found = data_facts.hosts()
    with components.rule("hosts"), st.container(gap="xxsmall"):
        components.answer(t("data.hosts", len(found)), t("data.hosts_unit"))
        lines = [
            f"* {t(f'public.source.{source}')}: " + ", ".join(f"`{host}`" for host in hosts)
            for source, hosts in data_facts.hosts_by_source().items()
        ]
        components.sentence("\n".join(lines))
        components.note(t("data.own_server"))
    keys_view.keys()


def changes() -> None:
    """Prices that change, and what that does to reports that were saved."""
    today = datetime.now(tz=UTC).date()
    version, method = data_facts.now()
    with components.rule("data_changes"):
        with st.container(gap="xxsmall"):
            components.answer(
                t("data.changes"), t("data.changes_unit", version=version, method=method)
            )
            price_view.changes(price_flows.changes_ahead_rows(today))
        _method()
        with st.container(gap="xxsmall"):
            components.answer(
                t("data.effect"), t("data.effect_unit", reports=data_facts.MOST_REPORTS)
            )
            if st.button(t("data.effect_ask"), key="effects", icon=":material/calculate:"):
                st.session_state[_ASKED] = True
            if st.session_state.get(_ASKED):
                _effects()


def _method() -> None:
    """What each version of the formulas moved, newest first."""
    with st.container(gap="xxsmall"):
        components.answer(t("data.method_changes"), t("data.method_changes_unit"))
        lines = [
            f"* **{version}** ({day}): {t(f'data.method_moved.{version}')}"
            for version, day in data_facts.methods()
        ]
        components.sentence("\n".join(lines))


def _effects() -> None:
    try:
        with st.spinner(t("ui.computing")):
            rows = data_facts.effects()
    except KvledgerError as error:
        failures.show(error)
        return
    if not rows:
        components.note(t("data.no_reports"))
        return
    tables.show(_effect_table(rows), "effects")


def _effect_table(rows: Sequence[Effect]) -> Table:
    return Table(
        columns=(
            Column(title=t("data.report"), values=[foreign(row.name) for row in rows]),
            Column(title=t("data.report_id"), values=[digest(row.id) for row in rows]),
            Column(title=t("data.saved_with"), values=[row.price_book_version for row in rows]),
            Column(title=t("data.method"), values=[row.method_version for row in rows],
                   kind="count"),
            Column(title=t("data.says"), values=[_usd(row.saved) for row in rows]),
            Column(title=t("data.says_today"), values=[_usd(row.today) for row in rows]),
            Column(title=t("data.verdict"), values=[_verdict(row) for row in rows]),
        ),
        alt=t("data.effect"),
    )  # fmt: skip


def _usd(value: Amount | None) -> str:
    return "–" if value is None else amount_usd(value)


def _verdict(row: Effect) -> str:
    if row.same_id is None:
        return t("data.verdict.gone")
    return t("data.verdict.same") if row.same_id else t("data.verdict.differs")


def known_wrong() -> None:
    """What the figures are known to leave out or to guess."""
    with components.rule("known_wrong"), st.container(gap="xsmall"):
        components.answer(t("data.wrong"), t("data.wrong_unit"))
        components.sentence("\n".join(f"* {_wrong(name)}" for name in KNOWN_WRONG))


def _wrong(name: str) -> str:
    return t(f"data.wrong.{name}", positions=data_facts.LOOKBACK)
