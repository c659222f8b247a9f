"""Two kinds of chart as SVG text: ranked bars, and columns above and below a line.

No script, no style sheet of its own, no reference to anything outside: the text stands in a page
that is printed. Widths are units of a `WIDTH` wide drawing that scales with its paper. All labels
stand inside the drawing; a name that is too long for its line ends in an ellipsis.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from econ.sheet_text import escaped

WIDTH = 680
PITCH, BAR = 32, 9
TEXT = 12
CHAR = 6.6  # widest usual Latin letter at this size; a Japanese one takes two
INK, MUTED, GAIN, LOSS, RULE = "#1A2128", "#56626D", "#0B6299", "#B4530A", "#DCE2E7"
COLUMNS_HEIGHT, FOOT = 150, 18
MOST_LABELS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetBar:
    """One bar. `reference` draws a tick at the cost without caching; None = no tick."""

    name: str
    value: float
    shown: str
    note: str = ""
    reference: float | None = None
    hatched: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetColumn:
    """One column of a time line, signed. `label` stands below the axis where there is room."""

    label: str
    value: float


def bars(rows: Sequence[SheetBar], alt: str) -> str:
    """Horizontal bars, each with its words above it; blue below the tick, vermilion above it."""
    high = max([*(r.value for r in rows), *(r.reference or 0.0 for r in rows), 0.0]) or 1.0
    parts = [_bar(row, at * PITCH, high) for at, row in enumerate(rows)]
    return _drawing(len(rows) * PITCH, alt, parts)


def _bar(row: SheetBar, top: float, high: float) -> str:
    scale = (WIDTH - 2) / high
    width = max(row.value, 0.0) * scale
    y = top + 18
    lost = row.reference is not None and row.value > row.reference
    color = LOSS if lost else GAIN if row.reference is not None else MUTED
    fill = "url(#hatch)" if row.hatched else color
    words = _fitted(f"{row.name}", 46)
    note = f' <tspan fill="{MUTED}">{escaped(_fitted(row.note, 56))}</tspan>' if row.note else ""
    made = [
        f'<text x="0" y="{top + 13:g}"><tspan font-weight="600">{escaped(row.shown)}</tspan>'
        f" <tspan>{escaped(words)}</tspan>{note}</text>",
        f'<rect x="0" y="{y:g}" width="{width:.2f}" height="{BAR}" fill="{fill}"'
        + (f' stroke="{MUTED}" stroke-width="0.5"/>' if row.hatched else "/>"),
    ]
    if row.reference is not None:
        at = row.reference * scale
        low, end = sorted((width, at))
        made.append(
            f'<path d="M{low:.2f} {y + BAR / 2:g}H{end:.2f}" stroke="{color}" stroke-width="1.5"/>'
            f'<path d="M{at:.2f} {y - 2:g}V{y + BAR + 2:g}" stroke="{INK}" stroke-width="1.5"/>'
        )
    return "".join(made)


def columns(rows: Sequence[SheetColumn], ticks: Sequence[tuple[float, str]], alt: str) -> str:
    """Columns from a zero line, losses below it; `ticks`: value and words of the grid lines."""
    values = [row.value for row in rows] + [value for value, _ in ticks] + [0.0]
    low, high = min(values), max(values)
    span = (high - low) or 1.0
    left = max((_wide(words) for _, words in ticks), default=0.0) + 8
    inner = COLUMNS_HEIGHT - FOOT - 16

    def y(value: float) -> float:
        return 8 + (high - value) / span * inner

    parts = [
        f'<path d="M{left:g} {y(value):.2f}H{WIDTH}" stroke="{RULE}" stroke-width="1"/>'
        f'<text x="{left - 6:g}" y="{y(value) + 4:.2f}" text-anchor="end" fill="{MUTED}">'
        f"{escaped(words)}</text>"
        for value, words in ticks
    ]
    step = (WIDTH - left) / max(len(rows), 1)
    every = max(1, math.ceil(len(rows) / MOST_LABELS))
    for at, row in enumerate(rows):
        x, width = left + at * step, step * 0.72
        top, base = sorted((y(row.value), y(0.0)))
        color = LOSS if row.value < 0 else GAIN
        parts.append(
            f'<rect x="{x + step * 0.14:.2f}" y="{top:.2f}" width="{width:.2f}"'
            f' height="{base - top:.2f}" fill="{color}"/>'
        )
        if at % every == 0:
            parts.append(
                f'<text x="{x + step / 2:.2f}" y="{COLUMNS_HEIGHT - 4}" fill="{MUTED}"'
                f' text-anchor="middle">{escaped(row.label)}</text>'
            )
    parts.append(f'<path d="M{left:g} {y(0.0):.2f}H{WIDTH}" stroke="{MUTED}" stroke-width="1"/>')
    return _drawing(COLUMNS_HEIGHT, alt, parts)


def _drawing(height: float, alt: str, parts: Sequence[str]) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH} {height:g}" role="img" aria-label="{escaped(alt)}"'
        f' font-size="{TEXT}" fill="{INK}">{"".join(parts)}</svg>'
    )


def hatch() -> str:
    """The pattern of what caching cannot touch; once in a page that draws bars."""
    return (
        '<svg width="0" height="0" style="position:absolute" aria-hidden="true"><defs>'
        '<pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse"'
        ' patternTransform="rotate(45)">'
        f'<path d="M0 0V5" stroke="{MUTED}" stroke-width="2"/></pattern></defs></svg>'
    )


def _wide(text: str) -> float:
    return sum(CHAR * (1 if ord(char) < 0x2E80 else 1.85) for char in text)


def _fitted(text: str, letters: int) -> str:
    """At most so many Latin letters wide."""
    if _wide(text) <= letters * CHAR:
        return text
    kept = text
    while kept and _wide(kept) > (letters - 1) * CHAR:
        kept = kept[:-1]
    return kept + "…"
