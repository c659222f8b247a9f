"""What the Engine page says of memory: block length, reservation against paging, KV formats."""

from __future__ import annotations

from collections.abc import Sequence

from econ.device_cases import formats, is_share, series, whole
from kvcore.profile import CaseResult, find
from ui import components, engine_charts
from ui.components import MARKS
from ui.engine_profiles import Shown, known_by, origin
from ui.engine_view import tokens_s
from ui.numerals import count, md, percent
from ui.time_lines import duration
from ui.words import t

PAPER = "https://arxiv.org/abs/2309.06180"
"""Kwon et al. 2023: earlier systems waste 60 to 80 % of KV memory, PagedAttention under 4 %."""


def blocks(shown: Shown) -> None:
    """A decode step and the waste at the tail by block length."""
    steps = series(shown.profile, "block_size", "block_tokens")
    waste = [row for row in series(shown.profile, "block_waste", "block_tokens")
             if row.params.get("allocation") == "paged" and is_share(row.median)]  # fmt: skip
    steps = steps if len(steps) > 1 else ()
    waste = waste if len(waste) > 1 else []
    if not steps and not waste:
        return
    with components.rule("blocks"), components.two_across():
        if steps:
            _block_steps(shown, steps)
        if waste:
            _block_waste(shown, waste)


def _block_steps(shown: Shown, rows: Sequence[CaseResult]) -> None:
    best = min(rows, key=lambda row: row.median or 0.0)
    labels = [count(int(row.params["block_tokens"])) for row in rows]
    titles = (t("engine_page.block"), t("engine_page.step_ms"), t("engine_page.block_alt"))
    made = engine_charts.case_columns(rows, labels, duration, titles, scale=1e3)
    heading = t(
        "engine_page.block_heading",
        best=int(best.params["block_tokens"]),
        step=duration(best.median or 0.0),
    )
    unit = t("engine_page.block_unit", known=known_by(shown, rows))
    components.chart_block(heading, unit, made, "block-size")


def _block_waste(shown: Shown, rows: Sequence[CaseResult]) -> None:
    labels = [count(int(row.params["block_tokens"])) for row in rows]
    titles = (t("engine_page.block"), t("engine_page.waste_share"), t("engine_page.tail_alt"))
    made = engine_charts.case_columns(rows, labels, _share, titles, scale=100)
    heading = t(
        "engine_page.tail_heading",
        small=labels[0],
        large=labels[-1],
        low=_share(rows[0].median or 0.0),
        high=_share(rows[-1].median or 0.0),
    )
    unit = t("engine_page.tail_unit", known=origin(shown.entry))
    components.chart_block(heading, unit, made, "block-waste")


def _share(value: float) -> str:
    return percent(value, 1)


def waste(shown: Shown) -> None:
    """Contiguous reservation against paging, as the allocators count, beside what is published."""
    rows = [*find(shown.profile, "block_waste", allocation="contiguous")]
    rows += find(shown.profile, "block_waste", allocation="paged", block_tokens=16)
    rows = [row for row in rows if is_share(row.median)]
    if len(rows) < 2:
        return
    named = [(_allocation(row), row.median or 0.0, percent(row.median or 0.0),
              _admitted(shown, row), row.params["allocation"] == "paged")
             for row in rows]  # fmt: skip
    made = engine_charts.bars(named, t("engine_page.waste_share"), t("engine_page.waste_alt"))
    with components.rule("waste"):
        heading = t("engine_page.waste_heading", contiguous=named[0][2], paged=named[-1][2])
        lengths = md(str(rows[0].params.get("lengths", "")))
        unit = t("engine_page.waste_unit", lengths=lengths, known=origin(shown.entry))
        components.chart_block(heading, unit, made, "waste")
        components.note(t("engine_page.waste_note", mark=MARKS["published"], link=PAPER))


def _allocation(row: CaseResult) -> str:
    size = whole(row, "max_tokens") or whole(row, "block_tokens") or 0
    return t(f"engine_page.allocation_{row.params['allocation']}", tokens=size)


def _admitted(shown: Shown, row: CaseResult) -> str:
    same = {"allocation": row.params["allocation"]}
    held = find(shown.profile, "admitted", **same)
    rates = find(shown.profile, "admitted_rate", **same)
    words = [t("engine_page.admitted", value=f"{r.median:,.0f}") for r in held[:1]]
    return ", ".join([*words, *(tokens_s(r.median or 0.0) for r in rates[:1])])


def kv_formats(shown: Shown) -> None:
    """Bits of each stored format, and how far the answers move."""
    found = formats(shown.profile)
    if not found:
        return
    with components.rule("formats"):
        unit = t("engine_page.formats_unit", known=origin(shown.entry))
        made = engine_charts.formats(found)
        components.chart_block(t("engine_page.formats_heading"), unit, made, "formats")
        components.note(t("engine_page.formats_note"))
