"""What if this model had g KV heads: bytes, sequences, devices and dollars of this workload."""

from __future__ import annotations

import streamlit as st

from econ.kv_levers import head_counts, own_heads
from jobs.less_kv import LessKv, with_kv_heads
from ui import components, folds, less_kv_charts, refused
from ui.byte_words import Unit, both, size
from ui.components import mark
from ui.less_kv_charts import whole
from ui.less_kv_controls import format_word
from ui.numerals import md, usd
from ui.typed import keep
from ui.words import t

NAME = "less_kv_heads"


def section(found: LessKv, unit: Unit) -> None:
    """What another number of KV heads would keep: a slider."""
    own = own_heads(found.model)
    if own is None:
        components.note(t("less_kv.heads_none", model=md(found.model.name)))
        return
    folds.section("heads", _finding(found, own, unit), lambda: _slid(found, own, unit))


def _finding(found: LessKv, own: int, unit: Unit) -> str:
    """What one KV head would keep instead of the model's own."""
    row, as_is = with_kv_heads(found, 1), with_kv_heads(found, own)
    if row is None or as_is is None:
        return t("less_kv.heads")
    return t("less_kv.heads_heading", 1, before=size(as_is.peak_bytes, unit),
             after=size(row.peak_bytes, unit))  # fmt: skip


@st.fragment
def _slid(found: LessKv, own: int, unit: Unit) -> None:
    with st.container(gap="small"):
        top = st.container(gap="xxsmall")
        heads = _slider(head_counts(found.model), own)
        row, as_is = with_kv_heads(found, heads), with_kv_heads(found, own)
        if row is None or as_is is None:
            return
        with top:
            key = "heads_as_is" if heads == own else "heads_heading"
            heading = t(f"less_kv.{key}", heads, before=size(as_is.peak_bytes, unit),
                        after=size(row.peak_bytes, unit))  # fmt: skip
            components.answer(
                heading,
                t("less_kv.heads_unit", mark=mark("computed"), model=md(found.model.name),
                  own=own, query=found.model.query_heads,
                  format=format_word(found.asked.chosen)),
            )  # fmt: skip
        with components.three_across():
            components.figure(
                t("less_kv.column.bytes_per_token"), size(row.bytes_per_token, unit),
                both(row.bytes_per_token),
            )  # fmt: skip
            components.figure(
                t("less_kv.heads_fit"), whole(row.sequences_p95),
                t("less_kv.heads_fleet", devices=whole(row.devices),
                  before=whole(as_is.devices), sequences=whole(as_is.sequences_p95)),
            )  # fmt: skip
            components.figure(
                t("less_kv.column.usd"), "–" if row.hbm_usd is None else usd(row.hbm_usd.mid),
                "" if row.hbm_usd is None else less_kv_charts.band_words(row.hbm_usd),
            )  # fmt: skip
        components.note(t("less_kv.heads_quality"))


def _slider(counts: tuple[int, ...], own: int) -> int:
    said = st.query_params.get(NAME) or st.session_state.get(f"_{NAME}") or ""
    first = own if own in counts else counts[0]
    current = int(said) if said.isdecimal() and int(said) in counts else first
    refused.one_of(NAME, counts, str(first))
    st.session_state[NAME] = current

    def chosen() -> None:
        value = st.session_state[NAME]
        keep(NAME, None if value == first else str(value))

    st.select_slider(t("less_kv.heads"), counts, key=NAME, on_change=chosen)
    return current
