"""What the Engine page says of memory: block length, reservation against paging, KV formats."""

from __future__ import annotations

from collections.abc import Sequence

from econ.device_cases import KvFormat, formats, is_share, series, whole
from kvcore.profile import CaseResult, find
from ui import engine_charts, engine_parts
from ui.components import MARKS
from ui.engine_profiles import Shown, known_by, origin
from ui.engine_time import tokens_s
from ui.numerals import count, md, percent
from ui.time_lines import duration
from ui.words import t

PAPER = "https://arxiv.org/abs/2309.06180"
"""Kwon et al. 2023: earlier systems waste 60 to 80 % of KV memory, PagedAttention under 4 %."""


def block_steps(shown: Shown) -> None:
    """A decode step by block length."""
    rows = series(shown.profile, "block_size", "block_tokens")
    if len(rows) < 2:
        return
    best = min(rows, key=lambda row: row.median or 0.0)
    labels = [count(int(row.params["block_tokens"])) for row in rows]
    titles = (t("engine_page.block"), t("engine_page.step_ms"), t("engine_page.block_alt"))
    heading = t(
        "engine_page.block_heading",
        best=int(best.params["block_tokens"]),
        step=duration(best.median or 0.0),
    )
    unit = t("engine_page.block_unit", known=known_by(shown, rows))
    engine_parts.folded(
        shown,
        heading,
        unit,
        lambda: engine_charts.case_columns(rows, labels, duration, titles, scale=1e3),
        "block_steps",
    )


def block_waste(shown: Shown) -> None:
    """The waste at the tail by block length."""
    rows = [row for row in series(shown.profile, "block_waste", "block_tokens")
            if row.params.get("allocation") == "paged" and is_share(row.median)]  # fmt: skip
    if len(rows) < 2:
        return
    labels = [count(int(row.params["block_tokens"])) for row in rows]
    titles = (t("engine_page.block"), t("engine_page.waste_share"), t("engine_page.tail_alt"))
    heading = t(
        "engine_page.tail_heading",
        small=labels[0],
        large=labels[-1],
        low=_share(rows[0].median or 0.0),
        high=_share(rows[-1].median or 0.0),
    )
    unit = t("engine_page.tail_unit", known=origin(shown.entry))
    engine_parts.folded(
        shown,
        heading,
        unit,
        lambda: engine_charts.case_columns(rows, labels, _share, titles, scale=100),
        "block_waste",
    )


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
    words = (t("engine_page.waste_share"), t("engine_page.waste_alt"))
    heading = t("engine_page.waste_heading", contiguous=named[0][2], paged=named[-1][2])
    lengths = md(str(rows[0].params.get("lengths", "")))
    unit = t("engine_page.waste_unit", lengths=lengths, known=origin(shown.entry))
    note = t("engine_page.waste_note", mark=MARKS["published"], link=PAPER)
    engine_parts.folded(
        shown, heading, unit, lambda: engine_charts.bars(named, *words), "waste", note
    )


def _allocation(row: CaseResult) -> str:
    size = whole(row, "max_tokens") or whole(row, "block_tokens") or 0
    return t(f"engine_page.allocation_{row.params['allocation']}", tokens=size)


def _admitted(shown: Shown, row: CaseResult) -> str:
    same = {"allocation": row.params["allocation"]}
    held = find(shown.profile, "admitted", **same)
    rates = find(shown.profile, "admitted_rate", **same)
    words = [t("engine_page.admitted", value=f"{r.median:,.0f}") for r in held[:1]]
    return engine_charts.joined([*words, *(tokens_s(r.median or 0.0) for r in rates[:1])])


def kv_formats(shown: Shown) -> None:
    """Bits of each stored format, and how far the answers move."""
    found = formats(shown.profile)
    if not found:
        return
    unit = t("engine_page.formats_unit", known=origin(shown.entry))
    engine_parts.folded(shown, _formats_heading(found), unit, lambda: engine_charts.formats(found),
                        "formats", t("engine_page.formats_note"))  # fmt: skip


def _formats_heading(found: Sequence[KvFormat]) -> str:
    """How often the format of fewest bits leaves the likeliest token as it was."""
    both = [(row.bits, row.top1_ratio) for row in found if row.bits and row.top1_ratio is not None]
    if not both:
        return t("engine_page.formats_plain")
    bits, same = min(both)
    return t("engine_page.formats_heading", bits=f"{bits:g}", same=percent(same))
