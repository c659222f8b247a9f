"""A chart that the reader can save as PNG: the file holds heading, unit and source as well.

The browser makes the file: Plotly draws the figure again at a fixed size. Heading and source are
part of the figure for that reason, in margins of a known height which frame.css keeps out of sight
on the page, where the same words stand as text.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from ui.charts import INK, LABEL_PX, MUTED, PAPER, TICK_PX
from ui.numerals import JOINER, SPACE
from ui.words import language, t

TOP_PX, FOOT_PX, SIDE_PX = 96, 76, 16
"""What the figure is larger than what the page shows of it; frame.css has the same numbers."""
UNSEEN = ".01"
"""After the size of a text that the page does not show: this is how frame.css knows it."""
WIDE_PX, SCALE = 1120, 2
HEADING_PX = 20
LATIN_EM = 0.53  # how wide a letter is on average; a Japanese character is one em wide
MOST_LINES = {"heading": 2, "unit": 1, "source": 3}
_PIECES = re.compile(r"[^\s\u2e80-\u9fff\uf900-\uffef]+\s*|\s+|.")
_COLOURED = re.compile(r":[a-z]+\[((?:\\.|[^\[\]\\])*)\]")
_DOWNLOAD = "Download plot as a PNG"
_WORDS = {
    _DOWNLOAD: "save",
    "Preparing image - this may take a few seconds": "preparing",
    "Image download succeeded": "saved",
    "Sorry, there was a problem downloading your image!": "failed",
}
"""What Plotly says in English, and our words for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """What stands around a chart in its PNG, Markdown or plain, and the name of the file."""

    heading: str
    unit_line: str
    source: str
    file_name: str


def framed(figure: go.Figure, picture: Picture) -> go.Figure:
    """A copy of `figure` with heading and unit above it and the source below."""
    made = go.Figure(figure)
    # In the file letters may be wider than on the page, whose font it does not have.
    made.for_each_trace(lambda trace: trace.update(name=f"{trace.name}{SPACE * 3}"),
                        selector=lambda trace: bool(trace.name))  # fmt: skip
    margin = made.layout.margin
    top, bottom = int(margin.t or 0), int(margin.b or 0)
    made.update_layout(
        height=int(made.layout.height) + TOP_PX + FOOT_PX,
        margin={"t": top + TOP_PX, "b": bottom + FOOT_PX,
                "l": int(margin.l or 0) + SIDE_PX, "r": int(margin.r or 0) + SIDE_PX},
        paper_bgcolor=PAPER,
        modebar={"bgcolor": "rgba(0,0,0,0)", "color": INK, "activecolor": INK},
    )  # fmt: skip
    head = f"<b>{_wrapped(picture.heading, HEADING_PX, 'heading')}</b>"
    unit = _wrapped(picture.unit_line, LABEL_PX, "unit")
    beneath = f'<br><span style="font-size:{LABEL_PX}px;color:{MUTED}">{unit}</span>'
    _text(made, head + beneath, HEADING_PX, INK, y=1, yanchor="bottom", yshift=top + 10)
    source = _wrapped(picture.source, TICK_PX, "source")
    _text(made, source, TICK_PX, MUTED, y=0, yanchor="top", yshift=-(bottom + 8))
    return made


def _text(figure: go.Figure, text: str, size_px: int, color: str, **place: Any) -> None:
    hidden = f'<span style="font-size:{size_px}{UNSEEN}px">{text}</span>'
    figure.add_annotation(
        text=hidden, showarrow=False, align="left", xref="paper", yref="paper", x=0, xanchor="left",
        font={"size": size_px, "color": color}, borderpad=0, **place,
    )  # fmt: skip


def config(picture: Picture) -> dict[str, Any]:
    """Plotly's settings: one button, always there, in the reader's language."""
    return {
        "displayModeBar": True,
        "displaylogo": False,
        "scrollZoom": False,
        "modeBarButtons": [["toImage"]],
        "toImageButtonOptions": {
            "format": "png", "filename": picture.file_name, "width": WIDE_PX, "scale": SCALE,
        },
        "locale": language(),
        "locales": {
            language(): {
                "dictionary": {said: t(f"ui.png.{name}") for said, name in _WORDS.items()},
                "format": {},
            }
        },
    }  # fmt: skip


def bare(markdown: str) -> str:
    """Markdown of ours as plain text: no marks, no links, no invisible joiners."""
    text, before = markdown, ""
    while text != before:  # one may stand inside another
        before, text = text, _COLOURED.sub(r"\1", text)
    text = re.sub(r"\[((?:\\.|[^\]\\])*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"(?<!\\)\*\*", "", text)
    return re.sub(r"\\(.)", r"\1", text).replace(JOINER, "").strip()


def _wrapped(markdown: str, size_px: int, kind: str) -> str:
    lines = list(_lines(bare(markdown), (WIDE_PX - 2 * SIDE_PX - 40) / size_px))
    most = MOST_LINES[kind]
    if len(lines) > most:
        lines = [*lines[: most - 1], lines[most - 1].rstrip() + "…"]
    return "<br>".join(html.escape(line.strip()) for line in lines)


def _lines(text: str, most_em: float) -> Iterator[str]:
    line, used = "", 0.0
    for piece in _PIECES.findall(text.replace("\n", " ")):
        wide = sum(1.0 if unicodedata.east_asian_width(c) in "WF" else LATIN_EM for c in piece)
        if line and used + wide > most_em:
            yield line
            line, used = "", 0.0
        line, used = line + piece, used + wide
    yield line
