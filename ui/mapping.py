"""How to read a refused file: its columns, block size and time zone, asked in a form.

The shell's --map, --block-size and --tz. The form opens with what the columns' names tell.
"""

from __future__ import annotations

from collections.abc import Mapping
from zoneinfo import available_timezones

import streamlit as st

from data_sources.traces.base import ReadOptions
from jobs import flows
from jobs.flows import Picker
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
    "start_s",
    "n_requests",
    "session_id",
    "user",
    "team",
    "project",
    "observed_cost_usd",
)
"""What a form can ask for without tiring; the shell takes every field."""

BLOCK_SIZES = (512, 64, 16, 128, 256, 32)


def offer() -> None:
    """Ask what can be asked about the last upload; let go of files that no answer would help."""
    files = upload.spooled()
    asked = flows.picker_for(files)
    if not asked.columns and not asked.block_size:
        upload.drop_files()
        return
    with st.form("mapping", border=False):
        options = _table_form(asked) if asked.columns else _block_form()
        submitted = st.form_submit_button(t("workload_page.map_read"), type="primary")
    if submitted:
        upload.start(files, options)
        st.rerun()


def _table_form(asked: Picker) -> ReadOptions:
    components.answer(t("workload_page.map_heading"), t("workload_page.map_unit"))
    chosen = _pickers(asked.columns, asked.guess)
    mapping = {column: field for field, column in chosen.items() if column is not None}
    return ReadOptions(mapping=mapping, tz=_zone())


def _block_form() -> ReadOptions:
    components.answer(t("workload_page.block_heading"), t("workload_page.block_unit"))
    size = st.selectbox(
        t("workload_page.block_size"), BLOCK_SIZES, key="block_size", accept_new_options=True
    )
    left_out = st.checkbox(t("workload_page.leave_out_misfits"), key="leave_out_misfits")
    return ReadOptions(block_tokens=_whole(size), leave_out_flagged=left_out)


def _whole(text: object) -> int | None:
    """A typed-in size; nonsense is no size, and the reader then says what it needs."""
    digits = str(text).replace(",", "").strip()
    return int(digits) if digits.isdecimal() and 0 < int(digits) <= 1_000_000 else None


def _zone() -> str | None:
    return st.selectbox(
        t("workload_page.tz"),
        ["UTC", *sorted(available_timezones() - {"UTC"})],
        index=None,
        placeholder=t("workload_page.tz_none"),
        key="map-tz",
        help=t("workload_page.tz_help"),
    )


def _pickers(columns: tuple[str, ...], guess: Mapping[str, str]) -> dict[str, str | None]:
    same = {column.casefold(): column for column in columns}
    chosen: dict[str, str | None] = {}
    with st.grid("auto", min_column_width=240, gap=("small", "medium")):
        for field in FIELDS:
            known = guess.get(field) or same.get(field)
            chosen[field] = st.selectbox(
                t(f"ui.field.{field}"),
                columns,
                index=columns.index(known) if known in columns else None,
                format_func=foreign,
                placeholder=t("workload_page.map_none"),
                key=f"map-{field}",
            )
    return chosen
