"""Published figures of the one public trace whose figures are known, beside ours."""

from __future__ import annotations

import streamlit as st

from econ.cache_study import CacheStudy
from econ.replay_published import Compared, compared
from ui import components, tables
from ui.components import mark
from ui.numerals import MINUS, percent
from ui.tables import Column, Table
from ui.words import t

POINT_DIGITS = 1


def published(found: CacheStudy) -> None:
    """Nothing on another trace; here two shares in sight, other programs behind a click."""
    if not found.beside:
        return
    shares, others = compared(found.beside)
    small, large = shares
    with components.rule("published"):
        components.answer(
            t(
                "cache_page.published_heading",
                ours=percent(small.ours),
                theirs=percent(small.theirs.ratio, 0),
                gap=points(small),
            ),
            t("cache_page.published_unit", mark=mark("published"), own=mark("simulated")),
        )
        tables.show(_shares(shares), "published-shares")
        components.note(t("cache_page.published_note", ours=percent(large.ours), gap=points(large)))
        same = sum(row.gap == 0 for row in others)
        title = t("cache_page.others_heading", same=same, n=len(others))
        with st.expander(title, key="others"):
            components.note(t("cache_page.others_note"))
            tables.show(_others(others), "others-rows")


def points(row: Compared) -> str:
    """'4.0' of a gap of -0.040111: percentage points, without a sign."""
    return f"{abs(row.gap) * 100:.{POINT_DIGITS}f}"


def signed_points(row: Compared) -> str:
    """'−4.0', '0', '−0.05': ours minus theirs in points; 0 where all their digits agree."""
    if row.gap == 0:
        return "0"
    size = abs(row.gap) * 100
    return f"{MINUS if row.gap < 0 else '+'}{size:.{1 if size >= 0.1 else 2}f}"


def _shares(rows: tuple[Compared, ...]) -> Table:
    tokens = [t("cache_page.million_tokens", n=round((r.theirs.capacity_blocks or 0) * 512 / 1e6))
              for r in rows]  # fmt: skip
    columns = (
        Column(title=t("cache_page.column_cache"), values=tokens),
        Column(title=t("cache_page.column_published"), values=[_theirs(row) for row in rows]),
        Column(title=t("cache_page.column_ours"), values=[percent(row.ours) for row in rows]),
        Column(title=t("cache_page.column_gap_points"), values=[signed_points(r) for r in rows]),
    )
    return Table(columns=columns, alt=t("cache_page.published_alt"))


def _theirs(row: Compared) -> str:
    said = percent(row.theirs.ratio, max(row.theirs.digits - 2, 0))
    return t("cache_page.close_to", ratio=said) if row.theirs.about else said


def _others(rows: tuple[Compared, ...]) -> Table:
    unlimited = t("cache_page.column_unlimited")
    sizes = [f"{n:,}" if (n := row.theirs.capacity_blocks) else unlimited for row in rows]
    digits = [max(row.theirs.digits - 2, 0) for row in rows]
    columns = (
        Column(title=t("cache_page.column_program"), values=[row.theirs.tool for row in rows]),
        Column(title=t("cache_page.column_run"), values=[row.theirs.date for row in rows]),
        Column(title=t("cache_page.column_policy"), values=[row.theirs.policy for row in rows]),
        Column(
            title=t("cache_page.measure"),
            values=[t(f"cache_page.what_{row.theirs.what}") for row in rows],
        ),
        Column(title=t("cache_page.column_blocks"), values=sizes),
        Column(
            title=t("cache_page.column_theirs"),
            values=[percent(r.theirs.ratio, d) for r, d in zip(rows, digits, strict=True)],
        ),
        Column(
            title=t("cache_page.column_ours"),
            values=[percent(row.ours, d) for row, d in zip(rows, digits, strict=True)],
        ),
        Column(title=t("cache_page.column_gap_points"), values=[signed_points(r) for r in rows]),
    )
    return Table(columns=columns, alt=t("cache_page.others_alt"))
