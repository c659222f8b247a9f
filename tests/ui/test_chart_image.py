"""A chart's PNG: what stands in it, and what the page keeps out of sight."""

from __future__ import annotations

import re
from pathlib import Path

import ui
from ui import chart_image, charts
from ui.chart_image import FOOT_PX, SIDE_PX, TOP_PX, Picture
from ui.numerals import md

PICTURE = Picture(
    heading=f"**{md('50 / 33 / 18 %')}** & more",
    unit_line="share, %",
    source=f"Sources: [{md('a filing [1]')}](https://example.org/a); x < y",
    file_name="kvledger-x",
)


def texts(picture: Picture = PICTURE) -> list[str]:
    figure = charts.frame(200)
    return [str(one.text) for one in chart_image.framed(figure, picture).layout.annotations]


def bare(text: str) -> str:
    return re.sub(r'^<span style="font-size:[0-9.]+px">(.*)</span>$', r"\1", text)


def test_heading_unit_and_source_are_in_the_figure_as_plain_text() -> None:
    head, source = map(bare, texts())
    assert head.startswith("<b>50 / 33 / 18 % &amp; more</b>")
    assert "share, %" in head
    assert source == "Sources: a filing [1]; x &lt; y"


def test_the_chart_itself_stays_as_it_was_and_keeps_its_height() -> None:
    figure = charts.frame(200)
    made = chart_image.framed(figure, PICTURE)
    assert len(figure.layout.annotations) == 0
    assert made.layout.height == 200 + TOP_PX + FOOT_PX
    assert made.layout.margin.b == figure.layout.margin.b + FOOT_PX


def test_the_style_sheet_hides_exactly_the_added_margins() -> None:
    css = (Path(ui.__file__).parent / "static" / "frame.css").read_text(encoding="utf-8")
    assert f"margin:-{TOP_PX}px -{SIDE_PX}px -{FOOT_PX}px" in css
    assert f'.annotation:has([style*="{chart_image.UNSEEN}px"]){{visibility:hidden}}' in css
    assert all(f"{chart_image.UNSEEN}px" in text for text in texts())


def test_a_long_source_wraps_between_words_and_between_japanese_characters() -> None:
    long = Picture(heading="出典" * 80, unit_line="", source="one two " * 80, file_name="x")
    head, source = map(bare, texts(long))
    assert head.count("<br>") == 2  # two lines of heading, then the unit
    lines = source.split("<br>")
    assert len(lines) == chart_image.MOST_LINES["source"]
    assert all(re.fullmatch(r"(one|two)( (one|two))*…?", line) for line in lines)


def test_the_button_is_always_there_and_speaks_the_readers_language() -> None:
    made = chart_image.config(PICTURE)
    assert made["displayModeBar"] is True
    assert made["modeBarButtons"] == [["toImage"]]
    spoken = made["locales"][made["locale"]]["dictionary"]
    assert spoken["Download plot as a PNG"] == "Save as PNG"


def test_colours_and_their_brackets_are_no_part_of_the_plain_words() -> None:
    said = ":gray[:small[by size. :blue[● measured here] :orange[▲ disturbed]]]"
    assert chart_image.bare(said) == "by size. ● measured here ▲ disturbed"
