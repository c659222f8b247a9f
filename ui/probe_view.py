"""Probes of people's own servers on the Engine page: both times, beside kvcore's own pair."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from jobs import probing, profiling
from jobs.probing import StoredProbe
from ui import components, folds, table_csv, tables
from ui.components import MARKS, mark
from ui.numerals import count, day, foreign, md
from ui.tables import Column, Table
from ui.time_lines import duration
from ui.words import t

COMMAND = "python cli.py probe http://localhost:11434 --model MODEL --prompt-tokens 13220"
SHORT_URL = 48


def section() -> None:
    """What servers were asked, or how to ask one, folded."""
    found = probing.probes()
    finding = t("engine_page.probe_none")
    if found:
        newest = max(found, key=lambda probe: probe.created_utc)
        finding = t(
            "engine_page.probe_heading",
            server=md(newest.url, SHORT_URL),
            cold=duration(newest.cold_s),
            warm=duration(newest.warm_s),
        )
    folds.section("probes", finding, lambda: _asked(found, finding))


def _asked(found: Sequence[StoredProbe], finding: str) -> None:
    components.beneath(t("engine_page.probe_unit", mark=mark("observed")), finding)
    if found:
        table = _table(found)
        tables.show(table, "probes")
        with components.tools("probes"):
            table_csv.button(table, "engine_probes")
    components.note(t("engine_page.probe_how"))
    st.code(COMMAND, language="shell")


def _table(found: Sequence[StoredProbe]) -> Table:
    nothing = t("engine_page.not_said")
    rows = [_row(probe, nothing) for probe in found]
    own = profiling.this_machine()
    if own is not None:
        pair = own.pair
        rows.append(
            (
                f"{MARKS['measured']} kvcore",
                foreign(own.entry.model_name),
                count(pair.prompt_tokens),
                duration(pair.cold_s),
                duration(pair.warm_s),
                count(pair.reused_tokens),
                foreign(own.entry.name),
                day(own.entry.measured_utc),
            )
        )
    names = ("server", "model", "axis_prompt", "cold", "warm", "cached", "version", "date")
    columns = tuple(
        Column(title=t(f"engine_page.{name}"), values=[row[at] for row in rows])
        for at, name in enumerate(names)
    )
    return Table(columns=columns, alt=t("engine_page.probe_alt"))


def _row(probe: StoredProbe, nothing: str) -> tuple[str, ...]:
    cold, warm = probe.result["cold"], probe.result["warm"]
    prompt, cached = cold.get("prompt_tokens"), warm.get("cached_tokens")
    return (
        foreign(probe.url),
        foreign(probe.model),
        nothing if prompt is None else count(prompt),
        duration(probe.cold_s),
        duration(probe.warm_s),
        nothing if cached is None else count(cached),
        foreign(f"{probe.api} {probe.result.get('server_version') or ''}"),
        day(probe.created_utc),
    )
