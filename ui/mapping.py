"""The column picker: what the columns of an unknown table mean (the shell's --map as a form)."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from data_sources.traces.base import ReadOptions
from jobs import flows
from ui import components, upload
from ui.numerals import foreign
from ui.words import t

FIELDS = (
    "input_tokens",
    "output_tokens",
    "cached_read_tokens",
    "cache_write_5m_tokens",
    "cache_write_1h_tokens",
    "uncached_input_tokens",
    "model",
    "start_utc",
    "session_id",
    "user",
    "team",
    "project",
    "observed_cost_usd",
)
"""What a form can ask for without tiring; the shell takes every field."""


def offer() -> None:
    """Ask what the columns mean, where the last upload is a table that names nothing we know."""
    files = upload.spooled()
    columns = flows.columns_of(files) if files else []
    if not columns:
        upload.drop_files()
        return
    components.answer(t("workload_page.map_heading"), t("workload_page.map_unit"))
    with st.form("mapping", border=False):
        chosen = _pickers(columns)
        submitted = st.form_submit_button(t("workload_page.map_read"), type="primary")
    if submitted:
        mapping = {column: field for field, column in chosen.items() if column is not None}
        upload.start(files, ReadOptions(mapping=mapping))
        st.rerun()


def _pickers(columns: Sequence[str]) -> dict[str, str | None]:
    lowered = {column.casefold(): i for i, column in enumerate(columns)}
    chosen: dict[str, str | None] = {}
    with st.grid("auto", min_column_width=240, gap=("small", "medium")):
        for field in FIELDS:
            chosen[field] = st.selectbox(
                t(f"ui.field.{field}"),
                list(columns),
                index=lowered.get(field),
                format_func=foreign,
                placeholder=t("workload_page.map_none"),
                key=f"map-{field}",
            )
    return chosen
