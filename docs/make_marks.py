"""Draws ui/static/marks.woff2, the font with our six marks. Needs fonttools and brotli.

Source Sans has no ◇ and its ● is small, so without this file every system would show the marks in
other sizes. Run it only when an outline changes: `python docs/make_marks.py`.
"""

from __future__ import annotations

import sys
from pathlib import Path

from fontTools.fontBuilder import FontBuilder
from fontTools.pens.t2CharStringPen import T2CharStringPen

UNITS, ADVANCE, CENTRE = 1000, 680, 330
RADIUS, RING = 260, 90
HALF_DIAGONAL, HOLE = 320, 190
BEZIER = 0.5522847498  # handle length of a quarter circle, radius 1
OUT = Path(__file__).parent.parent / "ui" / "static" / "marks.woff2"


def circle(pen: T2CharStringPen, radius: int, *, hole: bool = False) -> None:
    """A circle round the centre; a hole runs the other way."""
    x, y, handle = ADVANCE // 2, CENTRE, radius * BEZIER
    turn = -1 if hole else 1
    corners = [(1, 0), (0, turn), (-1, 0), (0, -turn)]
    pen.moveTo((x + radius, y))
    for (ax, ay), (bx, by) in zip(corners, corners[1:] + corners[:1], strict=True):
        pen.curveTo(
            (x + ax * radius + bx * handle, y + ay * radius + by * handle),
            (x + bx * radius + ax * handle, y + by * radius + ay * handle),
            (x + bx * radius, y + by * radius),
        )
    pen.closePath()


def polygon(pen: T2CharStringPen, points: list[tuple[int, int]]) -> None:
    """A closed polygon; points are relative to the centre."""
    placed = [(ADVANCE // 2 + dx, CENTRE + dy) for dx, dy in points]
    pen.moveTo(placed[0])
    for point in placed[1:]:
        pen.lineTo(point)
    pen.closePath()


def diamond(half: int) -> list[tuple[int, int]]:
    """The corners of a square standing on its tip, counter-clockwise."""
    return [(half, 0), (0, half), (-half, 0), (0, -half)]


def draw(name: str, pen: T2CharStringPen) -> None:
    """The outlines of one mark."""
    if name in ("disc", "ring"):
        circle(pen, RADIUS)
    if name == "ring":
        circle(pen, RADIUS - RING, hole=True)
    if name in ("diamond", "lozenge"):
        polygon(pen, diamond(HALF_DIAGONAL))
    if name == "lozenge":
        polygon(pen, diamond(HOLE)[::-1])
    if name == "up":
        polygon(pen, [(290, -240), (0, 270), (-290, -240)])
    if name == "down":
        polygon(pen, [(-290, 240), (0, -270), (290, 240)])


NAMES = {
    0x25CF: "disc",
    0x25CB: "ring",
    0x25C6: "diamond",
    0x25C7: "lozenge",
    0x25B2: "up",
    0x25BC: "down",
}


def main() -> int:
    """Write the font."""
    glyphs = {}
    for name in (".notdef", *NAMES.values()):
        pen = T2CharStringPen(ADVANCE, None)
        draw(name, pen)
        glyphs[name] = pen.getCharString()
    font = FontBuilder(UNITS, isTTF=False)
    font.setupGlyphOrder(list(glyphs))
    font.setupCharacterMap(NAMES)
    font.setupCFF("kvledger-marks", {}, glyphs, {})
    font.setupHorizontalMetrics(dict.fromkeys(glyphs, (ADVANCE, 0)))
    font.setupHorizontalHeader(ascent=800, descent=-200)
    font.setupNameTable({"familyName": "kvledger marks", "styleName": "Regular"})
    font.setupOS2()
    font.setupPost()
    font.font.flavor = "woff2"
    font.save(OUT)
    return 0


if __name__ == "__main__":
    sys.exit(main())
